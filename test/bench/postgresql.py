#!/usr/bin/env python3
"""How long a writer waits, and what it loses, when something goes wrong with the primary of a PostgreSQL 15:
examples/postgresql.py under `doyen run` beside Patroni with etcd, each host in a network namespace of its own.

    test/bench/postgresql.py [--runs N] [--system SYSTEM]... [--fault FAULT]... [--json FILE] [--from FILE] [BUILD]
    test/bench/postgresql.py --check SYSTEM FAULT BUILD

needs root, ip, PostgreSQL 15, and Patroni and etcd, which are left out where they are not installed. The first prints
Markdown tables: of N runs (10) in turn the median and the worst, in seconds. All systems run beside each other. The
second is a test: it fails unless the writer is served again, no acknowledged row is lost, and no two hosts have
accepted writes, or said that they are the primary, at one instant.

Systems: `doyen-3` is three hosts; `doyen-2` two hosts with --alone, and a witness; both with guard strict and profile
lan. `patroni-30/10/10` and `patroni-5/1/2` are two hosts and three of etcd, synchronous_mode, by
ttl/loop_wait/retry_timeout. With `-haproxy` behind it, which --system has to ask for, the writer goes by HAProxy on its
own host, which looks every 200 ms which host answers 200.

The writer inserts a row every 20 ms by host=A,B,C target_session_attrs=read-write, and a row counts as acknowledged
when its INSERT has returned without a warning. On each host one more writer and a reader ask its server alone, from
that host itself, so that one that is cut off has clients, too. Faults:

    postgres   kill -9 of the primary's postmaster
    all        kill -9 of all on the primary's host
    link       the primary's host is cut off, silently, and comes back
    stop       the primary's host is cut off and all on it is stopped (SIGSTOP), as when it is suspended, and goes on
    switch     doyen transfer; POST /switchover
    standby    the host of a synchronous standby is cut off, silently, and comes back
    hang       script and server of the primary's host are stopped (SIGSTOP), and doyend is killed (--check of Doyen)
    lag        doyen transfer to a host that the primary's server does not reach: what it lacks is on the third one
               (--check of doyen-3)
    behind     the primary goes on alone; its host dies when the other one is back and has not caught up: nobody may
               be the primary before the former one is back (--check of doyen-2)
"""

import argparse
import ctypes
import json
import os
import pwd
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.realpath(os.path.join(HERE, "..", "..", "examples", "postgresql.py"))
BIN = "/usr/lib/postgresql/15/bin"
NAMES = {1: "athens", 2: "byzantium", 3: "cyrene"}
CLIENT = 9
SYSTEMS = ["doyen-3", "doyen-2", "patroni-30/10/10", "patroni-5/1/2"]
BY_HAPROXY = ["doyen-3-haproxy", "doyen-2-haproxy", "patroni-30/10/10-haproxy", "patroni-5/1/2-haproxy"]
FAULTS = ["postgres", "all", "link", "stop", "switch", "standby"]
WORDS = {"postgres": "kill -9 of postgres", "all": "kill -9 of all on the primary's host",
         "link": "primary's host cut off", "stop": "primary's host stopped", "switch": "planned switch",
         "standby": "standby's host cut off"}
OUT_S = 10  # how long a host is cut off or stopped, or, if that takes longer, until the writer is served
LIMIT_S = 180
USER = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]

now = time.monotonic


def say(*words):
    print(*words, flush=True)


# --- libpq ------------------------------------------------------------------------------------


def load_libpq():
    lib = ctypes.CDLL("libpq.so.5")
    for name, kind in (("PQconnectdb", ctypes.c_void_p), ("PQexec", ctypes.c_void_p), ("PQgetvalue", ctypes.c_char_p),
                       ("PQhost", ctypes.c_char_p), ("PQerrorMessage", ctypes.c_char_p)):
        getattr(lib, name).restype = kind
    lib.PQsetNoticeProcessor.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return lib


LIBPQ = load_libpq()
NOTICE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class Failed(Exception):
    pass


class Session:
    def __init__(self, where):
        self.warned = False
        self.hear = NOTICE(self.on_notice)  # kept from being collected
        self.handle = ctypes.c_void_p(LIBPQ.PQconnectdb(where.encode()))
        if LIBPQ.PQstatus(self.handle) != 0:
            text = LIBPQ.PQerrorMessage(self.handle).decode()
            self.close()
            raise Failed(text)
        LIBPQ.PQsetNoticeProcessor(self.handle, ctypes.cast(self.hear, ctypes.c_void_p), None)

    def on_notice(self, _context, _text):
        self.warned = True

    def host(self):
        return LIBPQ.PQhost(self.handle).decode()

    def rows(self, query):
        """Lists of text. That a commit was made on one host only is a warning; then it was not acknowledged."""
        self.warned = False
        result = ctypes.c_void_p(LIBPQ.PQexec(self.handle, query.encode()))
        try:
            if LIBPQ.PQresultStatus(result) not in (1, 2) or self.warned:
                raise Failed(LIBPQ.PQerrorMessage(self.handle).decode())
            return [[LIBPQ.PQgetvalue(result, row, column).decode() for column in range(LIBPQ.PQnfields(result))]
                    for row in range(LIBPQ.PQntuples(result))]
        finally:
            LIBPQ.PQclear(result)

    def is_broken(self):
        return LIBPQ.PQstatus(self.handle) != 0

    def close(self):
        if self.handle:
            LIBPQ.PQfinish(self.handle)
            self.handle = None


# --- Hosts, each in a network namespace -------------------------------------------------------


def ip(*lines):
    subprocess.run(["ip", "-batch", "-"], input="\n".join(lines) + "\n", text=True, check=True)


def address(place):
    return f"10.77.0.{place}"


def make_hosts(places):
    os.makedirs("/run/netns", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/netns"], check=True)
    ip("link set lo up", *(f"netns add host{place}" for place in places), "link add hub type bridge mcast_snooping 0",
       "link set hub up")
    for place in places:
        ip(f"link add port{place} type veth peer name eth0 netns host{place}", f"link set port{place} master hub up")
        subprocess.run(["ip", "-n", f"host{place}", "-batch", "-"], check=True, text=True, input=f"""
            link set lo up
            link set eth0 up
            address add {address(place)}/24 brd + dev eth0
            route add 224.0.0.0/4 dev eth0
            """)


def cut_off(place):
    ip(f"link set port{place} nomaster")


def let_in(place):
    ip(f"link set port{place} master hub")


def enter(place):
    """This thread stands on that host from now on."""
    with open(f"/run/netns/host{place}", encoding="ascii") as namespace:
        if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), 0) != 0:
            raise OSError(ctypes.get_errno(), "setns")


def there(place, work):
    """What `work` returns on that host, in a thread of its own; None if it fails."""
    answer = [None]

    def go():
        enter(place)
        try:
            answer[0] = work()
        except (OSError, ValueError, Failed):
            pass

    thread = threading.Thread(target=go)
    thread.start()
    thread.join()
    return answer[0]


def children_of(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return found


def family_of(pid):
    return [pid] + [one for child in children_of(pid) for one in family_of(child)]


def signal_all(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


# --- Systems ----------------------------------------------------------------------------------


def here(place):
    return f"host={address(place)} user=postgres dbname=postgres connect_timeout=2"


HAPROXY = """
defaults
    mode tcp
    retries 0
    timeout connect 1s
    timeout client 1h
    timeout server 1h

listen postgresql
    bind {}:5432
    option httpchk
    http-check send meth GET uri {}
    http-check expect status 200
    default-server check port {} inter 200ms fall 1 rise 1 on-marked-down shutdown-sessions
"""


class System:
    """What both have: `places` are the hosts with a database, `processes` what is to run on a host."""

    def __init__(self, folder, places, others):
        self.folder, self.places = folder, places
        self.processes = {place: [] for place in places}
        make_hosts(places + others + [CLIENT])
        user = pwd.getpwnam("postgres")
        for path in [folder] + [self.path(place) for place in places]:
            os.makedirs(path, exist_ok=True)
            os.chown(path, user.pw_uid, user.pw_gid)

    def path(self, place):
        return f"{self.folder}/{place}"

    def start_haproxy(self, uri, port):
        with open(f"{self.folder}/haproxy.cfg", "w", encoding="ascii") as file:
            file.write(HAPROXY.format(address(CLIENT), uri, port))
            file.writelines(f"    server {NAMES[place]} {address(place)}:5432\n" for place in self.places)
        self.spawn(CLIENT, shutil.which("haproxy") or "/usr/sbin/haproxy", "-f", f"{self.folder}/haproxy.cfg")

    def spawn(self, place, *command, **settings):
        with open(f"{self.folder}/{place}.log", "ab") as log:
            return subprocess.Popen(["ip", "netns", "exec", f"host{place}", *USER, *command], stdin=subprocess.DEVNULL,
                                    stdout=log, stderr=log, cwd=self.folder, **settings)

    def postmaster(self, place):
        try:
            with open(f"{self.path(place)}/data/postmaster.pid", encoding="ascii") as file:
                return int(file.readline())
        except (OSError, ValueError):
            return 0

    def everything(self, place):
        pids = [pid for process in self.processes[place] for pid in family_of(process.pid)]
        postmaster = self.postmaster(place)
        return pids + [pid for pid in (family_of(postmaster) if postmaster else []) if pid not in pids]

    def kill_postgres(self, place):
        os.kill(self.postmaster(place), signal.SIGKILL)

    def kill_all(self, place):
        pids = self.everything(place)
        signal_all(pids, signal.SIGSTOP)
        signal_all(pids, signal.SIGKILL)
        for process in self.processes[place]:
            process.wait()

    def query(self, place, text):
        """From that host itself."""
        def ask():
            session = Session(here(place) + " options='-c synchronous_commit=local'")
            try:
                return session.rows(text)
            finally:
                session.close()

        return there(place, ask) or []


class Doyen(System):
    def __init__(self, folder, build, kind):
        self.build, self.count = build, int(kind.removesuffix("-haproxy"))
        places = [1, 2, 3][:self.count]
        super().__init__(folder, places, [3] if self.count == 2 else [])
        self.make_first()
        self.daemons = {}
        if self.count == 2:
            self.make_key()
        for place in places:
            self.start(place)
        if self.count == 2:
            self.add_witness()
        if kind.endswith("-haproxy"):
            self.start_haproxy("/v1/is-coordinator", 8420)

    def make_first(self):
        data = f"{self.path(1)}/data"
        subprocess.run([*USER, f"{BIN}/initdb", "-k", "-A", "trust", "-U", "postgres", "-D", data], check=True,
                       stdout=subprocess.DEVNULL, cwd=self.folder)
        with open(f"{data}/pg_hba.conf", "a", encoding="ascii") as file:
            file.write("host all,replication all 10.77.0.0/24 trust\n")
        with open(f"{data}/postgresql.conf", "a", encoding="ascii") as file:
            file.write("listen_addresses = '*'\nunix_socket_directories = ''\nwal_log_hints = on\nwal_keep_size = 256MB\n")
        with open(f"{data}.reign", "w", encoding="ascii") as file:
            file.write("0\n")
        os.chown(f"{data}.reign", *pwd.getpwnam("postgres")[2:4])

    def make_key(self):
        subprocess.run([*USER, f"{self.build}/doyend", "--make-key", f"{self.folder}/key"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        subprocess.run([*USER, "mkdir", "-m", "0700", f"{self.folder}/keys"], check=True)
        subprocess.run([*USER, "cp", f"{self.folder}/key", f"{self.folder}/keys/doyen.key"], check=True)

    def control(self, place):
        return f"{self.folder}/{NAMES[place]}.sock"

    def start(self, place):
        self.processes[place] = [self.start_daemon(place), self.start_run(place)]

    def start_daemon(self, place):
        names = [NAMES[one] for one in self.places]
        secrecy = ["--key", f"{self.folder}/key"] if self.count == 2 else ["--insecure"]
        return self.spawn(
            place, f"{self.build}/doyend", "--name", NAMES[place], *secrecy, "--control", self.control(place),
            "--state-dir", f"{self.path(place)}/state", "--guard", "strict", "--voters", ",".join(names),
            "--http", f"{address(place)}:8420",
            *(word for other in self.places for word in ("--seed", address(other))))

    def start_run(self, place):
        environment = dict(os.environ, DOYEN_CONTROL=self.control(place), PATH=f"{self.build}:{os.environ['PATH']}",
                           PGUSER="postgres")
        return self.spawn(
            place, f"{self.build}/doyen", "run", "--standby", "--", EXAMPLE, *(["--alone"] if self.count == 2 else []),
            f"{self.path(place)}/data", *(f"{NAMES[one]}={address(one)}:5432" for one in self.places), env=environment)
    def hang(self, place):
        """Returns what undoes it, which fails if anything of the job is left."""
        watchdog = children_of(self.processes[place][1].pid)[0]
        job = family_of(watchdog)[1:]
        signal_all(job, signal.SIGSTOP)
        self.processes[place][0].kill()
        self.processes[place][0].wait()

        def undo():
            if left := [pid for pid in job if os.path.exists(f"/proc/{pid}")]:
                sys.exit(f"postgresql.py: stopped processes of the job are left: {left}")
            self.processes[place][0] = self.start_daemon(place)

        return undo

    def doyen(self, place, *words):
        return subprocess.run([*USER, f"{self.build}/doyen", "-c", self.control(place), *words], check=False,
                              capture_output=True, text=True, cwd=self.folder)

    def add_witness(self):
        self.spawn(3, f"{self.build}/doyen-witness", "--key", f"{self.folder}/keys", "--state-dir",
                   f"{self.folder}/witness", "--listen", f"{address(3)}:7420")
        until = now() + LIMIT_S
        while self.doyen(1, "voters", "add", "third", "--witness", f"{address(3)}:7420").returncode != 0:
            if now() > until:
                sys.exit("postgresql.py: no witness")
            time.sleep(0.2)

    def primary(self):
        for place in self.places:
            if self.query(place, "select 1 from doyen where not pg_is_in_recovery()"):
                return place
        return None

    def is_whole(self):
        place = self.primary()
        streaming = self.query(place, "select application_name from pg_stat_replication where state = 'streaming' and"
                               " sync_state = 'quorum'") if place else []
        if len(streaming) < len(self.places) - 1 or self.doyen(place, "wait", "--members", str(self.count), "--timeout",
                                                               "10ms").returncode != 0:
            return False
        if self.count == 3:
            return True
        ages = {one["name"]: one["age"] for one in json.loads(self.doyen(place, "--json", "members").stdout)["members"]}
        told = self.query(place, "select age from doyen where age is not null order by token desc limit 1")
        return told == [[str(ages[streaming[0][0]])]]

    def standby_of(self, place):
        return next(one for one in self.places if one != place)

    def switch(self, place, other):
        self.doyen(place, "transfer", NAMES[other])


class Patroni(System):
    def __init__(self, folder, _build, kind):
        super().__init__(folder, [1, 2], [4, 5, 6])
        self.timing = kind.removesuffix("-haproxy")
        for place in (4, 5, 6):
            self.start_etcd(place)
        time.sleep(3)
        for place in self.places:
            self.start(place)
        if kind.endswith("-haproxy"):
            self.start_haproxy("/primary", 8008)

    def start_etcd(self, place):
        peers = ",".join(f"etcd{one}=http://{address(one)}:2380" for one in (4, 5, 6))
        self.spawn(place, "etcd", "--name", f"etcd{place}", "--data-dir", f"{self.folder}/etcd{place}",
                   "--listen-peer-urls", f"http://{address(place)}:2380", "--initial-advertise-peer-urls",
                   f"http://{address(place)}:2380", "--listen-client-urls", f"http://{address(place)}:2379",
                   "--advertise-client-urls", f"http://{address(place)}:2379", "--initial-cluster", peers,
                   "--initial-cluster-state", "new")

    def start(self, place):
        ttl, loop_wait, retry_timeout = self.timing.split("/")
        own, here = self.path(place), address(place)
        with open(f"{own}.yml", "w", encoding="ascii") as file:
            file.write(f"""
scope: bench
name: {NAMES[place]}
restapi: {{listen: '{here}:8008', connect_address: '{here}:8008'}}
etcd3: {{hosts: '{",".join(address(one) + ":2379" for one in (4, 5, 6))}'}}
bootstrap:
  dcs:
    ttl: {ttl}
    loop_wait: {loop_wait}
    retry_timeout: {retry_timeout}
    synchronous_mode: true
    postgresql: {{use_pg_rewind: true, use_slots: true}}
  initdb: [encoding: UTF8, data-checksums, {{auth: trust}}]
  pg_hba: ['local all all trust', 'host all all 0.0.0.0/0 trust', 'host replication all 0.0.0.0/0 trust']
postgresql:
  listen: '{here},127.0.0.1:5432'
  connect_address: '{here}:5432'
  data_dir: {own}/data
  bin_dir: {BIN}
  pgpass: {own}/pgpass
  authentication:
    superuser: {{username: postgres, password: x}}
    replication: {{username: replicator, password: x}}
  parameters: {{unix_socket_directories: ''}}
""")
        self.processes[place] = [self.spawn(place, "/usr/bin/patroni", f"{own}.yml", env={
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": own})]

    def ask(self, place, path, body=None):
        def ask():
            request = urllib.request.Request(f"http://{address(place)}:8008{path}", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=60 if body else 2) as reply:
                return {} if body else json.load(reply)

        return there(CLIENT, ask) or {}

    def members(self):
        for place in self.places:
            if members := self.ask(place, "/cluster").get("members"):
                return {member["name"]: member for member in members}
        return {}

    def primary(self):
        return next((place for place in self.places for member in [self.members().get(NAMES[place], {})]
                     if member.get("role") == "leader" and member.get("state") == "running"), None)

    def is_whole(self):
        members = self.members().values()
        roles = [member["role"] for member in members]
        return len(roles) == 2 and "leader" in roles and "sync_standby" in roles and all(
            member["state"] in ("running", "streaming") for member in members)

    def standby_of(self, place):
        return next(one for one in self.places if one != place)

    def switch(self, place, other):
        self.ask(place, "/switchover", json.dumps({"leader": NAMES[place], "candidate": NAMES[other]}).encode())


# --- Clients ----------------------------------------------------------------------------------


class Clients:
    def __init__(self, system):
        self.system, self.ended = system, False
        self.acknowledged = []  # (when, id, address of the host)
        self.accepted, self.called = [], []  # (when, host, id) by who asks one host alone, and (when, host)
        self.threads = [threading.Thread(target=self.write, daemon=True)]
        for place in system.places:
            self.threads += [threading.Thread(target=work, args=(place,), daemon=True)
                             for work in (self.write_locally, self.read_locally)]
        for thread in self.threads:
            thread.start()

    def loop(self, where, pause_s, work):
        """`work` with a session, again and again, and with another session when that one has failed."""
        session = None
        while not self.ended:
            try:
                session = session or Session(where)
                work(session)
            except Failed:
                if session and session.is_broken():
                    session.close()
                    session = None
            time.sleep(pause_s)

    def write(self):
        enter(CLIENT)
        hosts = [CLIENT] if os.path.exists(f"{self.system.folder}/haproxy.cfg") else self.system.places
        where = (f"host={','.join(map(address, hosts))} user=postgres dbname=postgres"
                 " target_session_attrs=read-write connect_timeout=2 tcp_user_timeout=1000"
                 " keepalives_idle=1 keepalives_interval=1 keepalives_count=2")
        count = 0

        def work(session):
            nonlocal count
            count += 1
            try:
                session.rows(f"insert into written values ({count})")
            except Failed:
                session.close()  # It may be a standby by now: another one is looked for.
                raise
            self.acknowledged.append((now(), count, session.host()))

        self.loop_closing(where, work)

    def loop_closing(self, where, work):
        while not self.ended:
            try:
                session = Session(where)
                while not self.ended:
                    work(session)
                    time.sleep(0.02)
                session.close()
            except Failed:
                time.sleep(0.02)

    def write_locally(self, place):
        enter(place)
        count = 0

        def work(session):
            nonlocal count
            count += 1
            session.rows(f"insert into written_here values ({place}, {count})")
            self.accepted.append((now(), place, count))

        self.loop(here(place), 0.1, work)

    def read_locally(self, place):
        enter(place)

        def work(session):
            if session.rows("select pg_is_in_recovery()") == [["f"]]:
                self.called.append((now(), place))

        self.loop(here(place), 0.1, work)

    def is_served(self, for_s=0.5):
        since = now() - for_s
        return bool(self.acknowledged) and self.acknowledged[-1][0] > now() - 0.3 and \
            len([one for one in self.acknowledged[-200:] if one[0] > since]) > for_s * 8


def longest_wait(acknowledged, since, until):
    """The longest time from one acknowledged write to the next, and to which host that went."""
    times = [one for one in acknowledged if since - 2 <= one[0] <= until]
    gaps = [(b[0] - a[0], b[2]) for a, b in zip(times, times[1:]) if b[0] >= since]
    return max(gaps) if gaps else (until - since, None)


def overlap(seen, old, struck, undone):
    """For how long the former primary still had its turn after another host's first. One that was stopped until
    then said nothing before it was woken."""
    first = min([one[0] for one in seen if one[0] >= struck and one[1] != old], default=None)
    late = [one[0] for one in seen if first and one[0] > first and one[1] == old]
    others = [one[0] for one in seen if late and one[0] > late[-1] and one[1] != old]
    return late[-1] - max(first, undone) if late and others else 0


# --- One run ----------------------------------------------------------------------------------


class Bench:
    def __init__(self, name, build, folder):
        self.name, self.folder = name, folder
        kind, _, rest = name.partition("-")
        self.system = (Doyen if kind == "doyen" else Patroni)(self.folder, build, rest)
        until = now() + LIMIT_S
        while not (place := self.system.primary()) or not self.create(place):
            if now() > until:
                self.fail("there is no primary in the beginning")
            time.sleep(0.2)
        self.clients = Clients(self.system)

    def create(self, place):
        tables = self.system.query(place, "create table if not exists written (id bigint primary key);"
                                   "create table if not exists written_here (host int, id bigint);"
                                   "select 1 where not pg_is_in_recovery()")
        return bool(tables)

    def fail(self, text):
        logs = subprocess.run(f"tail -n 15 {self.folder}/*.log", shell=True, capture_output=True, text=True, check=False)
        sys.exit(f"postgresql.py: {self.name}: {text}\n{logs.stdout}")

    def settle(self):
        """Until all is as it should be, and has been for a while."""
        until, since = now() + LIMIT_S, None
        while now() < until:
            calm = self.clients.is_served() and self.system.is_whole()
            since = (since or now()) if calm else None
            if since and now() - since > 1.5:
                return
            time.sleep(0.1)
        self.fail("it does not become whole again")

    def await_served(self, struck, at_least_s):
        while now() < struck + LIMIT_S:
            if now() > struck + at_least_s and self.clients.is_served(1):
                return
            time.sleep(0.02)
        self.fail("the writer is not served again")

    def run(self, fault):
        self.settle()
        time.sleep(random.random() * (float(self.name.split("/")[1]) if "/" in self.name else 1))
        system, place = self.system, self.system.primary()
        other = system.standby_of(place)
        struck = now()
        undo = self.strike(fault, place, other)
        self.await_served(struck, OUT_S if fault in ("link", "stop", "standby") else 3)
        undone = now()
        undo()
        self.settle()
        since = undone if fault == "stop" else struck
        waited, by = longest_wait(self.clients.acknowledged, struck, undone)
        again, _ = longest_wait(self.clients.acknowledged, undone, now())
        return {"system": self.name, "fault": fault, "wait_s": waited, "moved": by != address(place),
                "wait_then_s": again, "lost": self.lost(),
                "two_accept_s": overlap(self.clients.accepted, place, struck, since),
                "two_say_s": overlap(self.clients.called, place, struck, since), "load": os.getloadavg()[0]}

    def strike(self, fault, place, other):
        """Returns what undoes it."""
        system = self.system
        if fault == "postgres":
            system.kill_postgres(place)
        elif fault == "all":
            system.kill_all(place)
            return lambda: system.start(place)
        elif fault in ("link", "standby"):
            hit = other if fault == "standby" else place
            cut_off(hit)
            return lambda: let_in(hit)
        elif fault == "stop":  # Its kernel says nothing either.
            cut_off(place)
            stopped = system.everything(place)
            signal_all(stopped, signal.SIGSTOP)
            return lambda: (let_in(place), signal_all(stopped, signal.SIGCONT))
        elif fault == "lag":
            rule = f"to {address(other)} ipproto tcp sport 5432 blackhole"
            subprocess.run(f"ip -n host{place} rule add {rule}", shell=True, check=True)
            self.await_served(now(), 1)
            system.switch(place, other)
            return lambda: subprocess.run(f"ip -n host{place} rule del {rule}", shell=True, check=True)
        elif fault == "hang":
            return system.hang(place)
        elif fault == "behind":
            self.leave_behind(place, other)
        else:
            system.switch(place, other)
        return lambda: None

    def leave_behind(self, place, other):
        cut_off(other)
        self.await_served(now(), 4)
        self.system.kill_all(place)
        let_in(other)
        until = now() + 8
        while now() < until:
            if self.system.query(other, "select 1 where not pg_is_in_recovery()"):
                sys.exit("postgresql.py: a host is the primary that has not what was acknowledged")
            time.sleep(0.1)
        self.system.start(place)

    def lost(self):
        """How many of all rows that were ever acknowledged are not there."""
        said = {one[1] for one in list(self.clients.acknowledged)}
        said_here = {(one[1], one[2]) for one in list(self.clients.accepted)}
        time.sleep(0.2)
        place = self.system.primary()
        there = {int(row[0]) for row in self.system.query(place, "select id from written")}
        there_here = {(int(row[0]), int(row[1])) for row in self.system.query(place, "select host, id from written_here")}
        return len(said - there) + len(said_here - there_here)


def work(folder, name, faults, runs, build, path):
    bench = Bench(name, build, folder)
    for number in range(runs):
        for fault in faults:
            result = bench.run(fault)
            line = json.dumps(dict(result, number=number))
            say(line)
            if path:
                with open(path, "a", encoding="ascii") as file:
                    file.write(line + "\n")
    bench.clients.ended = True


def in_worker(*words):
    """The output of `--one` in namespaces of its own, which nothing outlives; after its status."""
    with tempfile.TemporaryDirectory(prefix="doyen-postgresql-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        done = subprocess.run(["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                               "bash", "-c", '"$@"; exit $?', "-",  # who waits for the children of the dead
                               sys.executable, "-B", __file__, "--one", folder, *words],
                              stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout


def check(result):
    text = f"{result['system']}, {result['fault']}: "
    if result["lost"]:
        sys.exit(f"postgresql.py: {text}{result['lost']} acknowledged rows are lost")
    says = result["two_say_s"] if result["fault"] != "stop" else 0  # Who is woken says so until it is ended.
    if result["two_accept_s"] or says:
        sys.exit(f"postgresql.py: {text}two were the primary at once: {result}")
    say(f"{text}the writer was served again after {result['wait_s']:.2f} s, and nothing is lost")


# --- Tables -----------------------------------------------------------------------------------


def figure(values):
    if not values:
        return "–"
    return "0" if max(values) == 0 else f"{statistics.median(values):.2f} ({max(values):.2f})"


def show(results, systems, faults):
    for title, what in (("no write acknowledged", lambda r: r["wait_s"]), ("the same when it is over", lambda r: r["wait_then_s"]),
                        ("two accept writes", lambda r: r["two_accept_s"]), ("two say primary", lambda r: r["two_say_s"])):
        say(f"\n| {title} | {' | '.join(systems)} |\n|" + "---|" * (len(systems) + 1))
        for fault in faults:
            cells = [figure([what(r) for r in results if (r["system"], r["fault"]) == (s, fault)]) for s in systems]
            say(f"| {WORDS[fault]} | {' | '.join(cells)} |")
    lost = {s: sum(r["lost"] for r in results if r["system"] == s) for s in systems}
    counts = {s: [sum((r["system"], r["fault"]) == (s, f) for r in results) for f in faults] for s in systems}
    loads = [r["load"] for r in results]
    say(f"\nLost: {lost}; runs: {counts}; load {statistics.median(loads):.1f}, {max(loads):.1f} at the most.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--system", action="append", choices=SYSTEMS + BY_HAPROXY)
    parser.add_argument("--fault", action="append", choices=FAULTS)
    parser.add_argument("--json", metavar="FILE", help="to which each run is appended as a line")
    parser.add_argument("--from", dest="old", metavar="FILE", help="show these lines; run nothing")
    parser.add_argument("build", nargs="?", default="build/release")
    options = parser.parse_args()

    has_patroni = shutil.which("patroni") and shutil.which("etcd")
    systems = options.system or [s for s in SYSTEMS if has_patroni or not s.startswith("patroni")]
    faults = options.fault or FAULTS
    if options.old:
        with open(options.old, encoding="ascii") as file:
            results = [json.loads(line) for line in file]
        show(results, [s for s in SYSTEMS + BY_HAPROXY if any(r["system"] == s for r in results)], faults)
        return
    def one(system):
        return in_worker(system, ",".join(faults), str(options.runs), os.path.abspath(options.build),
                         os.path.abspath(options.json) if options.json else "")[1]

    with ThreadPoolExecutor(len(systems)) as pool:
        results = [json.loads(line) for text in pool.map(one, systems) for line in text.splitlines()]
    show(results, systems, faults)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        work(sys.argv[2], sys.argv[3], sys.argv[4].split(","), int(sys.argv[5]), sys.argv[6], sys.argv[7])
    elif sys.argv[1:2] == ["--check"]:
        status, text = in_worker(sys.argv[2], sys.argv[3], "1", os.path.abspath(sys.argv[4]), "")
        if status != 0:
            sys.exit(1)
        check(json.loads(text.splitlines()[-1]))
    else:
        main()
