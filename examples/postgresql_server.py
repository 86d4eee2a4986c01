"""One host's server of PostgreSQL 15, for postgresql.py: starts it as a standby, promotes it, and makes it anew."""

import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys

BIN = "/usr/lib/postgresql/15/bin/"
# Each row is a reign, or, with an age, a standby of the present one that was caught up: the log has them in order.
PROMOTE = """
    do $$ begin
        perform pg_promote(false) where pg_is_in_recovery();
        while pg_is_in_recovery() loop perform pg_sleep(0.005); end loop;
    end $$;;
    create table if not exists doyen
        (token bigint primary key, node text not null, age bigint, since timestamptz not null default now());
    insert into doyen select greatest({0}, max(token) + 1), '{1}' from doyen
        returning token, (select node from doyen where age is null order by token desc limit 1)"""
SETTINGS = "-c wal_retrieve_retry_interval=100ms -c wal_receiver_status_interval=1s -c wal_sender_timeout=5s" \
    " -c wal_receiver_timeout=5s".split()
TORN = -1


def say(text):
    print(f"postgresql.py: {text}", file=sys.stderr, flush=True)


def ask(where, query, within=2):
    """What a server answers; nothing where there is none, or nothing to say. Between transactions is ;; in a query."""
    commands = [word for part in query.split(";;") for word in ("-c", part)]
    session = "dbname=postgres options='-c default_transaction_read_only=off -c synchronous_commit=local'"
    try:
        return subprocess.run([BIN + "psql", "-XAtqF ", *commands, f"{where} {session}"], text=True, timeout=within,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
    except subprocess.TimeoutExpired:
        return ""


def ask_all(queries, are_enough):
    """What servers answer, by name, when those are enough; None: they never are. `queries` has pairs for `ask`."""
    pool, answers = concurrent.futures.ThreadPoolExecutor(), {}
    asked = {pool.submit(ask, *query): name for name, query in queries.items()}
    for done in concurrent.futures.as_completed(asked):
        answers |= {asked[done]: done.result()} if done.result() else {}
        if are_enough(answers):
            return answers
    return None


class Server:
    def __init__(self, data, name, where, others):
        self.data, self.name, self.where, self.others = data, name, where, others
        self.process = self.pidfd = None
        self.upstream = ""

    def reign(self):
        """The token under which this host was the primary; TORN where there is no whole database; None: it follows."""
        if not os.path.exists(self.data + "/PG_VERSION"):
            return TORN
        if not os.path.exists(self.data + ".reign"):
            return None
        with open(self.data + ".reign", encoding="ascii") as file:
            return int(file.read())

    def set_reign(self, token):
        with open(self.data + ".reign.new", "w", encoding="ascii") as file:
            print(token, file=file, flush=True)
            os.fsync(file.fileno())
        os.rename(self.data + ".reign.new", self.data + ".reign")

    def ask(self, query, within=2):
        return ask(self.where, query, within)

    def configure(self, **settings):
        with open(self.data + "/postgresql.auto.conf", "a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        if self.process:
            self.process.send_signal(signal.SIGHUP)

    def wait_for(self, names):
        """A commit waits for one of these standbys; for none: for nobody."""
        quoted = ",".join(f'"{name}"' for name in names)
        self.configure(synchronous_standby_names=f"ANY 1 ({quoted})" if names else "")

    def start(self):
        """Always as a standby, to which clients do not write. It ends with this process, by the kernel's hand."""
        if self.process:
            return
        open(self.data + "/standby.signal", "w", encoding="ascii").close()
        self.configure(default_transaction_read_only="on", **({} if self.upstream else {"primary_conninfo": ""}))
        self.wait_for(self.others)
        port = dict(word.split("=") for word in self.where.split())["port"]
        self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", BIN + "postgres", "-D", self.data,
                                         "-p", port, *SETTINGS], stdin=subprocess.DEVNULL)
        self.pidfd = os.pidfd_open(self.process.pid)

    def ends(self):
        """What is readable when the server has ended."""
        return [self.pidfd] if self.process else []

    def stop(self, how=signal.SIGINT):
        if self.process:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None
            os.close(self.pidfd)
            self.upstream = ""

    def follow(self, name, where):
        """Returns whether that is news."""
        if name == self.upstream:
            return False
        self.upstream = name
        self.configure(primary_conninfo=f"{where} application_name={self.name}")
        return True

    def promote(self, token):
        """Returns the token of its reign and the former primary. What clients write comes after that in the log."""
        self.set_reign(token)
        done = None
        while not done and self.process.poll() is None:  # It may have to replay first.
            done = self.ask(PROMOTE.format(token, self.name), within=60)
        if not done:
            return 0, None
        self.set_reign(done.split()[0])
        self.configure(default_transaction_read_only="off", primary_conninfo="")
        return int(done.split()[0]), "".join(done.split()[1:])

    def make_anew(self, leader):
        """Takes away what this host has and the primary has not; by a copy of all where it has to be.

        Whether the primary knows of this host's last reign says more than the number of its timeline, which
        two hosts may give that were never up at once."""
        reign = self.reign()
        is_known = reign is None or ask(leader, f"select 1 from doyen where token = {reign}")
        self.stop()
        self.set_reign(TORN)
        rewound = False
        if reign != TORN and is_known and ask(leader, "checkpoint; select 1", within=60):
            if os.path.exists(self.data + "/standby.signal"):
                os.remove(self.data + "/standby.signal")
            rewound = subprocess.call([BIN + "pg_rewind", "-D", self.data, "--source-server",
                                       f"{leader} dbname=postgres"], stdout=sys.stderr) == 0
        if not rewound:
            say("copies the primary's database")
            shutil.rmtree(self.data, ignore_errors=True)
            subprocess.check_call([BIN + "pg_basebackup", "-D", self.data, "-d", leader, "-c", "fast"])
        os.remove(self.data + ".reign")
