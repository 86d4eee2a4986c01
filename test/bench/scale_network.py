"""Hosts for scripts/bench scale: network namespaces on a bridge, or addresses of the loopback interface."""

import contextlib
import ctypes
import os
import shutil
import subprocess

CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def enter(descriptor):
    if libc.setns(descriptor, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def ip_batch(lines, tool="ip"):
    subprocess.run([tool, "-batch", "-"], input="\n".join(lines) + "\n", text=True, check=True,
                   capture_output=True)


class Undertaker:
    """Ends processes if this one ends without having done so."""

    def __init__(self):
        self.shell = subprocess.Popen(
            ["sh", "-c", 'while read -r one && [ "$one" != done ]; do all="$all $one"; done; '
             '[ "$one" = done ] || kill -9 $all 2>/dev/null'], stdin=subprocess.PIPE, text=True,
            start_new_session=True)

    def note(self, pid):
        self.shell.stdin.write(f"{pid}\n")
        self.shell.stdin.flush()

    def close(self):
        self.shell.stdin.write("done\n")
        self.shell.stdin.close()
        self.shell.wait()


def spawn(argv, log):
    """As cheaply as can be: how long it takes is part of what is measured."""
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, close_fds=False)


class NeighbourTable:
    """The kernel has one table of link-layer addresses for all namespaces, which a hundred hosts that all
    know each other overflow."""

    SIZES = {"gc_thresh3": 262144, "gc_thresh2": 131072, "gc_thresh1": 65536}

    def __init__(self):
        self.before = {}
        for name, size in self.SIZES.items():
            with open(f"/proc/sys/net/ipv4/neigh/default/{name}", "r+") as file:
                self.before[name] = file.read()
                if int(self.before[name]) < size:
                    file.seek(0)
                    file.write(str(size))

    def close(self):
        for name in reversed(self.SIZES):
            with open(f"/proc/sys/net/ipv4/neigh/default/{name}", "w") as file:
                file.write(self.before[name])


class Network:
    """A namespace for each of `count` hosts, on one of two bridges in another, with a cable between them."""

    can_cut = True

    def __init__(self, count):
        self.table = NeighbourTable()
        self.tag = f"doyen-{os.getpid()}"
        self.names = [f"{self.tag}-{i}" for i in range(count)]
        self.hub = f"{self.tag}-hub"
        self.home = os.open("/proc/self/ns/net", os.O_RDONLY)
        ip_batch([f"netns add {name}" for name in [self.hub, *self.names]])
        self.spaces = [os.open(f"/run/netns/{name}", os.O_RDONLY) for name in self.names]
        self.hub_space = os.open(f"/run/netns/{self.hub}", os.O_RDONLY)
        with self.inside(self.hub_space):
            ip_batch(["link add br0 type bridge", "link set br0 up", "link add br1 type bridge",
                      "link set br1 up", "link add t0 type veth peer name t1",
                      "link set t0 master br0 up", "link set t1 master br1 up"])
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

    def at(self, i):
        """For what is to run on that host."""
        return self.inside(self.spaces[i])

    @staticmethod
    def address(i):
        return f"10.78.{(i + 1) >> 8}.{(i + 1) & 255}"

    def start(self, i, argv, log):
        with self.at(i):
            return spawn(argv, log)

    def cut(self, i):
        with self.inside(self.hub_space):
            ip_batch([f"link set h{i} nomaster"])

    def arrange(self, apart):
        """Those hosts are on the second bridge."""
        with self.inside(self.hub_space):
            ip_batch([f"link set h{i} master br{int(i in apart)}" for i in range(len(self.names))])

    def split(self):
        """Between the two bridges, without a word to anybody."""
        with self.inside(self.hub_space):
            ip_batch(["link set t0 down"])

    def join(self):
        with self.inside(self.hub_space):
            ip_batch(["link set t0 up"])

    def mend(self):
        self.arrange(set())
        self.join()

    def sent(self):
        """[(bytes, packets)] that each host has sent so far, headers of Ethernet included."""
        with self.inside(self.hub_space), open("/proc/thread-self/net/dev") as table:
            rows = {name.strip(): rest.split() for name, rest in
                    (line.split(":", 1) for line in table if ":" in line)}
        return [(int(rows[f"h{i}"][0]), int(rows[f"h{i}"][1])) for i in range(len(self.names))]

    def close(self):
        for descriptor in [*self.spaces, self.hub_space, self.home]:
            os.close(descriptor)
        ip_batch([f"netns del {name}" for name in [*self.names, self.hub]])
        self.table.close()


class Loopback:
    """An address of the loopback interface for each host: nothing counts packets there, and no cable can
    be pulled."""

    can_cut = False

    def __init__(self, count):
        self.count = count

    def at(self, i):
        return contextlib.nullcontext()

    @staticmethod
    def address(i):
        return f"127.78.{(i + 1) >> 8}.{(i + 1) & 255}"

    def start(self, i, argv, log):
        return spawn(argv, log)

    def mend(self):
        pass

    def sent(self):
        return None

    def close(self):
        pass


def may_have_namespaces():
    return os.geteuid() == 0 and shutil.which("ip") is not None


def processor_ms(pid):
    """Of all threads of the process."""
    spent = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/schedstat") as file:
            spent += int(file.read().split()[0])
    return spent / 1e6


def memory_kb(pid):
    """Resident, and the share of it that is the process's own (PSS)."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        fields = {line.split()[0]: line.split()[1] for line in file if ":" in line.split()[0]}
    return int(fields["Rss:"]), int(fields["Pss:"])


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))
