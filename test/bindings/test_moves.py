"""Planned moves and roles: Client.transfer, drain, undrain, roles and resign."""

import asyncio
import contextlib
import signal
import threading
import unittest.mock

import doyen
import doyen.aio
from cluster import LIMIT_S, TestCase, soon
from doyen.roles import Survey


class Moves(TestCase):
    def refused(self, code, pattern, ask):
        with self.assertRaisesRegex(doyen.Error, pattern) as caught:
            ask()
        self.assertEqual(caught.exception.code, code)

    def test_a_transfer_hands_over(self):
        cluster = self.cluster(3)
        client = doyen.Client(cluster.control("cyrene"))
        before = client.wait(members=3, timeout=LIMIT_S).coordinator.name
        view = client.transfer(timeout=LIMIT_S)
        self.assertNotEqual(view.coordinator.name, before)
        self.assertEqual(len(view.members), 3)
        self.assertEqual(client.transfer(before, timeout=LIMIT_S).coordinator.name, before)
        self.assertEqual(client.transfer(before, timeout=LIMIT_S).coordinator.name, before)
        for name in ("nobody", "a b?c&d=%ä"):
            self.refused(doyen.REFUSED, "no such member", lambda: client.transfer(name, timeout=LIMIT_S))
            self.refused(doyen.REFUSED, "no such member", lambda: client.drain(name, timeout=LIMIT_S))

    def test_who_is_drained_does_not_coordinate(self):
        cluster = self.cluster(3)
        client = doyen.Client(cluster.control("athens"))
        before = client.wait(members=3, timeout=LIMIT_S).coordinator.name
        self.assertTrue(client.drain(before, timeout=LIMIT_S).member(before).drained)

        def another_coordinates():
            coordinator = client.view().coordinator
            return coordinator is not None and coordinator.name != before

        soon(another_coordinates)
        self.refused(doyen.REFUSED, "cannot coordinate", lambda: client.transfer(before, timeout=LIMIT_S))
        self.assertFalse(client.undrain(before, timeout=LIMIT_S).member(before).drained)
        self.assertTrue(client.drain(timeout=LIMIT_S).member("athens").drained)

    def test_what_is_no_name_is_refused_before_it_is_sent(self):
        client = doyen.Client("/nonexistent/x.sock")
        for name in ("", 5, b"athens"):
            for ask in (client.transfer, client.drain, client.undrain):
                self.refused(doyen.USAGE, "give a name", lambda: ask(name, timeout=LIMIT_S))
        for role in ("", None):
            self.refused(doyen.USAGE, "give a name", lambda: client.resign(role))
        self.refused(doyen.USAGE, "timeout is", lambda: client.drain(timeout=-1))
        self.refused(doyen.UNREACHABLE, "no such socket", lambda: client.drain(timeout=LIMIT_S))

    def test_a_move_that_takes_too_long_says_what_is_missing(self):
        cluster = self.cluster(2, "--profile", "wan")  # It is a while until who is stopped is gone.
        view = doyen.Client(cluster.control("athens")).wait(members=2, timeout=LIMIT_S)
        client = doyen.Client(cluster.control(view.members[1].name))
        client.wait(members=2, timeout=LIMIT_S)
        cluster.signal(view.members[0].name, signal.SIGSTOP)
        self.refused(doyen.TIMED_OUT, "the view does not show the mark", lambda: client.drain(timeout=0.5))


class Roles(TestCase):
    def test_show_who_holds_and_who_waits_until_one_resigns(self):
        cluster = self.cluster(2)
        clients = {name: doyen.Client(cluster.control(name)) for name in ("athens", "byzantium")}
        for client in clients.values():
            client.wait(members=2, timeout=LIMIT_S)
        client = clients["athens"]
        ended = threading.Event()
        self.addCleanup(ended.set)

        def stand(name):
            def run():
                with contextlib.suppress(doyen.Error):
                    with clients[name].campaign("backup", value=f"at {name}") as holding:
                        while holding.held() and not ended.is_set():
                            holding.doze(0.05)

            standing = threading.Thread(target=run)
            standing.start()
            self.addCleanup(standing.join)
            self.addCleanup(ended.set)

        def role(holder, candidates=()):
            found = client.roles().role("backup")
            told = found and ([c.member for c in found.holders], [c.member for c in found.candidates])
            return found if told == ([holder], list(candidates)) else None

        self.assertIsNone(client.roles().role("backup"))
        self.assertTrue(client.roles().advisory, "guard none rules nothing out")
        stand("byzantium")
        holder = soon(lambda: role("byzantium")).holders[0]
        self.assertGreater(holder.token, 0)
        self.assertEqual((holder.value, holder.eligible, holder.lacks), ("at byzantium", True, None))
        stand("athens")
        waiting = soon(lambda: role("byzantium", ["athens"])).candidates[0]
        self.assertEqual((waiting.token, waiting.holding_ms, waiting.value), (None, 0, "at athens"))
        with self.assertRaisesRegex(doyen.Error, "nobody-stands") as caught:
            client.resign("nobody-stands")
        self.assertEqual(caught.exception.code, doyen.REFUSED)
        self.assertEqual(clients["byzantium"].resign("backup"), 1)
        self.assertGreater(soon(lambda: role("athens")).holders[0].token, holder.token)
        self.assertEqual(client.resign("backup"), 1)
        soon(lambda: client.roles().role("backup") is None)

    def test_of_another_version_are_refused(self):
        documents = (
            {},
            {"roles": [{}]},
            {"roles": [{"role": "job", "holders": 5}]},
            {"voters": [None]},
            {"members": [], "guard": {}, "cluster": "", "self": "", "phase": "", "epoch": "1", "view": 5},
            {"leader": "athens"},
        )
        for kind in (doyen.Roles, doyen.View, doyen.Voters, doyen.Leader):
            for document in documents:
                with self.assertRaisesRegex(doyen.Error, "is it another version"):
                    kind.of(document)

    def test_are_asked_for_until_a_second_after_the_last_was_asked(self):
        with unittest.mock.patch("doyen.roles.time") as time:
            time.monotonic.return_value = 100.0
            survey = Survey()
            self.assertEqual(survey.path, "/v1/roles?begin")
            self.assertTrue(survey.ended(doyen.Roles((), True, stale=False, unanswered=(), unasked=0)))
            self.assertEqual(survey.path, "/v1/roles")
            for now, unasked, ended in ((100.9, 1, False), (101.8, 0, False), (101.9, 0, True)):
                time.monotonic.return_value = now
                roles = doyen.Roles((), True, stale=True, unanswered=("athens",), unasked=unasked)
                self.assertEqual(survey.ended(roles), ended, now)


class Aio(TestCase):
    def test_has_the_same(self):
        cluster = self.cluster(2)

        async def move():
            async with doyen.aio.Client(cluster.control("athens")) as client:
                before = (await client.wait(members=2, timeout=LIMIT_S)).coordinator.name
                view = await client.transfer(timeout=LIMIT_S)
                self.assertNotEqual(view.coordinator.name, before)
                view = await client.drain(before, timeout=LIMIT_S)
                self.assertTrue(view.member(before).drained)
                view = await client.undrain(before, timeout=LIMIT_S)
                self.assertFalse(view.member(before).drained)
                with self.assertRaisesRegex(doyen.Error, "no such member"):
                    await client.transfer("nobody", timeout=LIMIT_S)
                async with client.campaign("job", timeout=LIMIT_S) as holding:
                    roles = await client.roles()
                    self.assertEqual(roles.role("job").holders[0].token, holding.token)
                with self.assertRaises(doyen.LeadLost):
                    async with client.campaign("job", timeout=LIMIT_S):
                        self.assertEqual(await client.resign("job"), 1)
                        await asyncio.sleep(LIMIT_S)

        asyncio.run(move())
