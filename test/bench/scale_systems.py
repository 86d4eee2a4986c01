"""The clusters that scripts/bench scale measures: doyend, and beside it serf and memberlist where they are
installed, all at their own defaults for a LAN."""

import contextlib
import json
import math
import random
import selectors
import socket
import subprocess
import tempfile
import time

from scale_network import Undertaker

LIMIT_S = 60
APART_S = 5
PORT = 7420


class Stream:
    """The events of one daemon, over its control socket."""

    def __init__(self, path):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)
        self.connection.sendall(b"GET /v1/events HTTP/1.1\r\nHost: d\r\n\r\n")
        self.connection.setblocking(False)
        self.came = b""  # the answer's head and its chunks
        self.rest = b""  # without them, from the last whole line on
        self.in_body = False

    def take_chunks(self):
        if not self.in_body:
            head, end, left = self.came.partition(b"\r\n\r\n")
            self.in_body = end != b""
            self.came = left if self.in_body else head
        while self.in_body:
            size, end, left = self.came.partition(b"\r\n")
            length = int(size, 16) if end else 0
            if not end or len(left) < length + 2:
                return
            self.rest += left[:length]
            self.came = left[length + 2:]

    def events(self):
        """The documents that came whole."""
        with contextlib.suppress(BlockingIOError):
            self.came += self.connection.recv(1 << 20)
        self.take_chunks()
        *lines, self.rest = self.rest.split(b"\n")
        return [json.loads(line[6:]) for line in lines if line.startswith(b"data: ")]


class Cluster:
    """Processes of one system, one on each host of `network`, which outlives them."""

    def __init__(self, network, count):
        self.network = network
        self.count = count
        self.folder = tempfile.TemporaryDirectory(prefix="doyen-scale-")
        self.logs = [open(f"{self.folder.name}/{i}.log", "w") for i in range(count)]
        self.began = time.monotonic()
        self.processes = []
        self.undertaker = Undertaker()

    def start(self, i, argv):
        self.processes.append(self.network.start(i, argv, self.logs[i]))

    def started(self):
        for pid in self.pids():
            self.undertaker.note(pid)

    def pids(self):
        return [process.pid for process in self.processes]

    def close(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
        self.undertaker.close()
        for log in self.logs:
            log.close()
        self.folder.cleanup()
        self.network.mend()


class Bare(Cluster):
    """Programs that send and read what members do at rest, and do nothing else (bare_beats.c)."""

    def __init__(self, network, count, program, plan, every_ms, options):
        super().__init__(network, count)
        for i in range(count):
            others = self.neighbours(i, plan)
            self.start(i, [program, *options, str(every_ms), "112", self.place(i),
                           *[self.place(other) for other in others]])
        self.started()

    def place(self, i):
        return f"{self.network.address(i)}:{PORT + 1}"

    def neighbours(self, i, plan):
        """So many, half of them on each side, and the coordinator's three."""
        if self.count <= plan + 1:
            return [other for other in range(self.count) if other != i]
        near = {(i + side * step) % self.count for side in (-1, 1) for step in range(1, (plan + 3) // 4 * 2 + 1)}
        near |= {1, 2, 3} if i == 0 else {0} if i <= 3 else set()
        return sorted(near - {i})


class Doyen(Cluster):
    """A cluster of doyend."""

    name = "doyen"

    def __init__(self, network, count, program, watchers=4, guard="none"):
        super().__init__(network, count)
        self.streams = {}
        key = f"{self.folder.name}/key"
        subprocess.run([program, "--make-key", key], check=True, capture_output=True)
        options = ["--watchers", str(watchers), "--key", key, "--guard", guard]
        if guard == "majority":
            options += ["--size", str(count)]
        self.began = time.monotonic()
        for i in range(count):
            self.start(i, [program, "--name", f"n{i}", "--listen", f"{network.address(i)}:{PORT}", "--seed",
                           f"{network.address(0)}:{PORT}", "--control", self.control(i), *options])
        self.started()

    def control(self, i):
        return f"{self.folder.name}/{i}.sock"

    def ask(self, i, method, path, body=""):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(LIMIT_S)
            connection.connect(self.control(i))
            connection.sendall((f"{method} {path} HTTP/1.1\r\nHost: d\r\nConnection: close\r\n"
                                f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        head, text = answer.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 20"):
            raise RuntimeError(f"{method} {path}: {answer[:300]!r}")
        return text

    def agree(self, numbers, began):
        """Until each daemon has that many members in its view; in ms."""
        for i, number in enumerate(numbers):
            while True:
                with contextlib.suppress(OSError, ValueError):
                    if len(json.loads(self.ask(i, "GET", "/v1/members"))["members"]) == number:
                        break
                if time.monotonic() > began + LIMIT_S:
                    raise RuntimeError(f"{self.count} daemons did not agree within {LIMIT_S} s")
                time.sleep(0.002)
        return (time.monotonic() - began) * 1e3

    def form(self):
        """In ms, from the start of the first process."""
        return self.agree([self.count] * self.count, self.began)

    def coordinator(self):
        return int(json.loads(self.ask(0, "GET", "/v1/members"))["coordinator"][1:])

    def counted(self):
        """[(bytes, packets)] that each daemon says it sent, with headers of Ethernet, IP and UDP."""
        found = []
        for i in range(self.count):
            lines = self.ask(i, "GET", "/metrics").decode().splitlines()
            values = dict(line.split(" ", 1) for line in lines if line[:1] != "#" and " " in line)
            packets = int(float(values["doyen_datagrams_sent_total"]))
            found.append((int(float(values["doyen_sent_bytes_total"])) + 42 * packets, packets))
        return found

    def watch(self):
        self.selector = selectors.DefaultSelector()
        for i in range(self.count):
            self.streams[i] = Stream(self.control(i))
            self.selector.register(self.streams[i].connection, selectors.EVENT_READ, i)
        self.told(lambda event: event["kind"] == "snapshot", set())

    def told(self, wanted, without):
        """In ms, until every daemon but those has told an event that is wanted."""
        began = time.monotonic()
        left = set(range(self.count)) - without
        while left:
            for key, _ in self.selector.select(0.2):
                if any(wanted(event) for event in self.streams[key.data].events()):
                    left.discard(key.data)
            if time.monotonic() > began + LIMIT_S:
                raise RuntimeError(f"{len(left)} daemons were not told within {LIMIT_S} s")
        return (time.monotonic() - began) * 1e3

    def change(self, number):
        tags = json.dumps({"set": {"bench": str(number)}})
        self.ask(1, "POST", "/v1/tags", tags)
        return self.told(lambda event: event["kind"] == "tags", set())

    def heal(self, apart):
        """In ms, from when those can be reached again."""
        everybody = [self.count] * self.count
        self.network.arrange(apart)
        time.sleep(1)
        self.agree(everybody, time.monotonic())
        self.network.split()
        self.agree([len(apart) if i in apart else self.count - len(apart) for i in range(self.count)],
                   time.monotonic())
        time.sleep(APART_S + random.random())
        self.network.join()
        return self.told(lambda event: event["kind"] == "view" and event["member_count"] == self.count, set())

    def gone(self, i, without):
        self.selector.unregister(self.streams[i].connection)
        return self.told(lambda event: event["kind"] == "gone" and event["name"] == f"n{i}",
                         without | {i})

    def kill(self, i, without):
        self.processes[i].kill()
        return self.gone(i, without)

    def lose(self, i, without):
        self.network.cut(i)
        return self.gone(i, without)

    def close(self):
        for stream in self.streams.values():
            stream.connection.close()
        super().close()


class Peer(Cluster):
    """Another system. It is asked by turns, so that short times are coarse."""

    def agree(self, number, without):
        began = time.monotonic()
        for i in set(range(self.count)) - without:
            while self.alive(i) != number:
                if time.monotonic() > began + LIMIT_S:
                    raise RuntimeError(f"{self.name} did not agree within {LIMIT_S} s")
                time.sleep(0.01)
        return (time.monotonic() - began) * 1e3

    def form(self):
        self.agree(self.count, set())
        return (time.monotonic() - self.began) * 1e3

    def coordinator(self):
        return 0

    def counted(self):
        return None

    def watch(self):
        pass

    def change(self, number):
        return math.nan

    def kill(self, i, without):
        self.processes[i].kill()
        return self.agree(self.count - len(without) - 1, without | {i})

    def lose(self, i, without):
        self.network.cut(i)
        return self.agree(self.count - len(without) - 1, without | {i})


class Serf(Peer):
    """serf agents."""

    name = "serf"
    program = "serf"

    def __init__(self, network, count, program):
        super().__init__(network, count)
        self.path = program
        for i in range(count):
            argv = [program, "agent", f"-node=n{i}", f"-bind={network.address(i)}:7946",
                    "-rpc-addr=127.0.0.1:7373", "-log-level=err"]
            if i > 0:
                argv += [f"-retry-join={network.address(0)}", "-retry-interval=1s"]
            self.start(i, argv)
        self.started()

    def alive(self, i):
        with self.network.at(i):
            done = subprocess.run([self.path, "members", "-status=alive"], capture_output=True,
                                  text=True)
        return len(done.stdout.splitlines()) if done.returncode == 0 else 0


class Memberlist(Peer):
    """The library that serf stands on, in the smallest program (memberlist-agent.go)."""

    name = "memberlist"
    program = "memberlist-agent"

    def __init__(self, network, count, program):
        super().__init__(network, count)
        for i in range(count):
            argv = [program, f"-name=n{i}", f"-bind={network.address(i)}"]
            if i > 0:
                argv += [f"-seed={network.address(0)}"]
            self.start(i, argv)
        self.started()

    def alive(self, i):
        with self.network.at(i), contextlib.suppress(OSError, ValueError):
            with socket.create_connection(("127.0.0.1", 7000), timeout=5) as connection:
                return int(connection.makefile().readline())
        return 0
