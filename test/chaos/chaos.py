#!/usr/bin/env python3
"""Lets chaos loose on a cluster of real daemons under guard strict, and checks that never two act.

    scripts/chaos [TIME] [--profile lan|local] [--nodes N] [--seed S] [--clocks wrong|true]
                  [--roles] [--faults KIND,...] [--build DIR] [--keep]

Each node stands in a network namespace of its own, all on one bridge with no way out, with a small
file system for its state and a disk whose syncs can be slowed. Beside each daemon runs
`doyen run -- worker`, and all workers append to one log.

One round after the other, one to three faults strike at random moments: kill -9, SIGSTOP of the
daemon, of `doyen run`, of its worker; links cut one way or both, between two nodes or around one;
full disk, slow disk; planned moves; everybody killed; some killed and at once started again with other
options, which a voter that has promised something may refuse; other timings, or a target of voters, agreed on; a disk that is lost, with all
that is on it, or in its place one that was lost before; voters added, removed, replaced, set, among them a
doyen-witness, which is killed, stopped and loses its disk, too. Then all is healed, and the cluster has five
seconds until exactly one acts, with its worker; and a voter whose disk was lost is given another record, or replaced
by another node, within thirty. No more disks are lost than can be spared, and none while the voters change; or else
more than half are lost for good, with everybody else stopped: then one that is left is recovered, and acts within
sixty seconds, for it has to wait until no lease that the lost may have given counts any more. The
clock of each node runs true, or a ninth too fast or too slow, as drawn; what watches them goes by this host's clock,
so what is seen here is true time:

    overlap   two lease pages, or two workers' records in the log, that hold at one instant
    fell      an epoch that acts after a higher one did
    late      nobody acts five seconds after all was healed, or sixty after a recovery, or a lost voter is not
              replaced in thirty

With --faults "lost quorum,kill" only those kinds strike; with --roles the daemons share partitions, too, and on each node a client stands for one role and
`doyen campaign -- worker` for another, which are struck like `doyen run`. The same is counted of the
roles' pages and tokens, of the records of their workers, and of what each node promises to programs
that work on partitions. Late is a role without a holder, or a partition without an owner, fifteen seconds
after all was healed.

Exits with 1 when one of them is not 0. Needs root, iproute2 and Python 3.
"""
import argparse
import ctypes
import json
import mmap
import os
import random
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

HEAL_LIMIT_S = 5.0
RECOVERY_LIMIT_S = 60.0  # of which the longest lease, by a clock that may be slow, is the most
REPAIR_LIMIT_S = 30.0  # of a lost voter, by commands that are refused until those needed lease
QUIET_S = 2.0  # for so long nobody asked for other voters: what was wished is done, or given up
WITNESS = "w"
ROLES_LIMIT_S = 15.0  # with what the last grants may last beyond it: wrong clocks, T_hold twice
PARTITIONS = 64
WRONG_BY = 111111  # parts in a million: the ninth that the leases allow for (Z6a)
RECORD = struct.Struct("<QQII")  # a worker's: ns, epoch, node, process
LIBC = ctypes.CDLL(None, use_errno=True)


def now_ns():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def ip(*lines):
    text = "\n".join(lines) + "\n"
    done = subprocess.run(["ip", "-batch", "-"], input=text, text=True, capture_output=True)
    if done.returncode:
        raise RuntimeError("ip: " + done.stderr.strip())


class Net:
    """One namespace for each node, the last for the witness, and one with the bridge that joins them."""

    def __init__(self, count):
        self.tag = "doyen-chaos-%d" % os.getpid()
        self.hub = self.tag + "-hub"
        self.nodes = ["%s-%d" % (self.tag, i) for i in range(count)]
        self.cuts = set()
        ip("netns add " + self.hub)
        self.inside(self.hub, "link add bridge type bridge mcast_snooping 0", "link set bridge up")
        for i, name in enumerate(self.nodes):
            ip("netns add " + name)
            self.inside(self.hub, "link add port%d type veth peer name eth0 netns %s" % (i, name),
                        "link set port%d master bridge up" % i)
            self.inside(name, "link set lo up", "addr add %s/24 dev eth0" % self.address(i),
                        "link set eth0 up",
                        # Rules about senders come before the delivery to this host.
                        "rule add pref 10 lookup local", "rule del pref 0")

    @staticmethod
    def address(i):
        return "10.78.0.%d" % (i + 1)

    @staticmethod
    def inside(name, *lines):
        done = subprocess.run(["ip", "-n", name, "-batch", "-"], input="\n".join(lines) + "\n",
                              text=True, capture_output=True)
        if done.returncode:
            raise RuntimeError("ip -n %s: %s" % (name, done.stderr.strip()))

    def cut(self, sender, receiver):
        """Nothing more gets from the one to the other, silently; what comes back does."""
        if (sender, receiver) not in self.cuts:
            self.cuts.add((sender, receiver))
            self.inside(self.nodes[receiver],
                        "rule add pref 5 from %s blackhole" % self.address(sender))

    def heal(self):
        for sender, receiver in self.cuts:
            self.inside(self.nodes[receiver],
                        "rule del pref 5 from %s blackhole" % self.address(sender))
        self.cuts.clear()

    def close(self):
        for name in self.nodes + [self.hub]:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


class Host:
    """A daemon, its disk, and its clock."""

    def __init__(self, cluster, index, clock, name):
        self.cluster, self.index, self.name = cluster, index, name
        self.clock = clock  # by how many parts in a million it is fast
        self.disk = cluster.path("disk-" + self.name)
        self.lost_disk = cluster.path("lost-" + self.name)  # that it had before
        self.daemon = None
        self.stopped = []  # pids to be continued when all is healed
        os.mkdir(self.disk)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", self.disk], check=True)
        with open(cluster.path("sync-" + self.name), "w+b") as file:
            file.write(bytes(4096))
            file.flush()
            self.sync_ms = mmap.mmap(file.fileno(), 4096)

    def spawn(self, argv, log):
        def die_with_parent():
            LIBC.prctl(1, signal.SIGKILL)

        preloaded = [self.cluster.helper("slow_sync.so"), self.cluster.helper("wrong_clock.so")]
        environment = dict(os.environ, LD_PRELOAD=" ".join(preloaded),
                           CHAOS_SYNC=self.cluster.path("sync-" + self.name),
                           CHAOS_CLOCK=str(self.clock))
        return subprocess.Popen(["ip", "netns", "exec", self.cluster.net.nodes[self.index]] + argv,
                                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                                preexec_fn=die_with_parent)

    def lose_disk(self, older):
        """All that is on it; in its place comes what was lost the time before, if `older`."""
        self.kill("daemon")
        self.heal()
        before = self.lost_disk + ".before"
        shutil.rmtree(before, ignore_errors=True)
        if os.path.isdir(self.lost_disk):
            os.rename(self.lost_disk, before)
        shutil.copytree(self.disk + "/state", self.lost_disk,
                        ignore=shutil.ignore_patterns("*.sock", "*.lock"))
        shutil.rmtree(self.disk + "/state")
        if older and os.path.isdir(before):
            shutil.copytree(before, self.disk + "/state")
            return "the one before"
        return "an empty one"

    PROCESSES = ("daemon",)

    def reap(self):
        """Forgets what has ended by itself."""
        for what in self.PROCESSES:
            process = getattr(self, what)
            if process is not None and process.poll() is not None:
                self.cluster.tell("%s of %s ended with %d" % (what, self.name, process.returncode))
                setattr(self, what, None)

    def kill(self, what):
        process = getattr(self, what)
        if process is not None:
            process.kill()
            process.wait()
            setattr(self, what, None)

    def stop(self, pid):
        try:
            os.kill(pid, signal.SIGSTOP)
            self.stopped.append(pid)
        except ProcessLookupError:
            pass

    def lose_for_good(self):
        """Nobody has a copy of that disk, nor puts it in place."""
        self.kill("daemon")
        self.heal()
        shutil.rmtree(self.disk + "/state", ignore_errors=True)
        shutil.rmtree(self.lost_disk, ignore_errors=True)

    def heal(self):
        for pid in self.stopped:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
        self.stopped = []
        self.sync_ms[:4] = bytes(4)
        try:
            os.unlink(self.disk + "/full")
        except FileNotFoundError:
            pass

    def fill_disk(self):
        try:
            with open(self.disk + "/full", "wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
        except OSError:
            pass

    def slow_disk(self, milliseconds):
        self.sync_ms[:4] = struct.pack("<I", milliseconds)


class Node(Host):
    """A host with `doyen run` beside the daemon."""

    PROCESSES = ("daemon", "run", "campaign")

    def __init__(self, cluster, index, clock):
        super().__init__(cluster, index, clock, "n%d" % index)
        self.socket = cluster.path(self.name + ".sock")
        self.run = self.campaign = None
        self.terms = {}  # that it was started with

    def has_record(self):
        return os.path.exists(self.disk + "/state/voter")

    def line(self):
        cluster = self.cluster
        argv = [cluster.program("doyend"), "--name", self.name, "--control", self.socket,
                "--listen", "%s:7420" % cluster.net.address(self.index),
                "--key", cluster.key(), "--state-dir", self.disk + "/state",
                "--log-level", "info"]
        for option, value in self.terms.items():
            argv += ["--" + option, value]
        if cluster.options.roles:
            argv += ["--partitions", str(PARTITIONS)]
        for i in range(len(cluster.nodes)):
            argv += ["--seed", "%s:7420" % cluster.net.address(i)]
        return argv

    def start(self, terms=None):
        cluster = self.cluster
        if self.daemon is None:
            self.terms = cluster.terms() if terms is None else terms
            self.daemon = self.spawn(self.line(), cluster.log(self.name))
        if self.run is None and cluster.has_run:
            self.run = self.spawn([cluster.program("doyen"), "--control", self.socket, "run", "--",
                                   cluster.helper("worker"), cluster.work_log, str(self.index)],
                                  cluster.log("run-" + self.name))
        if self.campaign is None and cluster.options.roles:
            self.campaign = self.spawn([cluster.program("doyen"), "--control", self.socket,
                                        "campaign", "work", "--", cluster.helper("worker"),
                                        cluster.role_log, str(self.index)],
                                       cluster.log("campaign-" + self.name))

    def recover(self, *words):
        """What doyend says of the record, with the words to go on with; the daemon is stopped."""
        self.terms = self.cluster.terms()
        return subprocess.run(self.line() + ["--recover-voters", *words], capture_output=True,
                              text=True, timeout=30, stdin=subprocess.DEVNULL)

    def ask(self, *words):
        return subprocess.run([self.cluster.program("doyen"), "--control", self.socket] +
                              list(words), capture_output=True, text=True, timeout=30)


class Witness(Host):
    """A doyen-witness, which has the key of this cluster."""

    def __init__(self, cluster, index, clock):
        super().__init__(cluster, index, clock, WITNESS)
        self.keys = cluster.path("keys")
        self.address = "%s:7420" % cluster.net.address(index)
        os.mkdir(self.keys, 0o700)
        shutil.copy(cluster.key(), self.keys + "/doyen.key")

    def start(self):
        if self.daemon is None:
            self.daemon = self.spawn([self.cluster.program("doyen-witness"), "--listen",
                                      self.address, "--key", self.keys, "--state-dir",
                                      self.disk + "/state", "--log-level", "info"],
                                     self.cluster.log(self.name))


class WorkLog:
    """Reads what the workers wrote, in the order in which they wrote it."""

    def __init__(self, path):
        self.file = open(path, "rb")
        self.part = b""
        self.current = None  # (node, process)
        self.ended = set()
        self.epoch_of = {}  # node: the highest epoch
        self.records = self.turns = self.overlaps = self.fell = 0
        self.last_ns = 0

    def read(self):
        data = self.part + self.file.read()
        whole = len(data) - len(data) % RECORD.size
        self.part = data[whole:]
        for ns, epoch, node, process in RECORD.iter_unpack(data[:whole]):
            self.take(ns, epoch, node, process)

    def take(self, ns, epoch, node, process):
        self.records += 1
        self.last_ns = ns
        if (node, process, epoch) != self.current:
            self.overlaps += (node, process, epoch) in self.ended
            self.ended.add(self.current)
            self.current = (node, process, epoch)
            self.turns += 1
            self.fell += any(e > epoch or e == epoch and n != node
                             for n, e in self.epoch_of.items())
            self.epoch_of[node] = max(epoch, self.epoch_of.get(node, 0))


class Pages:
    """Who acts by the lease pages: reads what page_watch says."""

    def __init__(self, program, sockets, role=None):
        words = ["--role", role] if role else []
        self.process = subprocess.Popen([program] + words + sockets, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.acting = {}
        self.begins = []  # (ns, node), the latest last
        self.overlaps = self.fell = 0
        self.alarms = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            ns, what, node, number = line.split()
            if what == "begin":
                self.begins.append((int(ns), int(node)))
                self.acting[int(node)] = int(number)
            elif what == "end":
                self.acting.pop(int(node), None)
            else:
                self.overlaps += what == "overlap"
                self.fell += what == "fell"
                self.alarms.append(line.strip())

    def one_acts(self):
        return len(self.acting) == 1

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Promises:
    """Who owns which partition: what each node promises to programs, asked for without end."""

    def __init__(self, nodes):
        self.lock = threading.Lock()
        self.over = False
        self.asked = self.overlaps = self.fell = 0
        self.alarms = []
        self.held = [{} for _ in nodes]  # partition: (heard ns, end ns, token), in true time
        self.latest = {}  # partition: (node, token)
        for node in nodes:
            threading.Thread(target=self.ask, args=(node,), daemon=True).start()

    def ask(self, node):
        while not self.over:
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.settimeout(2)
                    connection.connect(node.socket)
                    while not self.over:
                        self.take(node, self.exchange(connection))
                        time.sleep(0.02)
            except (OSError, ValueError, KeyError, IndexError):
                time.sleep(0.05)

    @staticmethod
    def exchange(connection):
        connection.sendall(b"POST /v1/partitions/hold HTTP/1.1\r\nHost: d\r\n"
                           b"Content-Length: 0\r\n\r\n")
        text = b""
        while b"\r\n\r\n" not in text:
            some = connection.recv(65536)
            if not some:
                raise OSError("closed")
            text += some
        head, body = text.split(b"\r\n\r\n", 1)
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        while len(body) < length:
            some = connection.recv(65536)
            if not some:
                raise OSError("closed")
            body += some
        return json.loads(body)

    def take(self, node, document):
        """It was promised before it is heard, so what overlaps here did overlap."""
        with self.lock:
            now = now_ns()
            self.asked += 1
            end = document["deadline_ns"]
            end = 0 if end is None else int(end) * 10 ** 6 // (10 ** 6 + node.clock)
            mine = self.held[node.index]
            for batch in document["held"] if now < end else []:
                token = int(batch["token"])
                for partition in batch["partitions"]:
                    self.compare(node, partition, token, now)
                    mine[partition] = (end, token)
                    self.latest[partition] = (node.index, token)

    def compare(self, node, partition, token, now):
        for other, held in enumerate(self.held):
            if other != node.index and now < held.get(partition, (0, 0))[0]:
                self.overlaps += 1
                self.alarms.append("%d overlap %d %d partition %d until %d" % (
                    now, other, node.index, partition, held[partition][0]))
        before, highest = self.latest.get(partition, (node.index, 0))
        if token < highest or (token == highest and before != node.index):
            self.fell += 1
            self.alarms.append("%d fell %d partition %d: %d after %d" % (
                now, node.index, partition, token, highest))

    def all_owned(self, since_ns):
        with self.lock:
            now = now_ns()
            return len({partition for held in self.held for partition, (end, _) in held.items()
                        if end > max(now, since_ns)}) == PARTITIONS


class Cluster:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="doyen-chaos-")
        self.nodes = []
        self.alarms = []
        self.roles_took = []
        self.repairs_took = []
        self.lost = {}  # voters whose disk is gone: name -> id of the record, while the view names it
        self.askers = []  # threads that ask for other voters
        self.asked_ns = 0  # when the last one was through
        self.recovering = False  # one that was recovered has not acted yet
        self.alone = False  # and votes alone
        self.recoveries_took = []
        self.changed = 0  # how many changes of the voters were settled
        self.disks_lost = 0
        self.net = Net(options.nodes + 1)
        self.work_log = self.path("work.log")
        open(self.work_log, "wb").close()
        self.has_run = "\n  run " in subprocess.run([self.program("doyen"), "--help"], text=True,
                                                    capture_output=True).stdout
        self.nodes.extend(Node(self, i, self.draw_clock(i)) for i in range(options.nodes))
        self.witness = Witness(self, options.nodes, self.draw_clock(options.nodes))
        self.work = WorkLog(self.work_log)
        sockets = ["%s@%d" % (node.socket, node.clock) for node in self.nodes]
        self.pages = Pages(self.helper("page_watch"), sockets)
        self.role_log = self.path("role.log")
        self.role_pages = self.role_work = self.promises = None
        if options.roles:
            open(self.role_log, "wb").close()
            self.role_work = WorkLog(self.role_log)
            self.role_pages = Pages(self.helper("page_watch"), sockets, "page")
            self.promises = Promises(self.nodes)

    def terms(self):
        """What all are started with."""
        return {"guard": "strict", "voters": ",".join(node.name for node in self.nodes),
                "profile": self.options.profile}

    def other_terms(self, draw):
        """What somebody who does not know better may start a node with."""
        others = [{"profile": "local"}, {"profile": "lan"}, {"profile": "wan"},
                  {"heartbeat": "100ms", "fail-after": "400ms"},
                  {"heartbeat": "500ms", "fail-after": "2s"}, {"capacity": "16"},
                  {"voters": "n0"}, {"guard": "none"}, {"guard": "majority", "size": "5"}]
        terms = dict(self.terms(), **draw.choice(others))
        if terms["guard"] != "strict":
            del terms["voters"]
        return terms

    def draw_clock(self, index):
        if self.options.clocks == "true":
            return 0
        return random.Random("%d clock %d" % (self.options.seed, index)).choice(
            [-WRONG_BY, 0, WRONG_BY])

    def path(self, name):
        return os.path.join(self.folder, name)

    def key(self):
        path = self.path("key")
        if not os.path.exists(path):
            subprocess.run([self.program("doyend"), "--make-key", path], check=True,
                           stdout=subprocess.DEVNULL)
        return path

    def program(self, name):
        return os.path.join(self.options.build, name)

    def helper(self, name):
        return os.path.join(self.options.helpers, name)

    def log(self, name):
        return open(self.path(name + ".log"), "ab")

    def tell(self, text):
        with open(self.path("rounds.log"), "a") as file:
            file.write("%.3f %s\n" % (now_ns() / 1e9, text))

    def alarm(self, text):
        self.tell("ALARM " + text)
        self.alarms.append(text)
        print("\nALARM %s (see %s)" % (text, self.folder), file=sys.stderr)

    def tell_state(self):
        """Into the record: who acts, who writes, and what each node says of itself."""
        self.tell("pages: %s, worker: %s" % (self.pages.acting, self.work.current))
        if self.options.roles:
            self.tell("role: page held by %s, worker: %s; partitions: %s" % (
                self.role_pages.acting, self.role_work.current,
                [len(held) for held in self.promises.held]))
        for node in self.nodes:
            try:
                self.tell("%s says %s" % (node.name, node.ask("status", "--json").stdout.strip()))
            except subprocess.TimeoutExpired:
                self.tell("%s says nothing" % node.name)

    # What strikes.

    def someone(self, draw):
        """Mostly the node that acts: what strikes the others is dull."""
        acting = list(self.pages.acting)
        index = acting[0] if acting and draw.random() < 0.6 else draw.randrange(len(self.nodes))
        return self.nodes[index]

    @staticmethod
    def worker_of(work, node):
        """The process id of the worker of this node, if it is the one that writes."""
        if work.current and work.current[0] == node.index:
            return work.current[1]
        return None

    def holder(self, draw):
        """Mostly the node on which the role's worker runs."""
        work = self.role_work
        index = work.current[0] if work.current and draw.random() < 0.8 else None
        return self.nodes[draw.randrange(len(self.nodes)) if index is None else index]

    def strike(self, draw):
        node = self.someone(draw)
        faults = ["kill", "kill", "stop", "stop", "cut", "cut", "deaf", "mute", "island", "half",
                  "full", "slow", "stuck", "all", "leave", "transfer", "other terms",
                  "other terms", "other timings"]
        faults += 2 * ["other voters", "voter more", "voter less", "voter replaced",
                       "witness", "lost witness", "lost disk", "lost disk", "lost disk"]
        faults += ["lost quorum", "lost quorum"]
        if self.has_run:
            faults += ["stop run", "kill run", "stop worker", "stop worker", "stop all of it"]
        if self.options.roles:
            faults += ["kill campaign", "stop campaign", "stop role worker", "stop role worker",
                       "kill holder", "stop holder", "stop all of role", "island of holder"]
        fault = draw.choice(self.options.faults or faults)
        if fault in ("kill campaign", "stop campaign", "stop role worker", "kill holder",
                     "stop holder", "stop all of role", "island of holder"):
            node = self.holder(draw)
        self.tell("%s %s" % (fault, node.name))
        getattr(self, "strike_" + fault.replace(" ", "_"))(draw, node)

    def strike_kill(self, draw, node):
        node.kill("daemon")

    def strike_all(self, draw, node):
        for other in self.nodes:
            other.kill("daemon")

    def strike_other_terms(self, draw, node):
        """At this one and some others, perhaps at all."""
        terms = self.other_terms(draw)
        some = draw.sample(self.nodes, draw.randint(0, len(self.nodes) - 1))
        for other in {node, *some}:
            if not other.has_record() and any(terms.get(option) != self.terms()[option]
                                              for option in ("guard", "voters")):
                continue  # Nothing on its disk says that this is not what it was founded with.
            self.tell("%s is started with %s" % (other.name, terms))
            other.kill("daemon")
            other.start(terms)

    def strike_stop(self, draw, node):
        if node.daemon is not None:
            node.stop(node.daemon.pid)

    def strike_stop_run(self, draw, node):
        if node.run is not None:
            node.stop(node.run.pid)

    def strike_kill_run(self, draw, node):
        node.kill("run")

    def strike_stop_worker(self, draw, node):
        worker = self.worker_of(self.work, node)
        if worker is not None:
            node.stop(worker)

    def strike_kill_campaign(self, draw, node):
        node.kill("campaign")

    def strike_stop_campaign(self, draw, node):
        if node.campaign is not None:
            node.stop(node.campaign.pid)

    def strike_stop_role_worker(self, draw, node):
        worker = self.worker_of(self.role_work, node)
        if worker is not None:
            node.stop(worker)

    def strike_kill_holder(self, draw, node):
        self.strike_kill(draw, node)

    def strike_stop_holder(self, draw, node):
        self.strike_stop(draw, node)

    def strike_stop_all_of_role(self, draw, node):
        self.strike_stop(draw, node)
        self.strike_stop_campaign(draw, node)
        self.strike_stop_role_worker(draw, node)

    def strike_island_of_holder(self, draw, node):
        self.strike_island(draw, node)

    def strike_stop_all_of_it(self, draw, node):
        self.strike_stop(draw, node)
        self.strike_stop_run(draw, node)
        self.strike_stop_worker(draw, node)

    def strike_cut(self, draw, node):
        for other in draw.sample(range(len(self.nodes)), draw.randint(1, len(self.nodes) - 1)):
            if other != node.index:
                self.net.cut(node.index, other)
                if draw.random() < 0.5:
                    self.net.cut(other, node.index)

    def strike_deaf(self, draw, node):
        for other in range(len(self.nodes)):
            if other != node.index:
                self.net.cut(other, node.index)

    def strike_mute(self, draw, node):
        for other in range(len(self.nodes)):
            if other != node.index:
                self.net.cut(node.index, other)

    def strike_island(self, draw, node):
        self.strike_deaf(draw, node)
        self.strike_mute(draw, node)

    def strike_half(self, draw, node):
        side = set(draw.sample(range(len(self.nodes)), len(self.nodes) // 2))
        for one in side:
            for other in set(range(len(self.nodes))) - side:
                self.net.cut(one, other)
                self.net.cut(other, one)

    def strike_full(self, draw, node):
        node.fill_disk()

    def strike_slow(self, draw, node):
        for other in self.nodes:
            other.slow_disk(draw.choice([0, 2, 10, 50, 200]))

    def strike_stuck(self, draw, node):
        node.slow_disk(60000)

    def strike_leave(self, draw, node):
        threading.Thread(target=self.quietly, args=(node, "leave"), daemon=True).start()

    def strike_other_timings(self, draw, node):
        """For all, by a command; or that there are to be three voters, by themselves."""
        timings = draw.choice(["profile=lan", "profile=local", "profile=" + self.options.profile,
                               "voters-target=3", "voters-target=0"])
        threading.Thread(target=self.quietly, args=(node, "change", timings), daemon=True).start()

    # Other voters, and lost disks.

    def wish(self, node, *words):
        """Asked of whichever node, in the midst of the rest; the command waits for it."""
        def run():
            done = None
            try:
                done = node.ask("voters", *words, "--timeout", "8s")
                self.changed += done.returncode == 0
            except subprocess.TimeoutExpired:
                pass
            self.asked_ns = now_ns()
            self.tell("voters %s at %s: %s" % (" ".join(words), node.name, "silent" if done is None
                      else "%d %s" % (done.returncode, done.stderr.strip())))

        self.askers.append(threading.Thread(target=run, daemon=True))
        self.askers[-1].start()

    def wished(self):
        """Is none under way, by a command at least?"""
        self.askers = [asker for asker in self.askers if asker.is_alive()]
        return not self.askers and now_ns() > self.asked_ns + QUIET_S * 1e9

    def some_name(self, draw):
        return draw.choice(self.nodes).name

    def strike_other_voters(self, draw, node):
        """One, three or all of them."""
        some = draw.sample(self.nodes, min(draw.choice([1, 3, 3, 5]), len(self.nodes)))
        names = [one.name for one in some]
        words = ["set", ",".join(names)]
        if len(names) == 3 and draw.random() < 0.5:
            words = ["set", ",".join(names[:2] + [WITNESS]), "--witness", self.witness.address]
        self.wish(node, *words)

    def strike_voter_more(self, draw, node):
        self.wish(node, "add", self.some_name(draw))

    def strike_voter_less(self, draw, node):
        self.wish(node, "remove", self.some_name(draw))

    def strike_voter_replaced(self, draw, node):
        self.wish(node, "replace", draw.choice(self.nodes + [self.witness]).name,
                  self.some_name(draw))

    def strike_witness(self, draw, node):
        words = draw.choice([["add", WITNESS], ["replace", self.some_name(draw), WITNESS],
                             ["remove", WITNESS]])
        at = [] if words[0] == "remove" else ["--witness", self.witness.address]
        self.wish(node, *words, *at)

    def strike_lost_witness(self, draw, node):
        what = draw.choice(["kill", "stop", "disk", "island"])
        if what == "kill":
            self.witness.kill("daemon")
        elif what == "stop" and self.witness.daemon is not None:
            self.witness.stop(self.witness.daemon.pid)
        elif what == "disk":
            self.strike_lost_disk(draw, self.witness)
        elif what == "island":
            for other in range(len(self.nodes)):
                self.net.cut(other, self.witness.index)
                self.net.cut(self.witness.index, other)

    def voters(self):
        """What the one that acts says of them; None: nobody does, or it does not say."""
        for index in list(self.pages.acting):
            try:
                document = json.loads(self.nodes[index].ask("voters", "--json").stdout)
                if document["acting"] and len(self.pages.acting) == 1:
                    return document
            except (subprocess.TimeoutExpired, ValueError, KeyError):
                pass
        return None

    def can_lose(self, node):
        """With its disk gone there are voters enough, and no change binds anybody to it."""
        document = self.voters() if self.wished() else None
        if (document is None or document["change"] is not None or document["lacking"] or
                node.name in self.lost):
            return None
        records = self.records(document)
        if node.name in records and len(self.lost) + 1 > (len(records) - 1) // 2:
            return None
        return records

    @staticmethod
    def records(document):
        return {voter["name"]: voter["record_id"] for voter in document["voters"]}

    def strike_lost_disk(self, draw, node):
        records = self.can_lose(node) if os.path.isdir(node.disk + "/state") else None
        if records is None:
            self.tell("the disk of %s cannot be spared, or not now" % node.name)
            return
        came = node.lose_disk(draw.random() < 0.5)
        if node.name in records:
            self.lost[node.name] = records[node.name]
        self.disks_lost += 1
        self.tell("%s lost its disk, and has %s" % (node.name, came))
        if draw.random() < 0.7:
            node.start()

    @staticmethod
    def view_of(told):
        """Of a record, as doyend tells it: epoch and version, and whom it names; None: it does not vote."""
        epoch = voters = None
        for line in told.splitlines():
            words = line.split()
            if line.startswith("  view "):
                epoch = tuple(int(number) for number in words[1].rstrip(",").split("."))
            elif line.startswith("  voters "):
                voters = [words[1]]
            elif voters is not None and line.startswith("    "):
                voters.append(words[0])
            elif voters is not None:
                break
        votes = epoch is not None and voters is not None and "  this one" in told
        return (epoch, sorted(voters)) if votes else None

    def strike_lost_quorum(self, draw, node):
        """More than half of the voters are lost for good, and one that is left is recovered.

        All daemons are stopped first, and each record looked at: where one names other voters than those that
        were asked about, a change came in between, and nothing is lost. A witness is among the lost."""
        document = self.voters() if self.wished() and not self.lost else None
        if document is None or document["change"] is not None or document["lacking"]:
            self.tell("the voters cannot be lost now")
            return
        names = sorted(self.records(document))
        for host in self.nodes + [self.witness]:
            host.heal()
            host.kill("daemon")
        views = {node.name: self.view_of(node.recover().stdout) for node in self.nodes if node.has_record()}
        views = {name: view for name, view in views.items() if view is not None}
        if any(listed != names for _, listed in views.values()) or not set(views) & set(names):
            self.tell("the records name others than %s: %s" % (names, views))
            return
        left = [name for name in names if name in views]
        draw.shuffle(left)
        left = left[:(len(names) - 1) // 2] or left[:1]
        best = max(left, key=lambda name: views[name][0])
        for host in self.nodes + [self.witness]:
            if host.name in names and host.name not in left or host is self.witness:
                host.lose_for_good()
        survivor = next(node for node in self.nodes if node.name == best)
        done = survivor.recover("--yes-the-others-are-gone", "doyen")
        self.tell("%s of %s is recovered at %s, %s are lost: %d %s %s" % (
            best, names, views[best][0], sorted(set(names) - set(left)), done.returncode,
            [line for line in done.stdout.splitlines() if line.startswith("Written")],
            done.stderr.strip()))
        if done.returncode != 0:
            self.alarm("%s cannot be recovered: %s" % (best, done.stderr.strip()))
        self.recovering = self.alone = True
        survivor.start()
        for other in draw.sample(self.nodes, draw.randint(0, len(self.nodes))):
            other.start()

    def give_voters(self, draw):
        """Whoever was recovered votes alone, until it is given others."""
        began = time.monotonic()
        names = [node.name for node in draw.sample(self.nodes, min(3, len(self.nodes)))]
        tried = "nothing"
        while self.alone:
            done = draw.choice(self.nodes).ask("voters", "set", ",".join(names), "--timeout", "10s")
            tried = "%d %s" % (done.returncode, done.stderr.strip())
            self.tell("voters set %s: %s" % (names, tried))
            self.alone = done.returncode != 0
            self.asked_ns = now_ns()
            if self.alone and time.monotonic() > began + REPAIR_LIMIT_S:
                self.alarm("%s do not vote in %g s: %s" % (names, REPAIR_LIMIT_S, tried))
                self.tell_state()
                return
            self.look(0.05)
        self.changed += 1
        self.repairs_took.append(time.monotonic() - began)

    def repair(self, draw):
        """Each voter whose disk was lost gets another record, or another takes its place."""
        began = time.monotonic()
        tried = "nothing"
        while self.lost:
            document = self.voters()
            if document is not None:
                records = self.records(document)
                if document["change"] is None:
                    self.lost = {name: record for name, record in self.lost.items()
                                 if records.get(name) == record}
                for name in sorted(self.lost) if document["change"] is None else []:
                    tried = self.mend(draw, name, records)
            if self.lost and time.monotonic() > began + REPAIR_LIMIT_S:
                self.alarm("%s not replaced in %g s: %s" % (sorted(self.lost), REPAIR_LIMIT_S, tried))
                self.tell_state()
                return
            self.look(0.05)
        self.repairs_took.append(time.monotonic() - began)

    def mend(self, draw, name, listed):
        words = ["voters", "replace", name]
        others = [node.name for node in self.nodes if node.name not in listed]
        if others and draw.random() < 0.3:
            words.append(draw.choice(others))
        done = draw.choice(self.nodes).ask(*words, "--timeout", "10s")
        self.changed += done.returncode == 0
        self.asked_ns = now_ns()
        self.tell("%s: %d %s" % (" ".join(words), done.returncode, done.stderr.strip()))
        return done.stderr.strip()

    def strike_transfer(self, draw, node):
        threading.Thread(target=self.quietly, args=(node, "transfer"), daemon=True).start()

    @staticmethod
    def quietly(node, *words):
        try:
            node.ask(*words)
        except subprocess.TimeoutExpired:
            pass

    # The rounds.

    def heal(self):
        self.net.heal()
        self.witness.heal()
        self.witness.reap()
        self.witness.start()
        for node in self.nodes:
            node.heal()
            node.reap()
            if node.terms != self.terms():
                node.kill("daemon")
            node.start()

    def read(self):
        self.work.read()
        if self.role_work is not None:
            self.role_work.read()

    def look(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.read()
            time.sleep(0.01)

    def settled(self, healed_ns):
        """One acts, and where there are workers, one of them has written since all was healed."""
        self.read()
        for node in self.nodes:
            node.reap()
            node.start()
        return self.pages.one_acts() and (not self.has_run or self.work.last_ns > healed_ns)

    def roles_settled(self, healed_ns):
        """Both roles are held, and each partition is owned."""
        self.settled(healed_ns)
        return (self.role_pages.one_acts() and self.role_work.last_ns > healed_ns and
                self.promises.all_owned(healed_ns))

    @staticmethod
    def wait_for(settled, limit_s, healed_ns):
        began = time.monotonic()
        while time.monotonic() < began + limit_s:
            if settled(healed_ns):
                return time.monotonic() - began
            time.sleep(0.005)
        return None

    def wait_settled(self, limit_s):
        return self.wait_for(self.settled, limit_s, now_ns())

    def wait_roles(self, healed_ns):
        if not self.options.roles:
            return
        left_s = ROLES_LIMIT_S - (now_ns() - healed_ns) / 1e9
        if self.wait_for(self.roles_settled, max(left_s, 1), healed_ns) is None:
            self.alarm("a role or a partition is free %g s after all was healed" % ROLES_LIMIT_S)
            self.tell_state()
            took = self.wait_for(self.roles_settled, 120, healed_ns)
            self.tell("roles settled %s later" % took)
        else:
            self.roles_took.append((now_ns() - healed_ns) / 1e9)

    def round(self, draw):
        for _ in range(draw.choice([1, 1, 2, 3])):
            self.strike(draw)
            self.look(draw.choice([0, 0.05, 0.3, 1.0]) * draw.random() * 2)
        self.look(draw.choice([0.1, 0.5, 1, 2, 4]) * draw.random() * 2)
        self.heal()
        healed_ns = now_ns()
        limit_s = RECOVERY_LIMIT_S if self.recovering else HEAL_LIMIT_S
        took = self.wait_settled(limit_s)
        self.tell("settled after %s" % took)
        if took is None:
            self.alarm("nobody acts %g s after all was healed" % limit_s)
            self.tell_state()
            took = self.wait_settled(120)
            self.tell("settled %s later" % took)
            self.wait_roles(now_ns())
            return None
        if self.recovering:
            self.recovering = False
            self.recoveries_took.append(took)
            took = None
        else:
            self.wait_roles(healed_ns)
        if self.alone:
            self.give_voters(draw)
        if self.lost:
            self.repair(draw)
        self.look(draw.random())
        return took

    def roles_failed(self):
        if not self.options.roles:
            return 0
        for line in self.role_pages.alarms + self.promises.alarms:
            self.tell("roles: " + line)
        return sum(part.overlaps + part.fell
                   for part in (self.role_pages, self.role_work, self.promises))

    def close(self):
        for node in self.nodes:
            node.heal()
            node.kill("run")
            node.kill("campaign")
            node.kill("daemon")
        self.witness.heal()
        self.witness.kill("daemon")
        self.pages.close()
        if self.options.roles:
            self.promises.over = True
            self.role_pages.close()
        self.net.close()
        for node in self.nodes + [self.witness]:
            subprocess.run(["umount", "-l", node.disk])
        if not (self.options.keep or self.alarms or self.pages.alarms or self.work.overlaps or
                self.work.fell or self.roles_failed()):
            shutil.rmtree(self.folder)


def seconds(text):
    units = {"s": 1, "m": 60, "h": 3600}
    return float(text[:-1]) * units[text[-1]] if text[-1] in units else float(text)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("time", nargs="?", type=seconds, default=60.0)
    parser.add_argument("--profile", choices=["lan", "local"], default="lan")
    parser.add_argument("--nodes", type=int, default=5)
    parser.add_argument("--seed", type=int, default=time.time_ns() // 10 ** 6)
    parser.add_argument("--clocks", choices=["wrong", "true"], default="wrong")
    parser.add_argument("--roles", action="store_true", help="roles and partitions, too")
    parser.add_argument("--faults", type=lambda text: text.split(","), help="these alone, with commas between them")
    parser.add_argument("--build", required=True, help="the folder with doyend and doyen")
    parser.add_argument("--helpers", required=True, help="the folder with page_watch and others")
    parser.add_argument("--keep", action="store_true", help="keeps logs and state")
    return parser.parse_args()


def report(cluster, rounds, took):
    pages, work = cluster.pages, cluster.work
    print("\n%d rounds, %d turns of acting, %d records of %d workers" %
          (rounds, len(pages.begins), work.records, work.turns))
    if took:
        print("one acts again: median %.2f s after all was healed, at most %.2f s" %
              (statistics.median(took), max(took)))
    print("%d changes of the voters, %d disks lost" % (cluster.changed, cluster.disks_lost))
    if cluster.repairs_took:
        print("lost voters replaced: median %.2f s after one acted, at most %.2f s" %
              (statistics.median(cluster.repairs_took), max(cluster.repairs_took)))
    if cluster.recoveries_took:
        print("%d times more than half lost: the recovered acts %.2f s after all was healed in the median, at most %.2f s" %
              (len(cluster.recoveries_took), statistics.median(cluster.recoveries_took),
               max(cluster.recoveries_took)))
    print("overlaps %d (pages) %d (workers), epochs fell %d %d, late %d" %
          (pages.overlaps, work.overlaps, pages.fell, work.fell, len(cluster.alarms)))
    if cluster.options.roles:
        pages_of, worked, promised = cluster.role_pages, cluster.role_work, cluster.promises
        print("roles: %d turns, %d records of %d workers; partitions: %d promises" %
              (len(pages_of.begins), worked.records, worked.turns, promised.asked))
        if cluster.roles_took:
            print("both roles held, each partition owned: median %.2f s after all was healed, "
                  "at most %.2f s" %
                  (statistics.median(cluster.roles_took), max(cluster.roles_took)))
        print("overlaps %d (pages) %d (workers) %d (partitions), tokens fell %d %d %d" %
              (pages_of.overlaps, worked.overlaps, promised.overlaps,
               pages_of.fell, worked.fell, promised.fell))
    return (pages.overlaps + work.overlaps + pages.fell + work.fell + len(cluster.alarms) +
            cluster.roles_failed())


def main():
    options = arguments()
    draw = random.Random(options.seed)
    print("seed %d, %s, %d nodes" % (options.seed, options.profile, options.nodes))
    cluster = Cluster(options)
    print("clocks fast by %s parts in a million" % [node.clock for node in cluster.nodes])
    rounds, took, until = 0, [], time.monotonic() + options.time
    try:
        cluster.heal()
        if cluster.wait_settled(60) is None:
            cluster.alarm("the cluster does not form; logs are in %s" % cluster.folder)
        while time.monotonic() < until and not cluster.alarms[20:]:
            seconds_taken = cluster.round(draw)
            rounds += 1
            took += [] if seconds_taken is None else [seconds_taken]
            if sys.stdout.isatty():
                alarms = len(cluster.alarms) + len(cluster.pages.alarms) + cluster.work.overlaps
                print("\r%d rounds, %d alarms" % (rounds, alarms), end="", flush=True)
    except KeyboardInterrupt:
        pass
    finally:
        failed = report(cluster, rounds, took)
        cluster.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
