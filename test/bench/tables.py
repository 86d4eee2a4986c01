#!/usr/bin/env python3
"""How long after a view its table of partitions is there: five real daemons at their default settings, on
the loopback interface, share 1000 partitions with a backup each; the fifth joins and leaves, again and
again.

    test/bench/tables.py [--runs N] [BUILD]      (root: it goes before other programs)

prints a Markdown table: the median and the worst of N joins (50), in microseconds between the two events
as a watcher on the daemon's socket gets them, at the four that were there and at the one that joins.
Where both come in one piece there was no time between them. BUILD is the folder with doyend
(build/release).
"""

import argparse
import atexit
import json
import os
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from owners import free_ports

COUNT = 5
PARTITIONS = 1000
LIMIT_S = 30


class Watched:
    """A daemon, and when each event of it came."""

    def __init__(self, build, folder, addresses, place):
        self.path = f"{folder}/{place}.sock"
        command = [f"{build}/doyend", "--name", f"node{place}", "--listen", addresses[place],
                   "--seed", addresses[0], "--control", self.path, "--partitions", str(PARTITIONS),
                   "--backups", "1"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.process.kill)  # Nothing outlives this; who is gone already is left alone.
        self.events = []  # (ns, kind, data)
        self.text = b""
        until = time.monotonic() + LIMIT_S
        while True:
            self.socket = socket.socket(socket.AF_UNIX)
            try:
                self.socket.connect(self.path)
                break
            except OSError:
                self.socket.close()
                if time.monotonic() > until:
                    sys.exit("tables.py: a daemon does not answer")
                time.sleep(0.0005)
        self.socket.sendall(b"GET /v1/events HTTP/1.1\r\nHost: d\r\n\r\n")

    def read(self):
        self.text += self.socket.recv(1 << 20)
        now_ns = time.monotonic_ns()
        *lines, self.text = self.text.split(b"\n")
        for line in lines:
            if line.startswith(b"data: "):
                data = json.loads(line[6:])
                self.events.append((now_ns, data["kind"], data))

    def table_after_ns(self, first):
        """From the first view of all since that event to its table; None: the view was not watched."""
        views = [(ns, data["version"]) for ns, kind, data in self.events[first:]
                 if kind == "view" and data["member_count"] == COUNT]
        tables = [(ns, data["version"]) for ns, kind, data in self.events[first:]
                  if kind == "partitions" and data["member_count"] == COUNT]
        return tables[0][0] - views[0][0] if views and tables and tables[0][1] == views[0][1] else None

    def close(self):
        self.process.terminate()
        self.socket.close()


def read_until(daemons, condition):
    until = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > until:
            sys.exit("tables.py: nothing comes of it")
        for ready in select.select([daemon.socket for daemon in daemons], [], [], 0.1)[0]:
            next(daemon for daemon in daemons if daemon.socket is ready).read()


def agreed(daemons, count):
    """Has each of them the table of a view of so many?"""
    def of(daemon):
        tables = [data for _, kind, data in daemon.events if kind == "partitions"]
        return tables[-1]["member_count"] if tables else 0
    return lambda: all(of(daemon) == count for daemon in daemons)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=50, metavar="N")
    parser.add_argument("build", nargs="?", default="build/release", metavar="BUILD")
    options = parser.parse_args()

    addresses = [f"127.0.0.1:{port}" for port in free_ports("127.0.0.1", COUNT)]
    figures = {"were there": [], "joins": []}
    with tempfile.TemporaryDirectory(prefix="doyen-tables-") as folder:
        there = [Watched(options.build, folder, addresses, place) for place in range(COUNT - 1)]
        read_until(there, agreed(there, COUNT - 1))
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
        for _ in range(options.runs):
            first = [len(daemon.events) for daemon in there]
            joiner = Watched(options.build, folder, addresses, COUNT - 1)
            read_until(there + [joiner], agreed(there + [joiner], COUNT))
            figures["joins"].append(joiner.table_after_ns(0))
            figures["were there"] += [daemon.table_after_ns(k) for daemon, k in zip(there, first)]
            joiner.close()  # It leaves: who fails again and again is let in later.
            read_until(there, agreed(there, COUNT - 1))
            joiner.process.wait()
        for daemon in there:
            daemon.close()
        for daemon in there:
            daemon.process.wait()
    print("| who | median us | worst us | samples |\n|---|---|---|---|")
    for who, times in figures.items():
        times = [ns / 1e3 for ns in times if ns is not None]
        print(f"| {who} | {statistics.median(times):.0f} | {max(times):.0f} | {len(times)} |")


if __name__ == "__main__":
    main()
