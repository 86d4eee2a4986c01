"""doyen.aio.Client against real daemons."""

import asyncio
import signal
import time
import unittest

import doyen
import doyen.aio
from cluster import LIMIT_S, Cluster
from doyen.client import REQUEST_S

LONG_LEASE = ("--profile", "wan")  # so that a slow machine does not end it


async def soon(what):
    async with asyncio.timeout(LIMIT_S):
        while True:
            value = await what()
            if value:
                return value
            await asyncio.sleep(0.01)


class Aio(unittest.IsolatedAsyncioTestCase):
    def cluster(self, count, *options):
        cluster = Cluster(count, *options)
        self.addCleanup(cluster.end)
        return cluster

    def test_has_the_same_names(self):
        names = {name for name in vars(doyen.Client) if not name.startswith("_")}
        self.assertEqual(names, {name for name in vars(doyen.aio.Client) if not name.startswith("_")})

    async def test_view_and_wait(self):
        cluster = self.cluster(2)
        async with doyen.aio.Client(cluster.control("athens")) as client:
            view = await client.wait(members=2, guard_met=True, timeout=LIMIT_S)
            self.assertEqual([m.id for m in (await client.view()).members], [m.id for m in view.members])
            with self.assertRaisesRegex(doyen.Error, "2 members where 3 are waited for") as caught:
                await client.wait(members=3, timeout=1)
            self.assertEqual(caught.exception.code, doyen.TIMED_OUT)
            with self.assertRaisesRegex(doyen.Error, "did you mean"):
                await client.get("/v1/membres")
        with self.assertRaisesRegex(doyen.Error, "no such socket"):
            await doyen.aio.Client("/nonexistent/doyen.sock").view()

    async def test_tags_are_changed_at_run_time(self):
        cluster = self.cluster(2, "--tag", "zone=a")
        async with doyen.aio.Client(cluster.control("byzantium")) as client:
            await client.wait(members=2, timeout=LIMIT_S)
            view = await client.set_tags({"role": "db", "zone": None}, timeout=LIMIT_S)
            self.assertEqual(dict(view.member("byzantium").tags), {"role": "db"})
            with self.assertRaisesRegex(doyen.Error, "'a=b' is no key"):
                await client.set_tags({"a=b": "c"}, timeout=LIMIT_S)

    async def test_leader_is_whom_an_election_found(self):
        cluster = self.cluster(2, "--election", "bully")
        async with doyen.aio.Client(cluster.control("athens")) as client:
            view = await client.wait(members=2, timeout=LIMIT_S)
            leader = await soon(client.leader)
            self.assertEqual((leader.name, leader.algorithm), (view.members[0].name, "bully"))
            self.assertEqual((leader.id, leader.address), (view.members[0].id, view.members[0].address))
            self.assertEqual(leader.is_self, leader.name == "athens")
            self.assertEqual(doyen.Client(cluster.control("athens")).leader(), leader)
            cluster.kill(view.members[0].name)
            other = doyen.Client(cluster.control(view.members[1].name))
            other.wait(members=1, timeout=LIMIT_S)

            async def another():
                found = other.leader()
                return found if found and found.id != leader.id else None

            self.assertTrue((await soon(another)).is_self)

    async def test_a_voter_gets_another_record(self):
        cluster = self.cluster(3, "--guard", "strict", "--voters", "athens,byzantium,cyrene")
        client = doyen.aio.Client(cluster.control("athens"))
        await client.wait(members=3, guard_met=True, timeout=LIMIT_S)

        async def lost():
            voter = (await client.voters()).voter("cyrene")
            return voter is not None and voter.state == "no record"

        before = (await client.voters()).voter("cyrene")
        cluster.lose_disk("cyrene")
        await soon(lost)
        after = await client.replace_voter("cyrene", timeout=LIMIT_S)
        self.assertNotEqual(after.voter("cyrene").record_id, before.record_id)

    async def test_watch_goes_on_over_a_kill(self):
        cluster = self.cluster(1)
        client = doyen.aio.Client(cluster.control("athens"))
        former = await client.wait(members=1, timeout=LIMIT_S)
        kinds = []
        watch = client.watch()
        async with asyncio.timeout(LIMIT_S):
            async for event in watch:
                kinds.append(event.kind)
                if event.kind == "snapshot" and len(kinds) == 1:
                    cluster.kill("athens")
                elif event.kind == "away":
                    cluster.start("athens")
                elif event.kind == "gap":
                    life = {m.name: m.id for m in event.diff.gone + event.diff.restarted}
                elif event.kind == "snapshot":
                    break
        await watch.aclose()
        self.assertEqual([k for k in kinds if k in ("snapshot", "away", "gap")], ["snapshot", "away", "gap", "snapshot"])
        self.assertIn("athens", life)
        self.assertEqual(former.member("athens").id == life["athens"], not event.view.members)

    async def test_wait_ends_on_time_while_the_daemon_is_stopped(self):
        cluster = self.cluster(1)
        client = doyen.aio.Client(cluster.control("athens"))
        await client.wait(members=1, timeout=LIMIT_S)
        cluster.signal("athens", signal.SIGSTOP)
        began = time.monotonic()
        with self.assertRaisesRegex(doyen.Error, "may be stopped"):
            await client.wait(members=3, timeout=0.5)
        took = time.monotonic() - began
        cluster.signal("athens", signal.SIGCONT)
        self.assertLess(took, REQUEST_S)

    async def test_acting_is_right_while_the_daemon_is_stopped(self):
        cluster = self.cluster(1, *LONG_LEASE)
        async with doyen.aio.Client(cluster.control("athens")) as client:
            await client.wait(acting=True, timeout=LIMIT_S)
            right = await soon(client.acting)
            self.assertEqual(right.epoch, (await client.view()).epoch)
            cluster.signal("athens", signal.SIGSTOP)

            async def no_more():
                return await client.acting() is None

            await soon(no_more)
            cluster.kill("athens")
            cluster.start("athens")
            self.assertGreater((await soon(client.acting)).epoch, right.epoch)

    async def test_a_block_that_lost_its_lead_is_cancelled(self):
        cluster = self.cluster(1, *LONG_LEASE)
        client = doyen.aio.Client(cluster.control("athens"))
        await client.wait(acting=True, timeout=LIMIT_S)
        with self.assertRaises(doyen.LeadLost):
            async with client.leading(timeout=LIMIT_S) as lead:
                lead.check()
                cluster.signal("athens", signal.SIGSTOP)
                await asyncio.sleep(LIMIT_S)
        self.assertEqual(asyncio.current_task().cancelling(), 0)
        self.assertFalse(lead.held())

    async def test_another_cancellation_passes_through(self):
        cluster = self.cluster(1, *LONG_LEASE)
        client = doyen.aio.Client(cluster.control("athens"))
        await client.wait(acting=True, timeout=LIMIT_S)
        led = asyncio.Event()

        async def lead_for_ever():
            async with client.leading(timeout=LIMIT_S):
                led.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(lead_for_ever())
        await asyncio.wait_for(led.wait(), LIMIT_S)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(len(asyncio.all_tasks()), 1)

    async def test_waits_no_longer_than_the_timeout(self):
        cluster = self.cluster(2, *LONG_LEASE)
        client = doyen.aio.Client(cluster.control("athens"))
        view = await client.wait(members=2, timeout=LIMIT_S)
        youngest = doyen.aio.Client(cluster.control(view.members[1].name))
        with self.assertRaises(doyen.Error) as caught:
            async with youngest.leading(timeout=1):
                pass
        self.assertEqual(caught.exception.code, doyen.TIMED_OUT)

    async def test_a_role_passes_and_cancels_the_block_of_its_holder(self):
        cluster = self.cluster(2)
        client, other = (doyen.aio.Client(cluster.control(name)) for name in ("athens", "byzantium"))
        for each in (client, other):
            await each.wait(members=2, timeout=LIMIT_S)
        terms = {"policy": "priority", "timeout": LIMIT_S}
        held = asyncio.Event()

        async def hold():
            async with client.campaign("job", **terms) as holding:
                tokens.append(holding.token)
                held.set()
                await asyncio.sleep(LIMIT_S)

        tokens = []
        holder = asyncio.create_task(hold())
        await asyncio.wait_for(held.wait(), LIMIT_S)
        with self.assertRaisesRegex(doyen.Error, "(athens|byzantium) holds the role"):
            async with other.campaign("job", policy="priority", timeout=0.2):
                pass
        async with other.campaign("job", priority=1, **terms) as better:
            self.assertEqual(better.role, "job")
            self.assertGreater(better.token, tokens[0])
            with self.assertRaises(doyen.LeadLost):
                await holder
        with self.assertRaisesRegex(doyen.Error, "'a b' is not the name of a role"):
            async with client.campaign("a b", timeout=LIMIT_S):
                pass


if __name__ == "__main__":
    unittest.main()
