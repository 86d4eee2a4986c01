#!/usr/bin/env python3
"""How long a role is without a holder: five real daemons at their default settings, on the loopback
interface, under each guard.

    test/bench/roles.py [--runs N] [--guard GUARD]... [BUILD]

prints a Markdown table: the median and the worst of N runs (20), in milliseconds, from the kill -9
to the line by which the next candidate hears that it holds the role; how many other candidates heard
anything then; and, when the coordinator is killed, how many holders lost their role within the time
of a lease. BUILD is the folder with doyend (build/release).
"""

import argparse
import json
import os
import select
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

NAMES = ["athens", "byzantium", "cyrene", "delphi", "ephesus"]
GUARDS = ["none", "2", "majority", "strict"]
LIMIT_S = 30


def free_ports(host, count):
    """Ports that nobody has: bound for datagrams and streams, and given back."""
    taken = []
    while len(taken) < count:
        stream = socket.socket()
        stream.bind((host, 0))
        taken.append(stream)
    ports = [stream.getsockname()[1] for stream in taken]
    for stream in taken:
        stream.close()
    return ports


def members_at(control):
    """The document of /v1/members."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(LIMIT_S)
        connection.connect(control)
        connection.sendall(b"GET /v1/members HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    return json.loads(answer.split(b"\r\n\r\n", 1)[1])


class Cluster:
    def __init__(self, build, guard):
        self.folder = tempfile.TemporaryDirectory(prefix="doyen-roles-")
        host = "127.0.0.1"
        self.addresses = [f"{host}:{port}" for port in free_ports(host, len(NAMES))]
        self.daemons = [self.start(build, guard, i) for i in range(len(NAMES))]
        self.await_members(range(len(NAMES)))

    def control(self, i):
        return f"{self.folder.name}/{NAMES[i]}.sock"

    def start(self, build, guard, i):
        command = [f"{build}/doyend", "--name", NAMES[i], "--listen", self.addresses[i],
                   "--control", self.control(i), "--guard", guard]
        if guard == "majority":
            command += ["--size", str(len(NAMES))]
        if guard == "strict":
            command += ["--voters", ",".join(NAMES), "--state-dir", f"{self.folder.name}/{NAMES[i]}"]
            command += [word for address in self.addresses for word in ("--seed", address)]
        else:
            command += ["--seed", self.addresses[0]]
        with open(f"{self.folder.name}/{NAMES[i]}.log", "wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def await_members(self, places):
        """Until these hold one view, of them alone; returns its coordinator's place."""
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            try:
                views = [members_at(self.control(i)) for i in places]
                if (all(len(view["members"]) == len(views) for view in views)
                        and len({json.dumps(view["view"]["version"]) for view in views}) == 1
                        and views[0]["coordinator"] is not None
                        and any(view["acting"] for view in views)):
                    return NAMES.index(views[0]["coordinator"])
            except (OSError, ValueError, IndexError):
                pass
            time.sleep(0.01)
        sys.exit("roles.py: the daemons do not agree within 30 s")

    def kill(self, i):
        self.daemons[i].kill()
        self.daemons[i].wait()

    def close(self):
        for daemon in self.daemons:
            daemon.kill()
            daemon.wait()
        self.folder.cleanup()


class Campaign:
    """One that stands for the role, over a connection of this process."""

    def __init__(self, control, role="job"):
        body = json.dumps({"role": role}).encode()
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(control)
        self.connection.sendall(b"POST /v1/campaign HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\n"
                                b"Upgrade: doyen-campaign\r\nContent-Type: application/json\r\n"
                                b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.text = b""

    def await_event(self, event):
        until = time.monotonic() + LIMIT_S
        while b'"event":"' + event + b'"' not in self.text:
            if not select.select([self.connection], [], [], until - time.monotonic())[0]:
                sys.exit(f"roles.py: no {event.decode()} within 30 s: {self.text!r}")
            self.text += self.connection.recv(65536)
        return time.monotonic()

    def hears(self, seconds=0.0):
        """What has come since."""
        self.text = b""
        while select.select([self.connection], [], [], seconds)[0]:
            some = self.connection.recv(65536)
            self.text += some
            if not some:
                break
        return self.text

    def close(self):
        self.connection.close()


def campaign_in_child(control):
    """The same in a process of its own, which ends with this one; returns its number when it holds
    the role, and what has to be closed when it is dead."""
    here, there = socket.socketpair()
    child = os.fork()
    if child == 0:
        here.close()
        campaign = Campaign(control)
        campaign.await_event(b"granted")
        there.send(b"h")
        there.recv(1)
        os._exit(0)
    there.close()
    here.recv(1)
    return child, here


def stand(cluster, places):
    campaigns = []
    for place in places:
        campaigns.append(Campaign(cluster.control(place)))
        campaigns[-1].await_event(b"candidate")
    return campaigns


def others_of(coordinator):
    return [i for i in range(len(NAMES)) if i != coordinator]


def kill_client(build, guard, runs):
    """All on one cluster; the holder and the next one are not on the coordinator's host."""
    cluster = Cluster(build, guard)
    coordinator = cluster.await_members(range(len(NAMES)))
    holder, *rest = others_of(coordinator)
    samples, told = [], 0
    for _ in range(runs):
        child, line = campaign_in_child(cluster.control(holder))
        campaigns = stand(cluster, rest + [coordinator])
        time.sleep(0.3)  # Nothing else is under way.
        began = time.monotonic()
        os.kill(child, signal.SIGKILL)
        samples.append((campaigns[0].await_event(b"granted") - began) * 1e3)
        os.waitpid(child, 0)
        line.close()
        told += sum(bool(campaign.hears(0.05)) for campaign in campaigns[1:])
        for campaign in reversed(campaigns):
            campaign.close()
    cluster.close()
    return samples, told


def kill_daemon(build, guard, runs):
    samples, told = [], 0
    for _ in range(runs):
        cluster = Cluster(build, guard)
        coordinator = cluster.await_members(range(len(NAMES)))
        holder, *rest = others_of(coordinator)
        campaigns = stand(cluster, [holder] + rest + [coordinator])
        campaigns[0].await_event(b"granted")
        for campaign in campaigns[2:]:
            campaign.hears()
        time.sleep(0.3)
        began = time.monotonic()
        cluster.daemons[holder].send_signal(signal.SIGKILL)
        samples.append((campaigns[1].await_event(b"granted") - began) * 1e3)
        told += sum(bool(campaign.hears(0.05)) for campaign in campaigns[2:])
        cluster.close()
    return samples, told


def kill_coordinator(build, guard, runs):
    """How many of the holders heard of a loss, or others of a grant, within the time of a lease."""
    changes = 0
    for _ in range(runs):
        cluster = Cluster(build, guard)
        coordinator = cluster.await_members(range(len(NAMES)))
        places = others_of(coordinator)
        campaigns = stand(cluster, places)
        head = campaigns[0].await_event(b"granted") and campaigns[0].text
        span_ms = json.loads(head.split(b"\r\n\r\n", 1)[1].splitlines()[0])["span_ms"]
        for campaign in campaigns:
            campaign.hears()
        cluster.kill(coordinator)
        cluster.await_members(places)
        time.sleep(span_ms / 1000 + 0.2)
        changes += sum(bool(campaign.hears()) for campaign in campaigns)
        cluster.close()
    return changes


def row(what, guard, samples, told):
    print(f"| {what} | {guard} | {statistics.median(samples):.1f} ms | {max(samples):.1f} ms "
          f"| {told} | {len(samples)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--guard", action="append", choices=GUARDS)
    parser.add_argument("build", nargs="?", default="build/release")
    options = parser.parse_args()

    print("| until the next one holds the role | guard | median | worst | others told | runs |")
    print("|---|---|---|---|---|---|", flush=True)
    for guard in options.guard or GUARDS:
        row("kill -9 of the holder's client", guard,
            *kill_client(options.build, guard, options.runs))
        row("kill -9 of the holder's daemon", guard,
            *kill_daemon(options.build, guard, options.runs))
        runs = max(1, options.runs // 10)
        changes = kill_coordinator(options.build, guard, runs)
        print(f"| kill -9 of the coordinator: holders that changed or lapsed | {guard} "
              f"| {changes} | | | {runs} |", flush=True)


if __name__ == "__main__":
    main()
