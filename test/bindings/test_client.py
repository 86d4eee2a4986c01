"""doyen.Client against real daemons: view, wait, watch, and what it refuses."""

import asyncio
import os
import signal
import socket
import struct
import tempfile
import time
import unittest
from dataclasses import FrozenInstanceError
from unittest import mock

import doyen
import doyen.aio
from cluster import LIMIT_S, TestCase, soon
from doyen.client import REQUEST_S
from doyen.story import Story
from doyen.wire import Response, Stream, Told


class View(TestCase):
    def test_tells_members_oldest_first(self):
        cluster = self.cluster(2, "--tag", "zone=a")
        with doyen.Client(cluster.control("athens")) as client:
            view = client.wait(members=2, timeout=LIMIT_S)
            self.assertEqual({m.name for m in view.members}, {"athens", "byzantium"})
            self.assertLess(view.members[0].age, view.members[1].age)
            self.assertEqual(view.coordinator, view.members[0])
            self.assertEqual(view.member("athens").tags["zone"], "a")
            self.assertIsNone(view.member("nobody"))
            self.assertEqual(view.node, "athens")
            with self.assertRaises(FrozenInstanceError):
                view.node = "another"
            with self.assertRaises(TypeError):
                view.members[0].tags["zone"] = "b"
            self.assertEqual(client.get("/v1/status")["self"], "athens")

    def test_a_refusal_is_one_line_with_the_remedy(self):
        cluster = self.cluster(1)
        client = doyen.Client(cluster.control("athens"))
        client.wait(members=1, timeout=LIMIT_S)
        with self.assertRaises(doyen.Error) as caught:
            client.get("/v1/membres")
        self.assertEqual(str(caught.exception).count("\n"), 0)
        self.assertIn("did you mean /v1/members?", str(caught.exception))
        self.assertEqual(caught.exception.code, doyen.REFUSED)


class Tags(TestCase):
    def test_are_changed_at_run_time(self):
        cluster = self.cluster(2, "--tag", "zone=a")
        client = doyen.Client(cluster.control("byzantium"))
        other = doyen.Client(cluster.control("athens"))
        client.wait(members=2, timeout=LIMIT_S)
        resume = other.wait(members=2, timeout=LIMIT_S).resume
        view = client.set_tags({"role": "db", "zone": None}, timeout=LIMIT_S)
        self.assertEqual(dict(view.member("byzantium").tags), {"role": "db"})
        told = next(event for event in other.watch(resume) if event.kind == "tags")
        self.assertEqual(told.name, "byzantium")
        self.assertEqual(told.data["tags_before"], {"zone": "a"})
        self.assertEqual(told.data["tags"], {"role": "db"})
        with self.assertRaises(doyen.Error) as caught:
            client.set_tags({"a=b": "c"}, timeout=LIMIT_S)
        self.assertIn("'a=b' is no key", str(caught.exception))


STRICT = ("--guard", "strict", "--voters", "athens,byzantium,cyrene")


class Voters(TestCase):
    def test_one_that_has_lost_its_disk_gets_another_record(self):
        cluster = self.cluster(3, *STRICT)
        client = doyen.Client(cluster.control("athens"))
        client.wait(members=3, guard_met=True, timeout=LIMIT_S)
        soon(lambda: client.voters().voting == 3)
        before = client.voters().voter("byzantium")
        self.assertEqual((before.state, before.witness, client.voters().needed), ("votes", False, 2))
        cluster.lose_disk("byzantium")
        soon(lambda: client.voters().voter("byzantium").state == "no record")
        after = client.replace_voter("byzantium", timeout=LIMIT_S)
        self.assertNotEqual(after.voter("byzantium").record_id, before.record_id)
        self.assertFalse(after.changing)
        with self.assertRaises(doyen.Error) as caught:
            client.replace_voter("nobody", timeout=LIMIT_S)
        self.assertEqual(caught.exception.code, doyen.REFUSED)
        self.assertIn("nobody is no voter", str(caught.exception))


class Wait(TestCase):
    def test_waits_for_a_daemon_and_for_members(self):
        cluster = self.cluster(2)
        client = doyen.Client(cluster.control("athens"))
        client.wait(members=2, name="byzantium", guard_met=True, timeout=LIMIT_S)
        with self.assertRaises(doyen.Error) as caught:
            client.wait(tag="role=nobody", timeout=1)
        self.assertIn("no member has the tag role=nobody", str(caught.exception))
        cluster.kill("byzantium")
        view = client.wait(members=1, gone="byzantium", acting=True, timeout=LIMIT_S)
        self.assertEqual([gone.name for gone in view.gone], ["byzantium"])
        cluster.start("byzantium")
        client.wait(members=2, at_least=True, coordinator="athens", timeout=LIMIT_S)

    def test_refuses_what_it_could_wait_for_in_vain(self):
        client = doyen.Client("/nonexistent/x.sock")
        refused = [{"members": members} for members in ("3", 0, -1, 2.0, True, 5000)]
        refused += [{"tag": tag} for tag in ("=", "", "a b", "=b")]
        refused += [{"name": name} for name in ("a b", "", 5, "x" * 64)]
        refused += [{}, {"acting": False}]
        refused += [{"members": 1, "timeout": timeout} for timeout in (-1, "1", float("nan"), None)]
        for conditions in refused:
            with self.assertRaises(doyen.Error) as caught:
                client.wait(**{"timeout": LIMIT_S, **conditions})
            self.assertEqual(caught.exception.code, doyen.USAGE, conditions)
            with self.assertRaises(doyen.Error) as caught:
                asyncio.run(doyen.aio.Client("/nonexistent/x.sock").wait(**{"timeout": LIMIT_S, **conditions}))
            self.assertEqual(caught.exception.code, doyen.USAGE, conditions)
        with self.assertRaises(doyen.Error) as caught:
            doyen.Client("")
        self.assertIn("control is ''", str(caught.exception))

    def test_what_is_no_path_and_no_tag_is_refused_before_it_is_sent(self):
        client = doyen.Client("/nonexistent/x.sock")
        for path in ("/v1/coordinator HTTP/1.1\r\nHost: x", "/v1/status\n", "v1/status", "", None, "/v1/ä"):
            with self.assertRaisesRegex(doyen.Error, "is no path of a resource") as caught:
                client.get(path)
            self.assertEqual(caught.exception.code, doyen.USAGE)
        for changes in ({5: "x"}, {"zone": "a", "role": 5}):
            with self.assertRaisesRegex(doyen.Error, "give texts") as caught:
                client.set_tags(changes, timeout=LIMIT_S)
            self.assertEqual(caught.exception.code, doyen.USAGE)

    def test_says_what_is_missing_when_the_time_is_over(self):
        cluster = self.cluster(1)
        client = doyen.Client(cluster.control("athens"))
        client.wait(members=1, timeout=LIMIT_S)
        with self.assertRaises(doyen.Error) as caught:
            client.wait(members=3, name="cyrene", timeout=1)
        self.assertEqual(caught.exception.code, doyen.TIMED_OUT)
        self.assertIn("1 members where 3 are waited for, cyrene is not a member", str(caught.exception))

    def test_ends_on_time_while_the_daemon_is_stopped(self):
        cluster = self.cluster(1)
        client = doyen.Client(cluster.control("athens"))
        client.wait(members=1, timeout=LIMIT_S)
        cluster.signal("athens", signal.SIGSTOP)
        began = time.monotonic()
        with self.assertRaises(doyen.Error) as caught:
            client.wait(members=3, timeout=0.5)
        took = time.monotonic() - began
        cluster.signal("athens", signal.SIGCONT)
        self.assertEqual(caught.exception.code, doyen.TIMED_OUT)
        self.assertIn("may be stopped", str(caught.exception))
        self.assertLess(took, REQUEST_S, "it does not wait for an answer beyond its time")

    def test_says_that_nobody_is_there(self):
        client = doyen.Client("/nonexistent/doyen.sock")
        with self.assertRaises(doyen.Error) as caught:
            client.wait(members=3, timeout=0.05)
        self.assertEqual(caught.exception.code, doyen.TIMED_OUT)
        self.assertIn("no such socket", str(caught.exception))


class Watch(TestCase):
    def test_says_that_the_daemon_is_stopped_and_goes_on(self):
        cluster = self.cluster(1)
        client = doyen.Client(cluster.control("athens"))
        client.wait(members=1, timeout=LIMIT_S)
        with mock.patch("doyen.client.QUIET_S", 6.0):  # It says something every 5 s.
            watch = client.watch()
            self.assertEqual(next(watch).kind, "snapshot")
            cluster.signal("athens", signal.SIGSTOP)
            away = next(event for event in watch if event.kind == "away")
            cluster.signal("athens", signal.SIGCONT)
        self.assertIn("within 6 s: it may be stopped", away.text)
        cluster.start("byzantium")
        next(event for event in watch if event.kind == "joined" and event.name == "byzantium")

    def test_goes_on_over_a_kill_and_tells_the_difference(self):
        cluster = self.cluster(2)
        client = doyen.Client(cluster.control("byzantium"))
        other = doyen.Client(cluster.control("athens"))
        former = client.wait(members=2, timeout=LIMIT_S)
        watch = client.watch()
        first = next(watch)
        self.assertEqual(first.kind, "snapshot")
        self.assertEqual([m.id for m in first.view.members], [m.id for m in former.members])

        cluster.kill("byzantium")
        away = next(event for event in watch if event.kind == "away")
        self.assertIn("went away", away.text)
        other.wait(gone="byzantium", timeout=LIMIT_S)
        cluster.start("byzantium")
        gap = next(event for event in watch if event.kind == "gap")
        self.assertEqual(gap.data["reason"], "restarted")
        self.assertEqual(next(watch).kind, "snapshot")

        # Which members the snapshot has depends on how far the new life has come; with what comes
        # after it, it is the whole truth.
        known = {m.name: m.id for m in first.view.members}
        for member in gap.diff.gone:
            del known[member.name]
        for member in gap.diff.joined + gap.diff.restarted:
            known[member.name] = member.id
        self.assertEqual(known, {m.name: m.id for m in gap.view.members})
        while set(known) != {"athens", "byzantium"}:
            event = next(watch)
            if event.kind == "joined":
                known[event.name] = event.data["id"]
            elif event.kind == "gone":
                del known[event.name]
        self.assertEqual(known["athens"], former.member("athens").id)
        self.assertNotEqual(known["byzantium"], former.member("byzantium").id)

    def test_resumes_after_the_token(self):
        cluster = self.cluster(2)
        client = doyen.Client(cluster.control("athens"))
        token = client.wait(members=2, timeout=LIMIT_S).resume
        cluster.kill("byzantium")
        client.wait(members=1, timeout=LIMIT_S)
        kinds = []
        for event in client.watch(resume=token):
            kinds.append(event.kind)
            if event.kind == "gone":
                break
        self.assertEqual(event.name, "byzantium")
        self.assertNotIn("snapshot", kinds)

        following = next(client.watch(resume=event.resume))
        self.assertNotIn(following.kind, ("snapshot", "gap", "gone"))

    def test_a_token_of_another_life_is_a_gap(self):
        cluster = self.cluster(1)
        client = doyen.Client(cluster.control("athens"))
        token = client.wait(members=1, timeout=LIMIT_S).resume
        cluster.kill("athens")
        cluster.start("athens")
        watch = client.watch(resume=token)
        gap = next(event for event in watch if event.kind != "away")
        self.assertEqual(gap.kind, "gap")
        self.assertIsNone(gap.diff)
        self.assertEqual(next(watch).resume, gap.resume)

    def test_what_is_no_token_is_refused(self):
        cluster = self.cluster(1)
        client = doyen.Client(cluster.control("athens"))
        client.wait(members=1, timeout=LIMIT_S)
        for token in ("", "two\nlines", "x" * 64):
            with self.assertRaises(doyen.Error) as caught:
                client.watch(resume=token)
            self.assertEqual(caught.exception.code, doyen.USAGE)
        with self.assertRaises(doyen.Error) as caught:
            next(client.watch(resume="neverseen"))
        self.assertIn("give the token", str(caught.exception))

    def test_a_first_daemon_that_is_not_there_is_told(self):
        with self.assertRaises(doyen.Error) as caught:
            next(doyen.Client("/nonexistent/doyen.sock").watch())
        self.assertEqual(caught.exception.code, doyen.UNREACHABLE)


class Gap(unittest.TestCase):
    """What a gap hid, without a daemon."""

    @staticmethod
    def snapshot(cursor, *lives):
        members = [
            {"name": life.split("/")[0], "id": life, "address": "127.0.0.1:1", "age": age}
            for age, life in enumerate(lives, 1)
        ]
        guard = {"policy": "none", "needed": 1, "fresh": 1, "met": True}
        data = {"cluster": "c", "self": "a", "phase": "member", "epoch": "1", "view": {"version": "2"}}
        data |= {"coordinator": "a", "acting": False, "acting_ms": 0, "acting_is": "advisory"}
        data |= {"guard": guard, "members": members, "gone": [], "cursor": cursor}
        return Told(cursor, "snapshot", data)

    def test_is_told_against_all_that_was_told_before(self):
        story = Story(None)
        story.take(self.snapshot("x-1", "a/1", "b/1", "c/1"))
        story.take(Told("x-2", "gone", {"name": "b", "id": "b/1"}))
        joined = {"name": "d", "id": "d/1", "address": "127.0.0.1:1", "age": 4}
        story.take(Told("x-3", "joined", joined))
        self.assertEqual(story.take(Told("", "gap", {"reason": "restarted"})), [])
        self.assertIn(b"Last-Event-ID: x-3\r\n", story.request())
        story.take(Told("", "gap", {"reason": "restarted"}))
        gap, snapshot = story.take(self.snapshot("y-1", "a/2", "b/2", "d/1", "e/1"))
        self.assertEqual((gap.kind, snapshot.kind), ("gap", "snapshot"))
        self.assertEqual([member.id for member in gap.diff.joined], ["b/2", "e/1"])
        self.assertEqual([member.id for member in gap.diff.gone], ["c/1"])
        self.assertEqual([member.id for member in gap.diff.restarted], ["a/2"])
        self.assertEqual(gap.resume, "y-1")


class Target(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "doyen"))

    def find(self, control=None, **environment):
        with mock.patch.dict(os.environ, environment), mock.patch(
            "doyen.target.SYSTEM_DIRECTORY", os.path.join(self.folder, "none")
        ):
            return doyen.Client(control).control

    def test_is_found_as_the_command_does(self):
        path = os.path.join(self.folder, "doyen", "a.sock")
        self.assertEqual(self.find("x.sock", DOYEN_CONTROL="y.sock"), "x.sock")
        self.assertEqual(self.find(DOYEN_CONTROL="y.sock", XDG_RUNTIME_DIR=self.folder), "y.sock")
        with self.assertRaisesRegex(doyen.Error, "no control socket in .*: is doyend running"):
            self.find(XDG_RUNTIME_DIR=self.folder)
        open(path, "w").close()
        self.assertEqual(self.find(XDG_RUNTIME_DIR=self.folder), path)
        open(path.replace("a.sock", "b.sock"), "w").close()
        with self.assertRaisesRegex(doyen.Error, "several daemons run here: choose one"):
            self.find(XDG_RUNTIME_DIR=self.folder)
        with self.assertRaisesRegex(doyen.Error, "use a shorter path"):
            self.find("x" * 108)
        with self.assertRaisesRegex(doyen.Error, "there is no such account"):
            doyen.Client("x.sock", expect_user="nobody at all")

    def test_what_is_no_socket_is_told(self):
        path = os.path.join(self.folder, "file")
        open(path, "w").close()
        with self.assertRaisesRegex(doyen.Error, "it is no socket"):
            doyen.Client(path).view()

    def test_a_daemon_whose_queue_is_full_may_be_stopped(self):
        path = os.path.join(self.folder, "full.sock")
        waiting = []
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(0)
            with self.assertRaises(BlockingIOError):
                while True:
                    waiting.append(socket.socket(socket.AF_UNIX))
                    waiting[-1].setblocking(False)
                    waiting[-1].connect(path)
            aio = doyen.aio.Client(path)
            for ask in (doyen.Client(path).view, doyen.Client(path).acting,
                        lambda: asyncio.run(aio.view()), lambda: asyncio.run(aio.acting())):
                with self.assertRaisesRegex(doyen.Error, "its queue fill up: it may be stopped") as caught:
                    ask()
                self.assertEqual(caught.exception.code, doyen.TIMED_OUT)
        for connection in waiting:
            connection.close()

    def test_a_foreign_process_is_not_asked(self):
        path = os.path.join(self.folder, "foreign.sock")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()
            foreign = struct.pack("iII", 1, 4242, 4242)
            for ask in (doyen.Client.view, doyen.Client.acting, lambda c: next(c.watch())):
                with mock.patch("socket.socket.getsockopt", return_value=foreign):
                    with self.assertRaisesRegex(doyen.Error, "4242.*it is not asked.*expect_user=4242"):
                        ask(doyen.Client(path))
                with listener.accept()[0] as connection:
                    self.assertEqual(connection.recv(1), b"")


class Wire(unittest.TestCase):
    def test_pieces_of_any_size_are_put_together(self):
        chunks = [b"id: a-1\n", 'event: gone\ndata: {"name":"athensä"}\n\n: keep'.encode(), b""]
        body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
        whole = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body
        for size in range(1, len(whole) + 1):
            response, stream, told = Response("x"), Stream("x"), []
            for i in range(0, len(whole), size):
                told += stream.feed(response.feed(whole[i : i + size]))
            self.assertTrue(response.ended)
            self.assertEqual(told, [("a-1", "gone", {"name": "athensä"})])

    def test_nonsense_is_refused(self):
        for answer in (b"SSH-2.0\r\n", b"HTTP/1.1 xxx\r\n\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"):
            with self.assertRaisesRegex(doyen.Error, "makes no sense.*is it doyend"):
                Response("x").feed(answer)
        cut = Response("x")
        cut.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc")
        with self.assertRaisesRegex(doyen.Error, "too soon"):
            cut.feed(b"")


if __name__ == "__main__":
    unittest.main()
