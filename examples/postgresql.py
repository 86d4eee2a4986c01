#!/usr/bin/python3 -s
"""Keeps PostgreSQL 15 on this host: as a standby, and as the primary where this node acts.

    doyen run --standby -- postgresql.py [--alone] DATA NAME=ADDRESS:PORT...

This is for the account that owns DATA, and the same on every host: docs/guide/postgresql.md goes through it, and
says why no acknowledged write is lost. The hosts are those with a database, by the names of their nodes; one that
has none yet copies it. With --alone, for two hosts, the primary goes on when the other one is no member any more.
"""

import os
import select
import signal
import sys
import time

from postgresql_node import Node
from postgresql_server import TORN, Server, ask, ask_all, say

PATIENCE_S = 5  # so long a standby may not stream before it is made anew
# The last token; how far the log goes; at which age the host was caught up in this reign; when all is replayed.
POSITION = """
    select coalesce(max(token), 0), greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0', max(age)
        filter (where node = '{0}' and token > (select max(token) from doyen where age is null)) from doyen
    having pg_is_in_recovery() and pg_last_wal_replay_lsn() >= coalesce(pg_last_wal_receive_lsn(), '0/0')"""
# The same, but nothing while more may come to that host from another one than the one that asks.
IS_SETTLED = """
    and (current_setting('primary_conninfo') || ' ' like '{1} %' or current_setting('primary_conninfo') = '')
    and not exists (select 1 from pg_stat_wal_receiver
        where 'host=' || sender_host || ' port=' || sender_port <> '{1}')"""
STREAMS = "select 1 from pg_stat_replication where application_name = '{}' and state = 'streaming'"


class Keeper:
    def __init__(self, data, hosts, alone):
        self.hosts, self.alone, self.node = hosts, alone, Node()
        self.me = self.node.name
        self.others = [name for name in hosts if name != self.me]
        self.server = Server(data, self.me, hosts[self.me], self.others)
        self.epoch = self.token = 0  # under which it acts, and of the reign that it leads
        self.is_alone, self.caught_up = False, None  # with --alone; and at which age the other host was
        self.is_calm = False  # nothing has happened for a second
        self.began = self.streamed = time.monotonic()

    def stand_by(self):
        leader, reign = self.node.leader, self.server.reign()
        if reign is None:
            is_new = leader in self.others and self.server.follow(leader, self.hosts[leader])
            self.server.start()
            is_time = time.monotonic() > self.streamed + (1 if self.is_calm else PATIENCE_S)
            if is_new or is_time and self.server.ask("select 1 from pg_stat_wal_receiver where status = 'streaming'"):
                self.streamed = time.monotonic()
        elif reign != TORN and time.monotonic() > self.began + PATIENCE_S:
            self.server.start()  # Whoever is to be the primary may have to ask it.
        is_bad = leader in self.others and (reign is not None or time.monotonic() > self.streamed + PATIENCE_S)
        if is_bad and ask(self.hosts[leader], "select 1 from doyen where not pg_is_in_recovery() limit 1"):
            self.server.make_anew(self.hosts[leader])
            self.streamed = time.monotonic()

    def newest(self, reign):
        """Which host has all that was acknowledged; None while that is not known."""
        queries = {self.me: (self.hosts[self.me], POSITION.format(self.me))} | {
            host: (self.hosts[host], (POSITION + IS_SETTLED).format(host, self.hosts[self.me])) for host in self.others}
        age = [str(self.node.members()[0].get(self.me))] if self.alone else None
        answers = ask_all(queries, lambda some: self.me in some and len(some) >= len(self.hosts) - (
            not self.alone or reign is None and some[self.me].split()[2:] == age))
        positions = {host: [int(word) for word in text.split()[:2]] for host, text in (answers or {}).items()}
        return max(positions, key=lambda host: (positions[host], host == self.me), default=None)

    def become_primary(self):
        reign, token = self.server.reign(), self.epoch << 20
        if reign == TORN:
            return self.node.hand_over()
        self.server.start()
        if reign is not None and (reign == 0 or reign >= token):
            token = max(token, reign + 1)  # Nobody has led since, or ever.
        elif (newest := self.newest(reign)) != self.me:
            return newest and self.catch_up(newest, reign)
        self.token, former = self.server.promote(token)
        if not self.token:
            sys.exit("postgresql.py: the server cannot be promoted")
        say(f"{self.me} is the primary, with token {self.token}")
        return self.lead(former == self.others[0])

    def catch_up(self, newest, reign):
        """Fetches what another host has and this one lacks; one from which it cannot come is to be the primary."""
        if reign is None and self.server.follow(newest, self.hosts[newest]):
            self.streamed = time.monotonic()
        elif reign is not None or time.monotonic() > self.streamed + 1:
            self.node.hand_over(newest)

    def lead(self, may_leave=False):
        """With --alone looks for the other host; `may_leave`: that one was the primary, and has to begin anew."""
        ages, acts = self.node.members() if self.alone else ({}, False)
        if not acts:
            return
        age = ages.get(other := self.others[0])
        if not self.is_alone and (not age or may_leave):
            self.is_alone = True
            self.server.wait_for([])
            say(f"goes on without {other}: what is written from now on is on this host only")
            return
        streams = self.server.ask(STREAMS.format(other))
        if self.is_alone and age and streams:
            self.server.wait_for([other])
            self.is_alone = not self.server.ask("checkpoint; select 1", within=60)  # After that the setting holds.
            say(f"goes on with {other} again")
        if not self.is_alone and streams and age and age != self.caught_up and self.server.ask(
                f"insert into doyen select max(token) + 1, '{other}', {age} from doyen returning 1"):
            self.caught_up = age

    def round(self):
        patience_s = 0.1 if self.epoch and not self.token else 1
        ready = select.select([sys.stdin, self.node, *self.server.ends()], [], [], patience_s)[0]
        self.is_calm = not ready
        if sys.stdin in ready:
            self.epoch = int(sys.stdin.readline())
        if self.node in ready:
            self.node.hear()
        if self.server.process and self.server.process.poll() is not None:
            if self.token and not self.is_alone:
                self.node.hand_over()
            sys.exit(f"postgresql.py: the server has ended with {self.server.process.returncode}")
        step = self.stand_by if not self.epoch else self.lead if self.token else self.become_primary
        step()


def main():
    alone = sys.argv[1:2] == ["--alone"]
    words = sys.argv[1 + alone:]
    pairs = [word.split("=") for word in words[1:]]
    hosts = {name: "host={} port={}".format(*where.split(":")) for name, where in pairs}
    if len(hosts) < 2 or alone and len(hosts) > 2 or os.environ["DOYEN_NODE"] not in hosts:
        sys.exit(__doc__)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # inherited by the server, until it listens to it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    keeper = Keeper(words[0], hosts, alone)
    try:
        while True:
            keeper.round()
    finally:
        keeper.server.stop(signal.SIGQUIT)
        keeper.node.stop()


if __name__ == "__main__":
    main()
