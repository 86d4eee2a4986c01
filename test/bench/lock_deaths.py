#!/usr/bin/env python3
"""What happens to the work under a role when something dies: `doyen campaign ROLE -- COMMAND` beside
`etcdctl lock ROLE COMMAND`, five daemons each, every one in a network namespace of its own.

    test/bench/lock_deaths.py [--runs N] [--system SYSTEM]... [--death DEATH]... [BUILD]

needs root, ip, and etcd with etcdctl for etcd; prints a Markdown table. COMMAND, the child, is a shell
that starts the writer, its grandchild, and waits for it; all writers append to one log, once in a
millisecond. What dies (kill -9), or is stopped for 1 s:

    grandchild, child, runner   the writer; the shell; `doyen campaign` or `etcdctl lock`
    daemon                      the one beside them
    host silent                 the host is cut off, and all on it goes on
    pause of ...                SIGSTOP, and 1 s later SIGCONT

For each the table has the worst of N runs (3): how long two wrote at once, which is looked at for 7 s, or
nobody did, from the last record of the one to the first of the other; and the exit code of the runner
that held the role. Systems
are the guards `majority` and `strict` at their defaults, and etcd with the lease that etcdctl takes by
itself, 10 s. BUILD is the folder with doyend (build/release).
"""

import argparse
import os
import random
import signal
import struct
import subprocess
import sys
import time

from role_deaths import Doyen, Etcd, NAMES, address, connect, make_hosts, on_host, say

WRITER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lock_writer.py")
RECORD = struct.Struct("<QI")  # ns, host
LIMIT_S = 30
STAYS_S = 14  # so long nobody else writes: the role has not changed hands;
SILENT_S = 75  # where a host is silent
AFTER_S = 7  # the former one may still write
PAUSE_S = 1
DEATHS = ["grandchild", "child", "runner", "daemon", "host silent", "pause of grandchild",
          "pause of child", "pause of runner", "pause of daemon"]
SYSTEMS = ["majority", "strict", "etcd"]


def children_of(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
            found += [int(word) for word in file.read().split()]
    return found


def descendants_of(pid):
    found = []
    for child in children_of(pid):
        found += [child] + descendants_of(child)
    return found


def find(pids, place, word):
    """The process whose argument of that place is this."""
    for pid in pids:
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read().split(b"\0")
        except OSError:
            continue
        if len(line) > place and line[place] == word.encode():
            return pid
    return None


class Runner:
    """The runner on one host, and what it has started."""

    def __init__(self, system, place, role, log):
        work = ["sh", "-c", f'"{sys.executable}" -SE "{WRITER}" "{log}" {place} & wait $!']
        if isinstance(system, Etcd):
            ends = ",".join(f"http://{address(i)}:2379"
                            for i in sorted(range(len(NAMES)), key=lambda i: i != place))
            words = ["env", "ETCDCTL_API=3", "etcdctl", f"--endpoints={ends}", "lock", role, "--", *work]
        else:
            words = [f"{system.build}/doyen", "-c", system.control(place), "campaign", role, "--", *work]
        # ip netns exec becomes the runner.
        self.process = on_host(place, *words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.place = place
        self.started = set()

    def parts(self):
        """The pids of writer and shell, once both are there."""
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            try:
                pids = descendants_of(self.process.pid)
            except OSError:
                pids = []
            writer, shell = find(pids, 2, WRITER), find(pids, 0, "sh")
            if writer and shell:
                self.started |= {*pids}
                return writer, shell
            time.sleep(0.01)
        sys.exit("lock_deaths.py: the holder does not start its work")

    def close(self):
        self.process.kill()
        code = self.process.wait()
        for pid in self.started:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return code


def read(log):
    with open(log, "rb") as file:
        data = file.read()
    return list(RECORD.iter_unpack(data[:len(data) - len(data) % RECORD.size]))


def wrote(log, place):
    return any(host == place for _, host in read(log))


def wait_for(condition, limit_s):
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def strike(system, death, runner):
    writer, shell = runner.parts()
    what = death.replace("pause of ", "")
    if death == "host silent":
        connect(runner.place, False)
        return
    daemon = system.daemons[runner.place].pid
    pid = {"grandchild": writer, "child": shell, "runner": runner.process.pid, "daemon": daemon}[what]
    if death.startswith("pause"):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(PAUSE_S)
        os.kill(pid, signal.SIGCONT)
    else:
        os.kill(pid, signal.SIGKILL)


def code_of(runner):
    """None while it runs."""
    code = runner.process.poll()
    return None if code is None else 128 - code if code < 0 else code


def measure(system, death):
    """Milliseconds in which two wrote, in which nobody did (None: the role stays), and the exit code."""
    coordinator = system.settled()
    holder, follower = [i for i in range(len(NAMES)) if i != coordinator][:2]
    role = f"role-{random.getrandbits(48):012x}"
    log = f"{system.folder.name}/{role}"
    with open(log, "wb"):
        pass
    runners = [Runner(system, holder, role, log)]
    if not wait_for(lambda: wrote(log, holder), LIMIT_S):
        sys.exit("lock_deaths.py: nobody holds the role")
    runners.append(Runner(system, follower, role, log))
    time.sleep(1)
    strike(system, death, runners[0])
    patience_s = SILENT_S if death == "host silent" else STAYS_S
    changed = wait_for(lambda: wrote(log, follower), patience_s)
    if changed:
        runners[1].parts()
        time.sleep(AFTER_S)
    code = code_of(runners[0])
    connect(holder, True)
    records = read(log)
    for runner in runners:
        runner.close()
    if death == "daemon":
        system.daemons[holder].wait()
        system.start(holder)
    if not changed:
        return 0, None, code
    first = next(ns for ns, host in records if host == follower)
    last = max(ns for ns, host in records if host == holder)
    return max(0, last - first) / 1e6, max(0, first - last) / 1e6, code


def row(death, name, results):
    overlap = max(result[0] for result in results)
    gaps = [result[1] for result in results if result[1] is not None]
    codes = sorted({"runs on" if code is None else str(code) for _, _, code in results})
    gap = f"{max(gaps):.0f} ms" if gaps else "stays"
    if gaps and len(gaps) < len(results):
        gap += f", stays {len(results) - len(gaps)} times"
    both = f"more than {AFTER_S} s" if overlap > AFTER_S * 1e3 else f"{overlap:.0f} ms"
    say(f"| {death} | {name} | {both} | {gap} | {', '.join(codes)} | {len(results)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--system", action="append", choices=SYSTEMS)
    parser.add_argument("--death", action="append", choices=DEATHS)
    parser.add_argument("build", nargs="?", default="build/release")
    options = parser.parse_args()

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    make_hosts()
    say("| what dies | system | two wrote at once | nobody wrote | exit code | runs |\n|---|---|---|---|---|---|")
    for name in options.system or SYSTEMS:
        system = Etcd(10) if name == "etcd" else Doyen(options.build, name)
        for death in options.death or DEATHS:
            row(death, name, [measure(system, death) for _ in range(options.runs)])
        system.close()


if __name__ == "__main__":
    if "DOYEN_DEATHS" not in os.environ:  # Namespaces of its own, and nothing outlives it.
        os.environ["DOYEN_DEATHS"] = "1"
        words = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--mount"]
        os.execvp("unshare", ["unshare", *words, sys.executable, "-B", *sys.argv])
    else:
        main()
