#!/usr/bin/env python3
"""How figures grow with the number of members: real daemons at their default settings, each in a network
namespace of its own, on one machine.

    scripts/bench [--json] scale [--svg FILE] [--members N,N...] [--runs N] [--simulated N,N...]

prints a Markdown table for the README, or with --json one object; --svg draws the curves as well. It
needs root and iproute2. For each N (5, 10, 30, 60, 100) it measures

    form      all daemons start at once, until all hold the view of N
    bytes     what a member sends at rest, headers of Ethernet, IP and UDP included; packets likewise
    cpu       processor time of a member at rest, as the scheduler counts it
    change    a tag of a member is set, until all others have been told
    kill      kill -9 of a member in the middle, until all others have been told
    lost      the cable of a member is pulled, until all others have been told

and, where --simulated says so, how long the simulator needs in virtual time to heal a split in two. Where
the program `serf` is installed, its figures at its own LAN defaults stand beside; it is never needed.
"""

import argparse
import contextlib
import ctypes
import json
import math
import os
import random
import selectors
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
LIMIT_S = 60
SETTLE_S = 2
IDLE_S = 5
PORT = 7420
FIGURES = [
    ("form", "ms", "starts at once, until all agree"),
    ("bytes", "B/s", "sent per member, at rest"),
    ("packets", "1/s", "sent per member, at rest"),
    ("cpu", "%", "of one processor per member, at rest"),
    ("change", "ms", "a tag is set, until all know"),
    ("kill", "ms", "kill -9 of a member, until all know"),
    ("lost", "ms", "a host is cut off, until all know"),
]
libc = ctypes.CDLL(None, use_errno=True)


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


def enter(descriptor):
    if libc.setns(descriptor, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def ip_batch(lines, tool="ip"):
    subprocess.run([tool, "-batch", "-"], input="\n".join(lines) + "\n", text=True, check=True,
                   capture_output=True)


class Network:
    """A namespace for each of `count` hosts, on one bridge in another."""

    def __init__(self, count):
        self.tag = f"doyen-{os.getpid()}"
        self.names = [f"{self.tag}-{i}" for i in range(count)]
        self.hub = f"{self.tag}-hub"
        self.home = os.open("/proc/self/ns/net", os.O_RDONLY)
        ip_batch([f"netns add {name}" for name in [self.hub, *self.names]])
        self.spaces = [os.open(f"/run/netns/{name}", os.O_RDONLY) for name in self.names]
        self.hub_space = os.open(f"/run/netns/{self.hub}", os.O_RDONLY)
        with self.inside(self.hub_space):
            ip_batch(["link add br0 type bridge", "link set br0 up"])
            ip_batch([f"link add h{i} type veth peer name eth0 netns {name}"
                      for i, name in enumerate(self.names)])
            ip_batch([f"link set h{i} master br0 up" for i in range(count)])
        for i, space in enumerate(self.spaces):
            with self.inside(space):
                with contextlib.suppress(OSError), open(
                        "/proc/sys/net/ipv6/conf/all/disable_ipv6", "w") as switch:
                    switch.write("1")
                ip_batch(["link set lo up", f"addr add {self.address(i)}/16 dev eth0",
                          "link set eth0 up"])

    @contextlib.contextmanager
    def inside(self, space):
        enter(space)
        try:
            yield
        finally:
            enter(self.home)

    @staticmethod
    def address(i):
        return f"10.78.{(i + 1) >> 8}.{(i + 1) & 255}"

    def start(self, i, argv, log):
        def child():
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            enter(self.spaces[i])

        return subprocess.Popen(argv, preexec_fn=child, stdin=subprocess.DEVNULL, stdout=log,
                                stderr=log)

    def cut(self, i):
        with self.inside(self.hub_space):
            ip_batch([f"link set h{i} nomaster"])

    def sent(self):
        """[(bytes, packets)] that each host has sent so far."""
        with self.inside(self.hub_space), open("/proc/thread-self/net/dev") as table:
            rows = dict(line.split(":", 1) for line in table if ":" in line)
        fields = [rows[name].split() for name in sorted(
            (key for key in rows if key.strip().startswith("h")), key=lambda key: int(key.strip()[1:]))]
        return [(int(row[0]), int(row[1])) for row in fields]

    def close(self):
        for descriptor in [*self.spaces, self.hub_space, self.home]:
            os.close(descriptor)
        ip_batch([f"netns del {name}" for name in [*self.names, self.hub]])


def processor_ms(pid):
    """Of all threads of the process."""
    spent = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/schedstat") as file:
            spent += int(file.read().split()[0])
    return spent / 1e6


# --- Doyen -----------------------------------------------------------------------------------------


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


class Doyen:
    """A cluster of doyend, one daemon in each namespace."""

    name = "doyen"

    def __init__(self, count, program):
        self.count = count
        self.network = Network(count)
        self.folder = tempfile.TemporaryDirectory(prefix="doyen-scale-")
        self.program = program
        self.streams = {}
        key = f"{self.folder.name}/key"
        subprocess.run([program, "--make-key", key], check=True, capture_output=True)
        self.logs = [open(f"{self.folder.name}/{i}.log", "w") for i in range(count)]
        self.began = time.monotonic()
        self.daemons = [self.network.start(i, [
            program, "--name", f"n{i}", "--listen", f"{self.network.address(i)}:{PORT}", "--seed",
            f"{self.network.address(0)}:{PORT}", "--control", self.control(i), "--key", key],
            self.logs[i]) for i in range(count)]

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
        return json.loads(text)

    def form(self):
        """In ms, from the start of the first process."""
        for i in range(self.count):
            while True:
                with contextlib.suppress(OSError, ValueError):
                    if len(self.ask(i, "GET", "/v1/members")["members"]) == self.count:
                        break
                if time.monotonic() > self.began + LIMIT_S:
                    raise RuntimeError(f"{self.count} daemons did not form within {LIMIT_S} s")
                time.sleep(0.002)
        return (time.monotonic() - self.began) * 1e3

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

    def pids(self):
        return [daemon.pid for daemon in self.daemons]

    def change(self, number):
        tags = json.dumps({"set": {"bench": str(number)}})
        self.ask(1, "POST", "/v1/tags", tags)
        return self.told(lambda event: event["kind"] == "tags", set())

    def gone(self, i, without):
        self.selector.unregister(self.streams[i].connection)
        return self.told(lambda event: event["kind"] == "gone" and event["name"] == f"n{i}",
                         without | {i})

    def kill(self, i, without):
        self.daemons[i].kill()
        return self.gone(i, without)

    def lose(self, i, without):
        self.network.cut(i)
        return self.gone(i, without)

    def close(self):
        for daemon in self.daemons:
            daemon.kill()
        for daemon in self.daemons:
            daemon.wait()
        for log in self.logs:
            log.close()
        for stream in self.streams.values():
            stream.connection.close()
        self.folder.cleanup()
        self.network.close()


# --- Serf ------------------------------------------------------------------------------------------


class Serf(Doyen):
    """serf agents with their LAN defaults; they are asked by `serf members`, so that times are coarse."""

    name = "serf"

    def __init__(self, count, program):
        self.count = count
        self.program = program
        self.network = Network(count)
        self.streams = {}
        self.folder = tempfile.TemporaryDirectory(prefix="doyen-scale-")
        self.logs = [open(f"{self.folder.name}/{i}.log", "w") for i in range(count)]
        self.began = time.monotonic()
        self.daemons = []
        for i in range(count):
            argv = [program, "agent", f"-node=n{i}", f"-bind={self.network.address(i)}:7946",
                    "-rpc-addr=127.0.0.1:7373", "-log-level=err"]
            if i > 0:
                argv += [f"-retry-join={self.network.address(0)}", "-retry-interval=1s"]
            self.daemons.append(self.network.start(i, argv, self.logs[i]))

    def alive(self, i):
        with self.network.inside(self.network.spaces[i]):
            done = subprocess.run([self.program, "members", "-status=alive"], capture_output=True,
                                  text=True)
        return len(done.stdout.splitlines()) if done.returncode == 0 else 0

    def agree(self, number, without):
        began = time.monotonic()
        for i in set(range(self.count)) - without:
            while self.alive(i) != number:
                if time.monotonic() > began + LIMIT_S:
                    raise RuntimeError(f"serf did not agree within {LIMIT_S} s")
                time.sleep(0.01)
        return (time.monotonic() - began) * 1e3

    def form(self):
        self.agree(self.count, set())
        return (time.monotonic() - self.began) * 1e3

    def watch(self):
        pass

    def change(self, number):
        return math.nan

    def gone(self, i, without):
        return self.agree(self.count - len(without) - 1, without | {i})


# --- Measuring -------------------------------------------------------------------------------------


def measure_idle(cluster):
    time.sleep(SETTLE_S)
    pids = cluster.pids()
    before = [processor_ms(pid) for pid in pids]
    sent_before = cluster.network.sent()
    began = time.monotonic()
    time.sleep(IDLE_S)
    span = time.monotonic() - began
    sent = cluster.network.sent()
    cpu = [(processor_ms(pid) - was) / span / 10 for pid, was in zip(pids, before)]
    packets = [(now[1] - was[1]) / span for now, was in zip(sent, sent_before)]
    octets = [(now[0] - was[0]) / span for now, was in zip(sent, sent_before)]
    return {"cpu": statistics.median(cpu), "packets": statistics.median(packets),
            "bytes": statistics.median(octets)}


def measure_once(kind, count, program):
    cluster = kind(count, program)
    try:
        found = {"form": cluster.form(), **measure_idle(cluster)}
        cluster.watch()
        found["change"] = cluster.change(time.monotonic_ns())
        victim = count // 2
        time.sleep(SETTLE_S)  # the next change would wait for company
        found["kill"] = cluster.kill(victim, set())
        time.sleep(SETTLE_S + random.random() / 4)  # at any moment between two heartbeats
        found["lost"] = cluster.lose(victim + 1, {victim})
        return found
    finally:
        cluster.close()


def measure(kind, count, program, runs):
    found = []
    for run in range(runs):
        found.append(measure_once(kind, count, program))
        say(f"{kind.name}, {count} members, run {run + 1}: " + ", ".join(
            f"{name} {found[-1][name]:.4g} {unit}" for name, unit, _ in FIGURES))
    return {"system": kind.name, "members": count, "runs": runs, "simulated": False,
            **{name: median_of([one[name] for one in found]) for name, _, _ in FIGURES}}


def median_of(samples):
    middle = statistics.median(samples)
    return None if math.isnan(middle) else round(middle, 4)


def simulate(swarm, count, seeds):
    """How long a split in two takes to heal, in virtual time."""
    done = subprocess.run([swarm, "--seeds", f"1..{seeds}", "--nodes", f"{count}..{count}", "--heal",
                           "2", "--guard", "none"], capture_output=True, text=True)
    line = next((line for line in done.stdout.splitlines() if line.startswith("healed within")), "")
    if done.returncode != 0 or not line:
        raise RuntimeError(f"the simulator failed with {count} hosts: {done.stderr[-300:]}")
    say(f"simulated, {count} hosts: {line}")
    return {"system": "doyen", "members": count, "runs": seeds, "simulated": True,
            "heal": float(line.split()[2])}


# --- Showing ---------------------------------------------------------------------------------------


def number(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def print_table(rows):
    real = [row for row in rows if not row["simulated"]]
    heads = " | ".join(f"{name}, {unit}" for name, unit, _ in FIGURES)
    print(f"| system | members | {heads} |")
    print("|---|---|" + "---|" * len(FIGURES))
    for row in real:
        print(f"| {row['system']} | {row['members']} | "
              + " | ".join(number(row[name]) for name, _, _ in FIGURES) + " |")
    for row in rows:
        if row["simulated"]:
            print(f"\nSimulated, {row['members']} hosts: a split in two heals within "
                  f"{number(row['heal'])} ms of virtual time (median of {row['runs']}).")


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, HEAD = 380, 250, 62, 18, 34, 42, 66
COLOURS = {"doyen": "#0b62a4", "serf": "#c2410c"}


class Panel:
    """One figure over the members, both on logarithmic scales."""

    def __init__(self, index, name, unit, title, rows):
        self.left = index % 2 * WIDTH
        self.top = HEAD + index // 2 * HEIGHT
        self.name, self.title = name, f"{name}, {unit}: {title}"
        self.points = [(row["system"], row["members"], row[name]) for row in rows
                       if not row["simulated"] and row[name]]
        values = [value for _, _, value in self.points] or [1]
        members = [count for _, count, _ in self.points] or [1]
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.least, self.most = math.log10(min(members)), math.log10(max(members))

    def x(self, members):
        span = self.most - self.least or 1
        return self.left + LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(members) - self.least) / span

    def y(self, value):
        span = self.high - self.low
        return self.top + HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (math.log10(value) - self.low) / span

    def draw(self):
        right, bottom = self.left + WIDTH - RIGHT, self.top + HEIGHT - BOTTOM
        out = [f'<text x="{self.left + LEFT}" y="{self.top + TOP - 14}" class="title">{self.title}</text>']
        for decade in range(self.low, self.high + 1):
            y = self.y(10 ** decade)
            out.append(f'<path d="M{self.left + LEFT} {y:.1f}H{right}" class="grid"/>'
                       f'<text x="{self.left + LEFT - 6}" y="{y + 4:.1f}" class="end">{10 ** decade:g}</text>')
        for members in sorted({count for _, count, _ in self.points}):
            x = self.x(members)
            out.append(f'<path d="M{x:.1f} {bottom}v5" class="axis"/>'
                       f'<text x="{x:.1f}" y="{bottom + 18}" class="middle">{members}</text>')
        out.append(f'<path d="M{self.left + LEFT} {bottom}H{right}" class="axis"/>')
        for system, colour in COLOURS.items():
            line = sorted((count, value) for one, count, value in self.points if one == system)
            path = "L".join(f"{self.x(count):.1f} {self.y(value):.1f}" for count, value in line)
            if path:
                out.append(f'<path class="line" stroke="{colour}" d="M{path}"/>')
            out += [f'<circle cx="{self.x(count):.1f}" cy="{self.y(value):.1f}" r="3" fill="{colour}">'
                    f"<title>{system}, {count}: {value:g}</title></circle>" for count, value in line]
        return "\n".join(out)


def write_svg(path, rows):
    panels = [Panel(i, *figure, rows) for i, figure in enumerate(FIGURES)]
    height = HEAD + math.ceil(len(panels) / 2) * HEIGHT
    systems = sorted({row["system"] for row in rows})
    legend = "".join(f'<path d="M{62 + 122 * i} 44h18" class="line" stroke="{COLOURS[name]}"/>'
                     f'<text x="{85 + 122 * i}" y="48">{name}</text>' for i, name in enumerate(systems))
    with open(path, "w") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {height}" '
            'font-family="sans-serif" font-size="12">\n<style>.head{font-size:14px;font-weight:bold}'
            ".title{font-size:12px;font-weight:bold}.end{text-anchor:end}.middle{text-anchor:middle}"
            ".grid{stroke:#ddd}.axis{stroke:#333;fill:none}.line{fill:none;stroke-width:2}</style>\n"
            '<rect width="100%" height="100%" fill="#fff"/>\n'
            '<text x="62" y="24" class="head">Growth with the number of members</text>\n'
            f"{legend}\n" + "\n".join(panel.draw() for panel in panels) + "\n</svg>\n")


def numbers(text):
    return [int(part) for part in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="a Markdown table rather than JSON")
    parser.add_argument("--svg", metavar="FILE", help="draw the growth curves, too")
    parser.add_argument("--members", type=numbers, default=[5, 10, 30, 60, 100], metavar="N,N...")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--simulated", type=numbers, default=[], metavar="N,N...",
                        help="hosts in the simulator, up to 256: 100 take a minute, 256 many")
    parser.add_argument("--seeds", type=int, default=2, help="of each of those")
    options = parser.parse_args()
    program = os.environ["DOYEND_PATH"]
    if min(options.members) < 4:
        parser.error("--members: at least 4 each, for two of them go")
    if os.geteuid() != 0 or not shutil.which("ip"):
        sys.exit("scale: it needs root and iproute2, for namespaces")

    rows = [measure(Doyen, count, program, options.runs) for count in options.members]
    serf = shutil.which("serf")
    if serf:
        rows += [measure(Serf, count, serf, options.runs) for count in options.members]
    swarm = os.path.join(os.path.dirname(program), "doyen_swarm")
    rows += [simulate(swarm, count, options.seeds) for count in options.simulated]
    if options.svg:
        write_svg(options.svg, rows)
    if options.table:
        print_table(rows)
    else:
        print(json.dumps({"bench": "scale", "processors": os.cpu_count(), "figures": rows}))


main()
