#!/usr/bin/env python3
"""How long partitions are on their way: ten real daemons at their default settings, on the loopback
interface, share 1000 partitions; an eleventh joins, and then one of them, and the coordinator, are
killed.

    test/bench/owners.py [--runs N] [--guard GUARD] [BUILD]

prints a Markdown table: the median and the worst of N runs (20), in milliseconds by the daemons' logs,
from the moment in which the first member has the table of the changed view to that in which the last
one owns what the table gives it; how many copies moved, and the least that can. BUILD is the folder
with doyend (build/release).
"""

import argparse
import datetime
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time

COUNT = 10
PARTITIONS = 1000
LIMIT_S = 60


def free_ports(host, count):
    """Ports that nobody has: bound for streams, and given back."""
    taken = [socket.socket() for _ in range(count)]
    for stream in taken:
        stream.bind((host, 0))
    ports = [stream.getsockname()[1] for stream in taken]
    for stream in taken:
        stream.close()
    return ports


class Cluster:
    def __init__(self, build, guard):
        self.build, self.guard = build, guard
        self.folder = tempfile.TemporaryDirectory(prefix="doyen-owners-")
        host = "127.0.0.1"
        self.addresses = [f"{host}:{port}" for port in free_ports(host, COUNT + 1)]
        self.daemons = {}
        for i in range(COUNT):
            self.start(i)
        self.await_owners()

    def name(self, i):
        return f"node{i}"

    def start(self, i):
        name = self.name(i)
        command = [f"{self.build}/doyend", "--name", name, "--listen", self.addresses[i],
                   "--control", f"{self.folder.name}/{name}.sock", "--guard", self.guard,
                   "--partitions", str(PARTITIONS), "--log-format", "json"]
        voters = range(3) if self.guard == "strict" else range(1)
        command += [word for k in voters for word in ("--seed", self.addresses[k])]
        if self.guard == "strict":
            command += ["--voters", ",".join(self.name(k) for k in voters),
                        "--state-dir", f"{self.folder.name}/{name}"]
        with open(f"{self.folder.name}/{name}.log", "wb") as log:
            self.daemons[i] = subprocess.Popen(command, stdout=log, stderr=log)

    def document(self, i):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(LIMIT_S)
            connection.connect(f"{self.folder.name}/{self.name(i)}.sock")
            connection.sendall(
                b"GET /v1/partitions HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n")
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        return json.loads(answer.split(b"\r\n\r\n", 1)[1])

    def await_owners(self):
        """Until each owns what one table gives it; returns what the last change moved, and the
        least."""
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            time.sleep(0.05)
            try:
                documents = [self.document(i) for i in self.daemons]
            except (OSError, ValueError, IndexError):
                continue
            held = [sum(len(batch["partitions"]) for batch in document.get("held", []))
                    for document in documents]
            shares = [sum(member["owned"] for member in document.get("members", [])
                          if member["name"] == document["self"]) for document in documents]
            if (held == shares and sum(held) == PARTITIONS
                    and all(len(document["members"]) == len(documents) for document in documents)):
                return documents[0]["change"]["moved"], documents[0]["change"]["least"]
        sys.exit("owners.py: not all own their share within 60 s")

    def lines(self, i, event):
        """When that was logged, in milliseconds."""
        times = []
        with open(f"{self.folder.name}/{self.name(i)}.log", encoding="utf-8") as log:
            for line in log:
                record = json.loads(line) if line.startswith("{") else {}
                if record.get("event") == event:
                    at = datetime.datetime.fromisoformat(record["time"].replace("Z", "+00:00"))
                    times.append(at.timestamp() * 1000)
        return times

    def handed_over_ms(self):
        made = min(self.lines(i, "partitions")[-1] for i in self.daemons)
        return max(self.lines(i, "owners")[-1] for i in self.daemons) - made

    def kill(self, i):
        daemon = self.daemons.pop(i)
        daemon.kill()
        daemon.wait()

    def close(self):
        for i in list(self.daemons):
            self.kill(i)
        self.folder.cleanup()


def measure(build, guard, figures):
    cluster = Cluster(build, guard)
    try:
        for what, change in (("one joins", lambda: cluster.start(COUNT)),
                             ("one is killed", lambda: cluster.kill(COUNT // 2)),
                             ("the coordinator is killed", lambda: cluster.kill(0))):
            change()
            moved, least = cluster.await_owners()
            figures.setdefault(what, []).append((cluster.handed_over_ms(), moved, least))
    finally:
        cluster.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", nargs="?", default="build/release", metavar="BUILD")
    parser.add_argument("--runs", type=int, default=20, metavar="N")
    parser.add_argument("--guard", default="none", choices=["none", "strict"])
    options = parser.parse_args()
    figures = {}
    for _ in range(options.runs):
        measure(options.build, options.guard, figures)
    print(f"| guard {options.guard} | median ms | worst ms | copies moved | the least |")
    print("| --- | --- | --- | --- | --- |")
    for what, runs in figures.items():
        times = [run[0] for run in runs]
        moves = sorted({run[1] for run in runs})
        least = sorted({run[2] for run in runs})
        print(f"| {what} | {statistics.median(times):.0f} | {max(times):.0f} | "
              f"{moves[0]} to {moves[-1]} | {least[0]} to {least[-1]} |")


if __name__ == "__main__":
    main()
