"""Real daemons for the tests, and patience."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from typing import Callable, Optional, TypeVar

LIMIT_S = 30.0  # for everything that is waited for
NAMES = ("athens", "byzantium", "cyrene")

_T = TypeVar("_T")

for _name in [name for name in os.environ if name.startswith("DOYEN_") and name != "DOYEN_BUILD"]:
    del os.environ[_name]


def soon(what: Callable[[], Optional[_T]]) -> _T:
    """What it returns as soon as that is true."""
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        value = what()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"not within {LIMIT_S} s")


# What runs a command in a time namespace whose clock is far ahead.
OTHER_CLOCK = ("unshare", "-T", "--boottime", "100", "--monotonic", "100")


def has_other_clocks() -> bool:
    """May this account have such namespaces, and does the kernel let who makes one enter it?"""
    look = [*OTHER_CLOCK, "readlink", "/proc/self/ns/time"]
    try:
        there = subprocess.run(look, capture_output=True, text=True)
    except FileNotFoundError:
        return False
    return there.returncode == 0 and there.stdout.strip() != os.readlink("/proc/self/ns/time")


def _free_ports(count: int) -> int:
    """The first of so many ports where nobody listens."""
    while True:
        first = random.randrange(20000, 30000)
        try:
            for port in range(first, first + count):
                for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                    with socket.socket(socket.AF_INET, kind) as tried:
                        tried.bind(("127.0.0.1", port))
            return first
        except OSError:
            pass


class Cluster:
    """Daemons of the build that DOYEN_BUILD names."""

    def __init__(self, count: int, *options: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="doyen-py-")
        self._options = options
        self._port = _free_ports(count)
        self._count = count
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        for name in NAMES[:count]:
            self.start(name)

    def control(self, name: str) -> str:
        return os.path.join(self._folder.name, f"{name}.sock")

    def start(self, name: str, *before: str) -> None:
        """Behind the words `before`, which are a command that runs another one."""
        ports = range(self._port, self._port + self._count)
        seeds = [word for port in ports for word in ("--seed", f"127.0.0.1:{port}")]
        address = f"127.0.0.1:{self._port + NAMES.index(name)}"
        state = os.path.join(self._folder.name, f"{name}.state")
        command = [*before, os.path.join(os.environ["DOYEN_BUILD"], "doyend"), "--name", name]
        command += ["--listen", address, "--control", self.control(name), "--state-dir", state]
        with open(os.path.join(self._folder.name, f"{name}.log"), "ab") as log:
            self._processes[name] = subprocess.Popen(
                [*command, *seeds, *self._options], stderr=log
            )

    def signal(self, name: str, number: int) -> None:
        self._processes[name].send_signal(number)

    def ends(self, name: str) -> int:
        """Waits until it has ended; its status."""
        return self._processes[name].wait(LIMIT_S)

    def kill(self, name: str) -> None:
        self._processes[name].kill()
        self.ends(name)

    def lose_disk(self, name: str) -> None:
        """It starts again without the record by which it voted."""
        self.kill(name)
        os.remove(os.path.join(self._folder.name, f"{name}.state", "voter"))
        self.start(name)

    def end(self) -> None:
        for process in self._processes.values():
            process.send_signal(signal.SIGCONT)
            process.kill()
        for name in self._processes:
            self.ends(name)
        self._folder.cleanup()


class TestCase(unittest.TestCase):
    """One whose clusters end with it."""

    def cluster(self, count: int, *options: str) -> Cluster:
        cluster = Cluster(count, *options)
        self.addCleanup(cluster.end)
        return cluster
