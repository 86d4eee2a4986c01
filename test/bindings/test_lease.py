"""The right to act: the page, Client.acting and Client.leading."""

import fcntl
import mmap
import os
import signal
import struct
import subprocess
import sys
import textwrap
import threading
import unittest
from unittest import mock

import doyen
from cluster import LIMIT_S, OTHER_CLOCK, TestCase, has_other_clocks, soon
from doyen import lease

LONG_LEASE = ("--profile", "wan")  # so that a slow machine does not end it
MS = 1_000_000


def page_memory(sealed=True):
    """A descriptor of an empty page, and its memory for writing."""
    fd = os.memfd_create("page", os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, 4096)
    memory = mmap.mmap(fd, 4096)
    memory[:16] = struct.pack("=2Q", 0x61654C6E65796F44, 2)
    memory[312:336] = struct.pack("=3Q", *lease.clock_words())
    if sealed:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    return fd, memory


def write_for_ever(memory):
    """Writes one number into each word, then the next number."""
    words = memoryview(memory).cast("Q")
    number = 0
    while True:
        number += 1
        for copy in (3, 21):
            words[2] += 1
            for word in range(copy, copy + 5):
                words[word] = number
        for _ in range(500):
            pass  # Else a reader that is slower than the writer would seldom read a whole page.


class Page(unittest.TestCase):
    def page(self, **options):
        fd, memory = page_memory(**options)
        try:
            page = lease.Page(fd, "here")
        finally:
            os.close(fd)
        self.addCleanup(memory.close)
        self.addCleanup(page.close)
        return page, memory

    def test_is_never_read_in_two_halves(self):
        page, memory = self.page()
        writer = os.fork()
        if writer == 0:
            write_for_ever(memory)
        try:
            seen = set()

            def look():
                content = page.read()
                if content is not None and content.epoch != 0:
                    self.assertEqual(content.deadline_ns, content.epoch)
                    self.assertEqual(content.renewal_ns, content.epoch)
                    seen.add(content.epoch)
                return len(seen) >= 300

            while not look():
                pass
        finally:
            os.kill(writer, signal.SIGKILL)
            os.waitpid(writer, 0)

    def test_a_write_that_is_not_finished_takes_no_right_away(self):
        page, memory = self.page()
        words = memoryview(memory).cast("Q")
        self.addCleanup(words.release)
        words[2], words[3], words[21] = 1, 0, 7  # Stopped while it writes the content.
        self.assertEqual(page.read().epoch, 7)
        words[2], words[3], words[21] = 2, 8, 0  # Stopped while it writes the copy.
        self.assertEqual(page.read().epoch, 8)

    def test_what_could_shrink_or_is_none_is_refused(self):
        with self.assertRaisesRegex(doyen.Error, "no lease page that this module can read"):
            self.page(sealed=False)
        fd, memory = page_memory()
        memory[8:16] = struct.pack("=Q", 3)
        with self.assertRaisesRegex(doyen.Error, "of another version"):
            lease.Page(fd, "here")
        os.close(fd)
        memory.close()

    def test_a_page_of_another_clock_is_refused(self):
        boot, rest, namespace = lease.clock_words()
        for other in ((boot ^ 1, rest, namespace), (boot, rest ^ 1, namespace), (boot, rest, namespace + 1)):
            fd, memory = page_memory()
            memory[312:336] = struct.pack("=3Q", *other)
            with self.assertRaisesRegex(doyen.Error, "is of another clock"):
                lease.Page(fd, "here")
            os.close(fd)
            memory.close()

    def test_what_ends_later_than_any_lease_is_no_right(self):
        page, memory = self.page()
        memory[16:64] = struct.pack("=6Q", 2, 9, lease.now_ns() + 864000 * 1000 * MS, 1600 * MS, 400 * MS, 0)
        self.assertIsNone(page.right())

    def test_a_lead_is_lost_before_the_right_ends(self):
        page, memory = self.page()
        link = mock.Mock(page=page, open=True)
        deadline, span, renewal = 5000 * MS, 1600 * MS, 400 * MS
        memory[16:64] = struct.pack("=6Q", 2, 9, deadline, span, renewal, 0)
        with mock.patch("doyen.lease.now_ns") as now:
            now.return_value = deadline - 1500 * MS
            (epoch, times), _ = lease.try_to_lead(link, 0.5)
            self.assertEqual(epoch, 9)
            lead = lease.Lead(link, epoch, times)
            # The margin is a sixteenth of the span.
            now.return_value = deadline - 601 * MS
            self.assertTrue(lead.held())
            self.assertEqual(lead.left_s(), 0.001)
            self.assertEqual(lead.deadline_ns, deadline - 100 * MS)
            now.return_value = deadline - 600 * MS
            with self.assertRaisesRegex(doyen.LeadLost, "epoch 9 is lost .*not renewed"):
                lead.check()
            now.return_value = deadline - 1500 * MS  # As if it were renewed: too late.
            self.assertFalse(lead.held())

            now.return_value = deadline - 650 * MS
            self.assertIsNone(lease.try_to_lead(link, 0.5)[0])
            link.open = False
            now.return_value = deadline - 1500 * MS
            self.assertIsNone(lease.try_to_lead(link, 0.5)[0])

    def test_a_lead_of_another_epoch_is_lost(self):
        page, memory = self.page()
        link = mock.Mock(page=page, open=True)
        memory[16:64] = struct.pack("=6Q", 2, 9, 5000 * MS, 1600 * MS, 400 * MS, 0)
        with mock.patch("doyen.lease.now_ns", return_value=3500 * MS):
            (epoch, times), _ = lease.try_to_lead(link, None)
            lead = lease.Lead(link, epoch, times)
            self.assertTrue(lead.held())
            memory[24:32] = struct.pack("=Q", 10)
            self.assertFalse(lead.held())


class Acting(TestCase):
    def test_is_right_while_the_daemon_is_stopped_and_when_it_is_back(self):
        cluster = self.cluster(1, *LONG_LEASE)
        with doyen.Client(cluster.control("athens")) as client:
            view = client.wait(acting=True, timeout=LIMIT_S)
            right = soon(client.acting)
            self.assertEqual(right.epoch, view.epoch)
            self.assertEqual(right.node, "athens")
            self.assertTrue(right.advisory)
            self.assertGreater(right.left_s, 0)

            cluster.signal("athens", signal.SIGSTOP)
            soon(lambda: client.acting() is None)
            cluster.signal("athens", signal.SIGCONT)
            soon(client.acting)

            cluster.kill("athens")
            soon(lambda: client.acting() is None)
            cluster.start("athens")
            self.assertGreater(soon(client.acting).epoch, right.epoch)

    def test_a_first_daemon_that_is_not_there_is_told(self):
        with self.assertRaisesRegex(doyen.Error, "no such socket"):
            doyen.Client("/nonexistent/doyen.sock").acting()


class Stopped(TestCase):
    def test_who_waits_beside_a_daemon_that_is_stopped_meanwhile_says_so(self):
        cluster = self.cluster(2)
        with doyen.Client(cluster.control("athens")) as client:
            members = client.wait(members=2, timeout=LIMIT_S).members
        youngest = members[1].name

        def stop():
            cluster.signal(youngest, signal.SIGSTOP)

        timer = threading.Timer(1, stop)
        timer.start()
        try:
            with doyen.Client(cluster.control(youngest)) as client:
                with self.assertRaisesRegex(doyen.Error, "it may be stopped"):
                    with client.leading(timeout=12):
                        self.fail("it may not lead")
        finally:
            timer.join()
            cluster.signal(youngest, signal.SIGCONT)


@unittest.skipUnless(has_other_clocks(), "no time namespaces here, or not for this account")
class OtherClock(TestCase):
    def test_beside_a_daemon_that_is_ahead_nobody_acts(self):
        cluster = self.cluster(1)
        with doyen.Client(cluster.control("athens")) as client:
            client.wait(acting=True, timeout=LIMIT_S)
            cluster.kill("athens")
            cluster.start("athens", *OTHER_CLOCK)
            client.wait(acting=True, timeout=LIMIT_S)
            with self.assertRaisesRegex(doyen.Error, "is of another clock"):
                client.acting()
            with self.assertRaisesRegex(doyen.Error, "is of another clock"):
                with client.leading(timeout=LIMIT_S):
                    self.fail("it may not lead")

    def test_by_a_clock_that_is_ahead_nobody_acts(self):
        cluster = self.cluster(1)
        with doyen.Client(cluster.control("athens")) as client:
            client.wait(acting=True, timeout=LIMIT_S)
        script = "import sys, doyen; print(doyen.Client(sys.argv[1]).acting())"
        command = [*OTHER_CLOCK, sys.executable, "-c", script, cluster.control("athens")]
        said = subprocess.run(command, capture_output=True, text=True)
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("is of another clock", said.stderr)


class Example(TestCase):
    def test_leader_begins_and_ends_with_the_lead(self):
        cluster = self.cluster(1, *LONG_LEASE)
        client = doyen.Client(cluster.control("athens"))
        epoch = client.wait(acting=True, timeout=LIMIT_S).epoch
        top = os.path.join(os.path.dirname(__file__), "..", "..")
        example = os.path.join(top, "examples", "leader.py")
        environment = {**os.environ, "DOYEN_CONTROL": client.control}
        with subprocess.Popen(
            [sys.executable, example], env=environment, stdout=subprocess.PIPE, text=True
        ) as leader:
            self.addCleanup(leader.kill)
            self.assertEqual(leader.stdout.readline(), f"epoch {epoch}: begins\n")
            cluster.signal("athens", signal.SIGSTOP)
            self.assertEqual(leader.stdout.readline(), f"epoch {epoch}: over\n")
            leader.kill()
        with open(example) as file:
            program = file.read().split("\n", 1)[1]
        with open(os.path.join(top, "docs", "bindings", "python.md")) as file:
            self.assertIn(textwrap.indent(program, "    "), file.read())


class Leading(TestCase):
    def test_is_lost_while_the_daemon_is_stopped(self):
        cluster = self.cluster(1, *LONG_LEASE)
        client = doyen.Client(cluster.control("athens"))
        epoch = client.wait(acting=True, timeout=LIMIT_S).epoch
        lost = threading.Event()
        with self.assertRaises(doyen.LeadLost):
            with client.leading(grace=0.5, timeout=LIMIT_S, on_lost=lost.set) as lead:
                self.assertEqual(lead.epoch, epoch)
                self.assertGreater(lead.deadline_ns, 0)
                lead.check()
                cluster.signal("athens", signal.SIGSTOP)
                self.assertTrue(lost.wait(LIMIT_S))
                self.assertFalse(lead.held())
                lead.sleep(LIMIT_S)
        cluster.signal("athens", signal.SIGCONT)
        with client.leading(timeout=LIMIT_S) as lead:
            self.assertTrue(lead.held())
        self.assertFalse(lead.held())

    def test_is_lost_with_the_guard(self):
        cluster = self.cluster(2, "--guard", "2", *LONG_LEASE)
        client = doyen.Client(cluster.control("athens"))
        view = client.wait(members=2, guard_met=True, timeout=LIMIT_S)
        oldest, other = (member.name for member in view.members)
        client = doyen.Client(cluster.control(oldest))
        with client.leading(timeout=LIMIT_S) as lead:
            lead.check()
            cluster.kill(other)
            with self.assertRaises(doyen.LeadLost):
                lead.sleep(LIMIT_S)
            self.assertIsNone(client.acting())
        client.close()

    def test_passes_to_the_next_oldest(self):
        cluster = self.cluster(2, *LONG_LEASE)
        client = doyen.Client(cluster.control("athens"))
        view = client.wait(members=2, timeout=LIMIT_S)
        oldest, other = (member.name for member in view.members)
        other_client = doyen.Client(cluster.control(other))
        with self.assertRaises(doyen.Error) as caught:
            with other_client.leading(timeout=0.1):
                pass
        self.assertEqual(caught.exception.code, doyen.TIMED_OUT)
        with doyen.Client(cluster.control(oldest)).leading(timeout=LIMIT_S) as lead:
            former = lead.epoch
        cluster.kill(oldest)
        with other_client.leading(timeout=LIMIT_S) as lead:
            self.assertGreater(lead.epoch, former)

    def test_a_leave_waits_for_the_block(self):
        cluster = self.cluster(1, *LONG_LEASE)
        client = doyen.Client(cluster.control("athens"))
        client.wait(acting=True, timeout=LIMIT_S)
        with client.leading(timeout=LIMIT_S) as lead:
            cluster.signal("athens", signal.SIGTERM)
            with self.assertRaisesRegex(doyen.LeadLost, "gave its right up|not renewed"):
                lead.sleep(LIMIT_S)
        self.assertEqual(cluster.ends("athens"), 0)

    def test_a_grace_that_does_not_fit_is_refused(self):
        cluster = self.cluster(1, *LONG_LEASE)
        client = doyen.Client(cluster.control("athens"))
        client.wait(acting=True, timeout=LIMIT_S)
        with self.assertRaisesRegex(doyen.Error, "does not fit into the lease.* at the most") as caught:
            with client.leading(grace=60, timeout=LIMIT_S):
                pass
        self.assertEqual(caught.exception.code, doyen.USAGE)

    def test_the_callback_is_not_called_after_the_block(self):
        cluster = self.cluster(1, *LONG_LEASE)
        client = doyen.Client(cluster.control("athens"))
        client.wait(acting=True, timeout=LIMIT_S)
        lost = mock.Mock()
        with client.leading(timeout=LIMIT_S, on_lost=lost):
            pass
        lost.assert_not_called()
        self.assertFalse([t for t in threading.enumerate() if t.name == "doyen-lead"])


if __name__ == "__main__":
    unittest.main()
