#!/usr/bin/env python3
"""How long clients of a floating address get no answer, and for how long two hosts hold it, by what goes
wrong: examples/floating-address.py under `doyen run` beside keepalived, three hosts each, every one in a
network namespace of its own.

    test/bench/floating.py [--runs N] [--jobs N] [--system SYSTEM]... [--fault FAULT]... [--json FILE] [BUILD]
    test/bench/floating.py --check SYSTEM FAULT BUILD

needs root or user namespaces, ip, and keepalived, which is left out where there is none. The first prints Markdown tables:
of N runs (10) in turn the median and the worst, in seconds, and how many times longer keepalived takes.
The second is a test: it fails unless all clients get answers from one host again, and, under the guard
strict, unless no two hosts held the address at any instant.

A system is a guard and a profile of doyend, such as `strict-lan`, or `keepalived-1` and `keepalived-0.1`
by the time between its adverts; three hosts with priorities, nothing else set. The first host holds the
address and stands on one bridge with a client, the two others on another bridge with a second client. Each
client asks every 5 ms, by IPv4 and, where Doyen holds it, by IPv6. Who holds it is taken from the kernels,
whose messages come in one queue. Faults, of what is on the first host:

    daemon   kill -9 of doyend, and of all processes of keepalived; the host itself is well
    job      kill -9 of the script, and of keepalived's process for VRRP
    all      kill -9 of doyend, doyen run, its watchdog and all of the job at one blow
    again    the same, and all is started again at once, while the host has the address (--check alone)
    busy     as stop, while interfaces come and go, so that changes of addresses wait for each other (--check alone)
    link     the host is cut off, silently, for 10 s
    stop     doyend, or all of keepalived, is stopped for 10 s (SIGSTOP)
    move     doyen transfer; keepalived is told to end (SIGTERM)
    split    the bridges are apart for 10 s

Each run has daemons and namespaces of its own, and `--jobs` says how many run at a time (1). BUILD is the
folder with doyend (build/release).
"""

import argparse
import ctypes
import json
import os
import random
import selectors
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from roles import members_at

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "..", "examples", "floating-address.py")
HOSTS = [1, 2, 3]
NAMES = {1: "athens", 2: "byzantium", 3: "cyrene"}
CLIENTS = {8: "left", 9: "right"}  # their last bytes of the address, and names
FLOATING = {4: "10.77.0.100", 6: "fd77::100"}
PORT = 7777
EVERY_S = 0.005
HEARD_S = 0.1  # a client that got its last answer so long ago hears the address
CALM_S = 0.7  # so long all is as it should be
LIMIT_S = 90
OUT_S = 10  # how long something is stopped, cut off or apart
WATCH_S = 6
GUARDS = ["none", "majority", "strict"]
PROFILES = ["lan", "local"]
ADVERTS = ["1", "0.1"]
SYSTEMS = [f"{g}-{p}" for p in PROFILES for g in GUARDS] + [f"keepalived-{a}" for a in ADVERTS]
FAULTS = ["daemon", "job", "all", "link", "stop", "move", "split"]  # and again and busy, for --check
WORDS = {"daemon": "kill -9 of the daemon", "job": "kill -9 of the script", "all": "kill -9 of all",
         "link": "host cut off", "stop": "daemon stopped", "move": "planned move", "split": "split"}
FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
NEW_ADDRESS, DELETE_ADDRESS = 20, 21
SOL_NETLINK, LISTEN_ALL_NSID = 270, 8

now = time.monotonic


def say(*words):
    print(*words, flush=True)


# --- Hosts and clients, each in a network namespace -------------------------------------------


def ip(*lines):
    subprocess.run(["ip", "-batch", "-"], input="\n".join(lines) + "\n", text=True, check=True)


def name_of(place):
    return NAMES.get(place) or CLIENTS[place]


def side_of(place):
    return "hub-left" if place in (1, 8) else "hub-right"


def make_hosts():
    """Two bridges in this process's own network namespace, one link between them, and all places at them."""
    os.makedirs("/run/netns", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/netns"], check=True)
    ip("link set lo up", *(f"netns add {name_of(place)}" for place in HOSTS + list(CLIENTS)),
       "link add hub-left type bridge mcast_snooping 0", "link add hub-right type bridge mcast_snooping 0",
       "link add trunk type veth peer name knurt", "link set trunk master hub-left up",
       "link set knurt master hub-right up", "link set hub-left up", "link set hub-right up")
    for place in HOSTS + list(CLIENTS):
        name = name_of(place)
        ip(f"netns set {name} {place}",
           f"link add port{place} type veth peer name eth0 netns {name}",
           f"link set port{place} master {side_of(place)} up")
        subprocess.run(["ip", "-n", name, "-batch", "-"], check=True, text=True, input=f"""
            link set lo up
            link set eth0 up
            address add 10.77.0.{place}/24 brd + dev eth0
            address add fd77::{place}/64 dev eth0 nodad
            route add 224.0.0.0/4 dev eth0
            """)


def cut_off(place):
    ip(f"link set port{place} nomaster")


def let_in(place):
    ip(f"link set port{place} master {side_of(place)}")


def enter(namespace):
    if ctypes.CDLL(None, use_errno=True).setns(namespace, 0) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def socket_in(place, family):
    """A datagram socket of that namespace."""
    with open("/proc/self/ns/net", encoding="ascii") as home:
        with open(f"/run/netns/{name_of(place)}", encoding="ascii") as there:
            enter(there.fileno())
        made = socket.socket(FAMILIES[family], socket.SOCK_DGRAM)
        enter(home.fileno())
    made.setblocking(False)
    return made


def go_first():
    """What is measured is not how late this is, on a machine that has other work."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(5))
    except OSError:
        pass


def start_servers():
    """One process answers for all hosts, with the host's number."""
    selector = selectors.DefaultSelector()
    for place in HOSTS:
        for family, any_address in ((4, "0.0.0.0"), (6, "::")):
            server = socket_in(place, family)
            if family == 6:
                server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            server.bind((any_address, PORT))
            selector.register(server, selectors.EVENT_READ, place)
    if os.fork() != 0:
        return
    go_first()
    while True:
        for key, _ in selector.select():
            try:
                words, who = key.fileobj.recvfrom(64)
                key.fileobj.sendto(words + bytes([key.data]), who)
            except OSError:
                pass


class Observer:
    """Asks for each client, and hears of each host that gets or loses the address."""

    def __init__(self, families):
        self.families = families
        self.asks = {(client, family): socket_in(client, family) for client in CLIENTS for family in families}
        self.answers = {ask: [] for ask in self.asks}  # (when, by which host)
        self.changes = []  # (when, family, host, has it), in the order of the kernel
        self.holds = {family: set() for family in families}
        self.kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
        self.kernel.setsockopt(SOL_NETLINK, LISTEN_ALL_NSID, 1)
        self.kernel.bind((0, 0x10 | 0x100))
        self.kernel.setblocking(False)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        go_first()
        selector = selectors.DefaultSelector()
        selector.register(self.kernel, selectors.EVENT_READ, None)
        for ask, asking in self.asks.items():
            selector.register(asking, selectors.EVENT_READ, ask)
        due = now()
        while True:
            if now() >= due:
                self.ask_all()
                due = max(due + EVERY_S, now())
            for key, _ in selector.select(max(0, due - now())):
                try:
                    if key.data is None:
                        self.hear_kernel()
                    else:
                        host = key.fileobj.recv(64)[-1]
                        self.answers[key.data].append((now(), host))
                except OSError:
                    pass

    def ask_all(self):
        for (_, family), asking in self.asks.items():
            try:
                asking.sendto(b"who", (FLOATING[family], PORT))
            except OSError:
                pass

    def hear_kernel(self):
        text, extra, _, _ = self.kernel.recvmsg(65536, 256)
        host = next((struct.unpack("=i", data)[0] for _, kind, data in extra if kind == LISTEN_ALL_NSID), 0)
        at = 0
        while at + 16 <= len(text):
            length, kind = struct.unpack_from("=IH", text, at)
            for family in self.families:
                floating = socket.inet_pton(FAMILIES[family], FLOATING[family])
                has = kind == NEW_ADDRESS
                if floating in text[at + 24:at + length] and has != (host in self.holds[family]):
                    (self.holds[family].add if has else self.holds[family].discard)(host)
                    self.changes.append((now(), family, host, has))
            at += (length + 3) & ~3

    def holder(self):
        """The only one; None: nobody, or several."""
        everybody = set().union(*self.holds.values())
        return next(iter(everybody)) if all(self.holds.values()) and len(everybody) == 1 else None

    def is_calm(self):
        holder, since = self.holder(), now() - HEARD_S
        return holder is not None and all(
            answers and answers[-1] >= (since, holder) and answers[-1][1] == holder
            for answers in self.answers.values())

    def await_calm(self, what):
        until, began = now() + LIMIT_S, None
        while now() < until:
            began = (began or now()) if self.is_calm() else None
            if began and now() - began > CALM_S:
                return began
            time.sleep(0.005)
        sys.exit(f"floating.py: {what}: not every client hears one host within {LIMIT_S} s; "
                 f"it is on {self.holds}, and they heard {[a[-1:] for a in self.answers.values()]}, now {now()}")

    def await_other(self, fault, struck):
        """Until the client on the right hears another host, or, where the job was killed, one that had
        lost the address since."""
        until = now() + LIMIT_S
        while now() < until:
            lost = {(family, host) for when, family, host, has in self.changes if when > struck and not has}
            heard = [(answers or [(0, 1)])[-1] for (client, _), answers in self.answers.items() if client == 9]
            if all(when > now() - HEARD_S and (host != 1 or fault == "job" and len(lost) == len(self.families))
                   for when, host in heard):
                return
            time.sleep(0.005)
        sys.exit(f"floating.py: no other host is heard within {LIMIT_S} s: {self.holds}, {heard}, now {now()}")

    def silences(self, since, until):
        """The longest time without an answer that each client had, from its last one before `since`, or
        from then on if it had none for long; by the client's name and the family."""
        longest = {}
        for (client, family), answers in self.answers.items():
            before = max([when for when, _ in answers if since - HEARD_S <= when <= since], default=since)
            times = [before] + [when for when, _ in answers if since < when <= until] + [until]
            longest[f"{CLIENTS[client]} {family}"] = max(b - a for a, b in zip(times, times[1:]))
        return longest

    def at_once(self, count, since, until):
        """For how long, and how often, `count` hosts (2) or more, or nobody (0), held an address; by the worst family."""
        longest, most = 0, 0
        for family in self.families:
            holders, began, total, times = set(), None, 0, 0
            for when, its_family, host, has in self.changes + [(until, family, None, False)]:
                if its_family != family or when > until:
                    continue
                (holders.add if has else holders.discard)(host)
                if began is not None:
                    total += max(0, when - max(began, since))
                    began = None
                if host is not None and (len(holders) >= count if count else not holders):
                    began = when
                    times += 1
            longest, most = max(longest, total), max(most, times)
        return longest, most


# --- Systems ----------------------------------------------------------------------------------


def children_of(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return found


def descendants_of(pid):
    found = []
    for child in children_of(pid):
        found += [child] + descendants_of(child)
    return found


def kill(pids, number=signal.SIGKILL):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class System:
    def __init__(self, folder):
        self.folder = folder

    def spawn(self, place, *command):
        with open(f"{self.folder}/{name_of(place)}.log", "ab") as log:
            # ip netns exec becomes the command.
            return subprocess.Popen(["ip", "netns", "exec", name_of(place), *command],
                                    stdin=subprocess.DEVNULL, stdout=log, stderr=log)


class Doyen(System):
    families = [4, 6]

    def __init__(self, folder, build, kind):
        super().__init__(folder)
        self.build = build
        self.guard, self.profile = kind.split("-")
        self.daemons = {}
        self.first = ["chrt", "-f", "1"]
        if subprocess.run([*self.first, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.first = []
        for place in HOSTS:
            self.start(place)
            if place == 1 and self.guard != "strict":
                self.doyen(1, "wait", "--members", "1", "--timeout", f"{LIMIT_S}s")
        self.await_members()
        while members_at(self.control(1))["coordinator"] != NAMES[1]:  # as where voters found together
            subprocess.run([f"{build}/doyen", "-c", self.control(1), "transfer", NAMES[1]], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.runs = {place: self.run(place) for place in HOSTS}

    def control(self, place):
        return f"{self.folder}/{NAMES[place]}.sock"

    def start(self, place):
        words = {"none": [], "majority": ["--size", "3"], "strict": ["--voters", ",".join(NAMES.values())]}
        self.daemons[place] = self.spawn(
            place, f"{self.build}/doyend", "--name", NAMES[place], "--insecure", "--control", self.control(place),
            "--state-dir", f"{self.folder}/{NAMES[place]}", "--profile", self.profile, "--guard", self.guard,
            *words[self.guard],
            *(word for other in HOSTS for word in ("--seed", f"10.77.0.{other}")))

    def doyen(self, place, *words):
        subprocess.run([f"{self.build}/doyen", "-c", self.control(place), *words], check=True,
                       stdout=subprocess.DEVNULL)

    def await_members(self):
        for place in HOSTS:
            self.doyen(place, "wait", "--members", "3", "--timeout", f"{LIMIT_S}s")

    def run(self, place):
        return self.spawn(place, *self.first, f"{self.build}/doyen", "-c", self.control(place), "run", "--",
                          EXAMPLE, "eth0", *FLOATING.values())

    def script(self):
        watchdog = children_of(self.runs[1].pid)[0]
        return children_of(watchdog)[0]

    def kill_daemon(self):
        kill([self.daemons[1].pid])

    def kill_job(self):
        kill([self.script()])

    def kill_all(self):
        everything = [self.daemons[1].pid, self.runs[1].pid, *descendants_of(self.runs[1].pid)]
        kill([self.script()], signal.SIGSTOP)  # Neither it nor the keeper is to find the other one dead.
        kill(everything[::-1])

    def stop(self, goes_on):
        kill([self.daemons[1].pid], signal.SIGCONT if goes_on else signal.SIGSTOP)

    def move(self):
        self.doyen(1, "transfer")

    def again(self, fault):
        """What was killed starts again; the daemon also while its host has the address."""
        if fault in ("daemon", "all", "again"):
            self.daemons[1].wait()
            self.start(1)
        if fault in ("all", "again"):
            self.runs[1] = self.run(1)
        self.await_members()


class Keepalived(System):
    families = [4]

    def __init__(self, folder, kind):
        super().__init__(folder)
        self.advert = kind.split("-")[1]
        self.daemons = {}
        for place in HOSTS:
            self.start(place)

    def start(self, place):
        base = f"{self.folder}/{NAMES[place]}"
        for kind in ("pid", "vrrp"):  # of one that was killed
            if os.path.exists(f"{base}.{kind}"):
                os.remove(f"{base}.{kind}")
        with open(f"{base}.conf", "w", encoding="ascii") as file:
            file.write(f"""
                global_defs {{
                    router_id {NAMES[place]}
                    vrrp_version 3
                }}
                vrrp_instance V {{
                    state {"MASTER" if place == 1 else "BACKUP"}
                    interface eth0
                    virtual_router_id 51
                    priority {200 - 50 * place}
                    advert_int {self.advert}
                    virtual_ipaddress {{
                        {FLOATING[4]}/32 dev eth0
                    }}
                }}
                """)
        self.daemons[place] = self.spawn(place, "keepalived", "-n", "-l", "-P", "-f", f"{base}.conf",
                                         "-p", f"{base}.pid", "-r", f"{base}.vrrp")

    def processes(self):
        return [self.daemons[1].pid, *descendants_of(self.daemons[1].pid)]

    def kill_daemon(self):
        kill(self.processes()[:1], signal.SIGSTOP)  # so that it starts no child anew
        kill(self.processes())

    kill_all = kill_daemon

    def kill_job(self):
        kill(self.processes()[1:2])

    def stop(self, goes_on):
        kill(self.processes(), signal.SIGCONT if goes_on else signal.SIGSTOP)

    def move(self):
        self.daemons[1].terminate()

    def again(self, fault):
        if fault in ("daemon", "all", "move"):
            self.daemons[1].wait()
            self.start(1)


# --- One run ----------------------------------------------------------------------------------


def keep_kernel_busy():
    """All hosts have one kernel here, which changes one thing of its network at a time."""
    script = "while :; do ip link add $0 type veth peer name $0p; ip link set $0 up; ip link del $0; done"
    return [subprocess.Popen(["sh", "-c", script, f"busy{i}"]) for i in range(4)]


def strike(system, fault):
    if fault in ("daemon", "job", "all"):
        getattr(system, f"kill_{fault}")()
    elif fault == "again":
        system.kill_all()
    elif fault == "link":
        cut_off(1)
    elif fault in ("stop", "busy"):
        system.stop(goes_on=False)
    elif fault == "move":
        system.move()
    else:
        ip("link set trunk nomaster")


def undo(system, fault):
    if fault == "link":
        let_in(1)
    elif fault in ("stop", "busy"):
        system.stop(goes_on=True)
    elif fault == "split":
        ip("link set trunk master hub-left")


def run_once(system_name, fault, build, waits=""):
    """With `waits` no longer than until another host is heard, which is all that a test waits for."""
    folder = tempfile.mkdtemp(prefix="doyen-floating-")
    make_hosts()
    start_servers()
    doyen = not system_name.startswith("keepalived")
    system = Doyen(folder, build, system_name) if doyen else Keepalived(folder, system_name)
    observer = Observer(system.families)
    observer.await_calm("at the beginning")
    time.sleep(random.random())
    if observer.holder() != 1:
        sys.exit("floating.py: the first host does not hold the address")

    busy = keep_kernel_busy() if fault == "busy" else []
    struck = now()
    strike(system, fault)
    if waits and fault != "again":
        observer.await_other(fault, struck)
    elif fault != "again":
        time.sleep(OUT_S if fault in ("link", "stop", "split") else WATCH_S)
    undone = now()
    two_s, _ = observer.at_once(2, struck, undone)
    two_last = max(len(hosts) for hosts in observer.holds.values()) > 1
    undo(system, fault)
    for process in busy:
        process.kill()
    system.again(fault)
    calm = observer.await_calm(f"{system_name}, {fault}")
    ended = now()
    every_two_s, times = observer.at_once(2, struck, ended)
    result = {"system": system_name, "fault": fault, "two_s": two_s, "two_last": two_last,
              "two_then_s": every_two_s - two_s, "twice": times,
              "nobody_s": observer.at_once(0, struck, ended)[0], "calm_after_s": calm - undone,
              "silence_s": observer.silences(struck, undone), "silence_then_s": observer.silences(undone, ended),
              "changes": [(round(when - struck, 4), *rest) for when, *rest in observer.changes]}
    shutil.rmtree(folder, ignore_errors=True)  # where daemons still write
    return result


def worker(words):
    """`--one SYSTEM FAULT BUILD` in namespaces of its own, which nothing outlives."""
    options = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid() != 0:
        options += ["--user", "--map-root-user"]
    return ["unshare", *options, sys.executable, "-B", __file__, "--one", *words]


def check(result):
    if result["system"].startswith("strict") and result["fault"] not in ("all", "again") and result["twice"]:
        sys.exit(f"floating.py: two hosts held the address: {result['changes']}")
    say(f"{result['system']}, {result['fault']}: all clients hear one host again")


# --- Tables -----------------------------------------------------------------------------------


def measure(systems, faults, options):
    tasks = [[system, fault] for _ in range(options.runs) for fault in faults for system in systems
             if fault != "all" or not system.startswith("keepalived")]  # It has no more than under "daemon".
    results = []

    def one(task):
        done = subprocess.run(worker([*task, options.build]), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"floating.py: left out: {task}: {done.stderr[-400:]}", file=sys.stderr, flush=True)
            return
        results.append(json.loads(done.stdout))
        if options.json:
            with open(options.json, "a", encoding="ascii") as file:
                file.write(done.stdout)

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, tasks))
    return results


def figure(results, what):
    """Median and worst."""
    values = [what(result) for result in results]
    if values and max(values) == 0:
        return "0"
    return f"{statistics.median(values):.2f} ({max(values):.2f})" if values else "–"


def ratio(samples, what):
    """How many times longer the fastest keepalived takes than the fastest of the others."""
    medians = {name: statistics.median(map(what, some)) for name, some in samples.items() if some}
    theirs = [value for name, value in medians.items() if name.startswith("keepalived")]
    ours = [value for name, value in medians.items() if not name.startswith("keepalived")]
    return f"{min(theirs) / min(ours):.1f}" if theirs and ours and min(ours) > 0.0005 else "–"


def silence(result):
    """Of the worst client, but for the one that a split leaves alone with the first host."""
    return max(silence_s for client, silence_s in result["silence_s"].items()
               if result["fault"] != "split" or client.startswith("right"))


TABLES = [
    ("a client without an answer", FAULTS, silence),
    ("the same when it is over", ["link", "stop", "split"], lambda r: max(r["silence_then_s"].values())),
    ("two hosts hold it", FAULTS, lambda r: r["two_s"]),
    ("the same when it is over", ["link", "stop", "split"], lambda r: r["two_then_s"]),
]


def show(results, systems, faults):
    for title, rows, what in TABLES:
        say(f"\n| {title} | {' | '.join(name.replace('-', ', ') for name in systems)} | times |")
        say("|" + "---|" * (len(systems) + 2))
        for fault in [fault for fault in rows if fault in faults]:
            samples = {s: [r for r in results if (r["system"], r["fault"]) == (s, fault)] for s in systems}
            cells = [figure(samples[system], what) for system in systems]
            say(f"| {WORDS[fault]} | {' | '.join(cells)} | {ratio(samples, what)} |")
    counts = [sum((r["system"], r["fault"]) == (s, f) for r in results) for s in systems for f in faults]
    say(f"\n{min(count for count in counts if count)} to {max(counts)} runs of each.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--system", action="append", choices=SYSTEMS)
    parser.add_argument("--fault", action="append", choices=FAULTS)
    parser.add_argument("--json", metavar="FILE", help="to which each run is appended as a line")
    parser.add_argument("--from", dest="old", metavar="FILE", help="show these lines; run nothing")
    parser.add_argument("build", nargs="?", default="build/release")
    options = parser.parse_args()

    systems = options.system or [s for s in SYSTEMS if shutil.which("keepalived") or not s.startswith("keep")]
    faults = options.fault or FAULTS
    if options.old:
        with open(options.old, encoding="ascii") as file:
            results = [json.loads(line) for line in file]
    else:
        results = measure(systems, faults, options)
    show(results, systems, faults)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if sys.argv[1:2] == ["--one"]:
        say(json.dumps(run_once(*sys.argv[2:])))
    elif sys.argv[1:2] == ["--check"] and len(sys.argv) == 5:
        done = subprocess.run(worker([*sys.argv[2:], "waits"]), stdout=subprocess.PIPE, check=False)
        if done.returncode != 0:
            sys.exit(f"floating.py: {' '.join(sys.argv[2:4])}: status {done.returncode}")
        check(json.loads(done.stdout))
    else:
        main()
