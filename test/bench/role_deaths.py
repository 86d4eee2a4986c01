#!/usr/bin/env python3
"""How long until the next holder of a role is told, by what died: doyend beside etcd, five daemons each,
every one in a network namespace of its own.

    test/bench/role_deaths.py [--runs N] [--system SYSTEM]... [BUILD]     (root; ip, and etcd for etcd)

prints a Markdown table: the median and the worst of N runs (20), in milliseconds, from the death to the
moment at which the next candidate's process hears that it holds the role. What dies:

    client       kill -9 of the process that holds the role; its daemon lives
    daemon       kill -9 of the daemon beside it; etcd's clients turn to another one, and nothing changes
    coordinator  kill -9 of the coordinator (etcd's leader) and of the holder's process beside it
    host         the holder's host is cut off, without a word

Systems are the guards of doyend, `majority` and `strict`, at their default settings, and etcd with a lease
of 60 s, which its clients ask for where nobody says otherwise, and of 2 s, the shortest that it grants.
Its clients are those of its JSON gateway: an election of its own, as by concurrency.NewElection, and a
lease that is renewed each third of it. Several elections of etcd are measured at once (--batch).
BUILD is the folder with doyend (build/release).
"""

import argparse
import base64
import json
import os
import random
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from roles import NAMES, Campaign, members_at

LIMIT_S = 90
SETTLE_S = 0.3  # Nothing else is under way.
DEATHS = ["client", "daemon", "coordinator", "host"]
SYSTEMS = ["majority", "strict", "etcd 60 s", "etcd 2 s"]


def sh(*words):
    subprocess.run(words, check=True)


# --- Hosts ------------------------------------------------------------------------------------


def address(place):
    return f"10.77.0.{place + 1}"


def make_hosts():
    """A bridge in this process's own network namespace, and a namespace at it for each place."""
    sh("mkdir", "-p", "/run/netns")
    sh("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
    sh("ip", "link", "set", "lo", "up")
    sh("ip", "link", "add", "hub", "type", "bridge")
    sh("ip", "address", "add", "10.77.0.100/24", "dev", "hub")
    sh("ip", "link", "set", "hub", "up")
    for place, name in enumerate(NAMES):
        sh("ip", "netns", "add", name)
        sh("ip", "link", "add", f"port{place}", "type", "veth", "peer", "name", "eth0", "netns", name)
        sh("ip", "link", "set", f"port{place}", "master", "hub", "up")
        sh("ip", "-n", name, "link", "set", "lo", "up")
        sh("ip", "-n", name, "address", "add", f"{address(place)}/24", "dev", "eth0")
        sh("ip", "-n", name, "link", "set", "eth0", "up")


def on_host(place, *command, **how):
    return subprocess.Popen(["ip", "netns", "exec", NAMES[place], *command], **how)


def connect(place, connected):
    sh("ip", "link", "set", f"port{place}", "up" if connected else "down")


# --- Systems ----------------------------------------------------------------------------------


class System:
    """Five daemons; what they are is said by the two below."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="doyen-deaths-")
        self.daemons = [None] * len(NAMES)
        for place in range(len(NAMES)):
            self.start(place)

    def start(self, place):
        with open(f"{self.folder.name}/{NAMES[place]}.log", "ab") as log:
            self.daemons[place] = on_host(place, *self.command(place), stdout=log, stderr=log)

    def kill(self, place):
        self.daemons[place].kill()

    def settled(self):
        """The coordinator's place, once all agree about it."""
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            try:
                coordinators = {self.coordinator_of(place) for place in range(len(NAMES))}
                if len(coordinators) == 1 and None not in coordinators:
                    return coordinators.pop()
            except (OSError, ValueError, IndexError, KeyError):
                pass
            time.sleep(0.02)
        sys.exit(f"role_deaths.py: the daemons do not agree within {LIMIT_S} s")

    def close(self):
        for place in range(len(NAMES)):
            self.kill(place)
            self.daemons[place].wait()
        self.folder.cleanup()


class Doyen(System):
    renewal_s = 0.25

    def __init__(self, build, guard):
        self.build, self.guard = build, guard
        super().__init__()

    def control(self, place):
        return f"{self.folder.name}/{NAMES[place]}.sock"

    def command(self, place):
        words = [f"{self.build}/doyend", "--name", NAMES[place], "--listen", f"{address(place)}:7420",
                 "--insecure", "--control", self.control(place), "--guard", self.guard,
                 "--state-dir", f"{self.folder.name}/{NAMES[place]}"]
        words += ["--voters", ",".join(NAMES)] if self.guard == "strict" else ["--size", str(len(NAMES))]
        return words + [word for i in range(len(NAMES)) for word in ("--seed", f"{address(i)}:7420")]

    def coordinator_of(self, place):
        view = members_at(self.control(place))
        whole = len(view["members"]) == len(NAMES) and view["guard"]["met"]
        return NAMES.index(view["coordinator"]) if whole else None

    def client(self, place, role):
        return ["doyen", self.control(place), role]


class Etcd(System):
    def __init__(self, ttl_s):
        self.ttl_s = ttl_s
        self.renewal_s = ttl_s / 3
        super().__init__()

    def command(self, place):
        peers = ",".join(f"{name}=http://{address(i)}:2380" for i, name in enumerate(NAMES))
        peer, client = f"http://{address(place)}:2380", f"http://{address(place)}:2379"
        return ["etcd", "--name", NAMES[place], "--data-dir", f"{self.folder.name}/{NAMES[place]}",
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--listen-client-urls", client, "--advertise-client-urls", client,
                "--initial-cluster", peers, "--logger", "zap", "--log-level", "error"]

    def coordinator_of(self, place):
        status = post(f"http://{address(place)}:2379", "/v3/maintenance/status", {}, 2)
        members = [post(f"http://{address(i)}:2379", "/v3/maintenance/status", {}, 2)["header"]["member_id"]
                   for i in range(len(NAMES))]
        return members.index(status["leader"])

    def client(self, place, role):
        places = sorted(range(len(NAMES)), key=lambda i: i != place)
        return ["etcd", ",".join(f"http://{address(i)}:2379" for i in places), role, str(self.ttl_s)]


# --- Clients, each a process of its own -------------------------------------------------------


def say(*words):
    print(*words, flush=True)


def be_doyen_client(control, role):
    campaign = Campaign(control, role)
    campaign.await_event(b"candidate")
    say("waits")
    while b'"event":"granted"' not in campaign.text:
        campaign.text += campaign.connection.recv(65536)
    say("holds", time.monotonic())
    while campaign.connection.recv(65536):
        pass


def post(endpoint, path, body, timeout_s):
    request = urllib.request.Request(endpoint + path, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=timeout_s) as answer:
        return json.loads(answer.readline())


def ask_any(endpoints, path, body, timeout_s):
    while True:
        for endpoint in list(endpoints):
            try:
                return post(endpoint, path, body, timeout_s)
            except (OSError, ValueError):
                time.sleep(0.01)


def be_etcd_client(endpoints, role, ttl_s):
    endpoints = endpoints.split(",")
    lease = ask_any(endpoints, "/v3/lease/grant", {"TTL": ttl_s, "ID": 0}, 2)["ID"]

    def renew():
        while True:
            ask_any(endpoints, "/v3/lease/keepalive", {"ID": lease}, 2)
            time.sleep(int(ttl_s) / 3)

    threading.Thread(target=renew, daemon=True).start()
    threading.Timer(0.3, say, ["waits"]).start()
    name = base64.b64encode(role.encode()).decode()
    ask_any(endpoints, "/v3/election/campaign", {"name": name, "lease": lease, "value": name}, LIMIT_S)
    say("holds", time.monotonic())
    threading.Event().wait()


class Client:
    def __init__(self, system, place, role):
        self.process = on_host(place, sys.executable, __file__, "--client", *system.client(place, role),
                               stdout=subprocess.PIPE)
        self.text = b""

    def hears(self, word, seconds=LIMIT_S):
        """The words of the line that begins so; None: it does not come."""
        out = self.process.stdout.fileno()
        until = time.monotonic() + seconds
        while True:
            *lines, _ = self.text.decode().split("\n")
            for line in lines:
                if line.startswith(word):
                    return line.split()
            if not select.select([out], [], [], max(0, until - time.monotonic()))[0]:
                return None
            some = os.read(out, 4096)
            if not some:
                return None
            self.text += some

    def kill(self):
        self.process.kill()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


# --- Deaths -----------------------------------------------------------------------------------


def die(system, death, holder, clients):
    if death == "host":
        connect(holder, False)
    if death in ("daemon", "coordinator"):
        system.kill(holder)
    if death in ("client", "coordinator"):
        for client in clients:
            client.kill()
    return time.monotonic()


def measure_batch(system, death, batch):
    """So many roles at once, all held on one host; the times until others hold them, and how many
    stayed where they were."""
    coordinator = system.settled()
    others = [i for i in range(len(NAMES)) if i != coordinator]
    holder, follower = (coordinator, others[0]) if death == "coordinator" else others[:2]
    roles = [f"role-{random.getrandbits(48):012x}" for _ in range(batch)]
    holders = []
    for role in roles:
        holders.append(Client(system, holder, role))
        time.sleep(random.uniform(0, system.renewal_s / batch))
    for client in holders:
        client.hears("holds") or sys.exit("role_deaths.py: nobody holds a role")
    followers = [Client(system, follower, role) for role in roles]
    for client in followers:
        client.hears("waits") or sys.exit("role_deaths.py: nobody waits for a role")
    time.sleep(SETTLE_S + random.uniform(0, system.renewal_s))

    began = die(system, death, holder, holders)
    stays = isinstance(system, Etcd) and death == "daemon"
    patience_s = 1.5 * system.ttl_s if stays else LIMIT_S
    until = time.monotonic() + patience_s
    heard = [client.hears("holds", max(0, until - time.monotonic())) for client in followers]
    for client in holders + followers:
        client.close()
    connect(holder, True)
    return [(float(line[1]) - began) * 1e3 for line in heard if line], heard.count(None)


def measure(make, death, runs, batch):
    """Daemons that fail again and again are let in later, so that there are new ones for each death of
    one."""
    samples, stayed = [], 0
    system = None
    while len(samples) + stayed < runs:
        system = system or make()
        more, same = measure_batch(system, death, min(batch, runs - len(samples) - stayed))
        samples += more
        stayed += same
        if death != "client":
            system.close()
            system = None
    if system is not None:
        system.close()
    return samples, stayed


def system_of(name, build):
    return Etcd(int(name.split()[1])) if name.startswith("etcd") else Doyen(build, name)


def row(death, name, samples, stayed):
    times = f"{statistics.median(samples):.0f} ms | {max(samples):.0f} ms" if samples else "keeps it |"
    say(f"| {death} | {name} | {times} | {len(samples) + stayed} |")
    if samples and stayed:
        sys.exit(f"role_deaths.py: {stayed} roles stayed where they were")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--system", action="append", choices=SYSTEMS)
    parser.add_argument("--death", action="append", choices=DEATHS)
    parser.add_argument("build", nargs="?", default="build/release")
    options = parser.parse_args()

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # The first process of a namespace ignores it else.
    make_hosts()
    say("| what dies | system | median | worst | runs |\n|---|---|---|---|---|")
    for name in options.system or SYSTEMS:
        for death in options.death or DEATHS:
            batch = options.batch if name.startswith("etcd") else 1
            row(death, name, *measure(lambda: system_of(name, options.build), death, options.runs, batch))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--client"]:
        (be_etcd_client if sys.argv[2] == "etcd" else be_doyen_client)(*sys.argv[3:])
    elif "DOYEN_DEATHS" not in os.environ:  # Namespaces of its own, and nothing outlives it.
        os.environ["DOYEN_DEATHS"] = "1"
        options = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
        os.execvp("unshare", ["unshare", *options, sys.executable, *sys.argv])
    else:
        main()
