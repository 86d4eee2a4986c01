#!/usr/bin/env python3
"""What happens to the work under a role when something dies: `doyen campaign ROLE -- COMMAND` beside
`etcdctl lock ROLE COMMAND` and `consul lock ROLE COMMAND`, five daemons each, every one in a network
namespace of its own.

    test/bench/lock_deaths.py [--runs N] [--system SYSTEM]... [--death DEATH]... [BUILD]

needs root, ip, etcd with etcdctl for etcd, and consul for consul, which is left out where it is not in
PATH; prints a Markdown table. COMMAND, the child, is a shell
that starts the writer, its grandchild, and waits for it; all writers append to one log, once in a
millisecond. What dies (kill -9), or is stopped for 1 s:

    grandchild, child, runner   the writer; the shell; `doyen campaign`, `etcdctl lock` or `consul lock`
    daemon                      the one beside them
    host silent                 the host is cut off, and all on it goes on
    pause of ...                SIGSTOP, and 1 s later SIGCONT

For each the table has the worst of N runs (3): how long two wrote at once, which is looked at for 7 s, or
nobody did, from the last record of the one to the first of the other; and the exit code of the runner
that held the role. Systems
are the guards `majority` and `strict` at their defaults, etcd with the lease that etcdctl takes by
itself, 10 s, and consul with the session that `consul lock` takes by itself: of 15 s, which its servers
let go on for twice as long, and 15 s more until the lock is granted again. BUILD is the folder with doyend (build/release).
"""

import argparse
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
import urllib.request

from role_deaths import NAMES, Doyen, Etcd, System, address, connect, make_hosts, on_host, say

WRITER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lock_writer.py")
RECORD = struct.Struct("<QI")  # ns, host
LIMIT_S = 30
STAYS_S = 14  # so long nobody else writes: the role has not changed hands;
CONSUL_S = 60  # with consul, 45 s of which are its own
SILENT_S = 75  # where a host is silent
AFTER_S = 7  # the former one may still write
PAUSE_S = 1
DEATHS = ["grandchild", "child", "runner", "daemon", "host silent", "pause of grandchild",
          "pause of child", "pause of runner", "pause of daemon"]
SYSTEMS = ["majority", "strict", "etcd", "consul"]


class Consul(System):
    """Five servers; `consul lock` speaks to the one on its host."""

    def command(self, place):
        joins = [word for i in range(len(NAMES)) for word in ("-retry-join", address(i))]
        return ["consul", "agent", "-server", "-bootstrap-expect", str(len(NAMES)), "-node", NAMES[place],
                "-bind", address(place), "-client", f"127.0.0.1 {address(place)}",
                "-data-dir", f"{self.folder.name}/{NAMES[place]}", "-hcl", "disable_update_check = true",
                "-retry-interval", "1s", "-log-level", "error", *joins]

    def ask(self, place, path):
        with urllib.request.urlopen(f"http://{address(place)}:8500{path}", timeout=2) as answer:
            return json.loads(answer.read())

    def coordinator_of(self, place):
        passing = {check["Node"] for check in self.ask(place, "/v1/health/state/passing")}
        leader = self.ask(place, "/v1/status/leader").split(":")[0]
        places = [i for i in range(len(NAMES)) if address(i) == leader]
        return places[0] if passing >= set(NAMES) else None


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
        elif isinstance(system, Consul):  # has a shell of its own
            words = ["env", "SHELL=sh", "consul", "lock", role, work[-1]]
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
    stays_s = CONSUL_S if isinstance(system, Consul) else STAYS_S
    patience_s = SILENT_S if death == "host silent" else stays_s
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


def system_of(name, build):
    if name == "consul":
        return Consul()
    return Etcd(10) if name == "etcd" else Doyen(build, name)


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
    for name in options.system or [name for name in SYSTEMS if name != "consul" or shutil.which(name)]:
        system = system_of(name, options.build)
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
