"""Roles: Client.campaign."""

import socket
import subprocess
import sys
import textwrap
import threading

import doyen
from cluster import LIMIT_S, TestCase, soon
from doyen.role import RoleLink

LONG_LEASE = ("--profile", "wan")  # so that a slow machine does not end it


class Campaign(TestCase):
    def clients(self, *options):
        cluster = self.cluster(2, *options)
        clients = [doyen.Client(cluster.control(name)) for name in ("athens", "byzantium")]
        for client in clients:
            self.addCleanup(client.close)
            client.wait(members=2, timeout=LIMIT_S)
        return cluster, clients

    def test_gives_the_role_to_one_after_the_other(self):
        _, (client, other) = self.clients(*LONG_LEASE)
        with client.campaign("job", value="here", timeout=LIMIT_S) as first:
            self.assertTrue(first.held())
            self.assertEqual(first.role, "job")
            token = first.token
            with self.assertRaisesRegex(doyen.Error, "(athens|byzantium) holds the role") as caught:
                with other.campaign("job", value="there", timeout=0.2):
                    pass
            self.assertEqual(caught.exception.code, doyen.TIMED_OUT)
        with other.campaign("job", timeout=LIMIT_S) as second:
            self.assertGreater(second.token, token)

    def test_goes_when_a_better_one_comes(self):
        _, (client, other) = self.clients()
        lost = threading.Event()
        with client.campaign("job", policy="priority", timeout=LIMIT_S, on_lost=lost.set) as first:
            better = other.campaign("job", policy="priority", priority=1, timeout=LIMIT_S)
            taken = threading.Thread(target=lambda: better.__enter__())
            taken.start()
            self.assertTrue(lost.wait(LIMIT_S))
            with self.assertRaises(doyen.LeadLost):
                first.check()
        taken.join(LIMIT_S)
        self.assertFalse(taken.is_alive())
        better.__exit__(None, None, None)

    def test_passes_over_what_another_version_says(self):
        connection, daemon = socket.socketpair()
        with connection, daemon:
            connection.setblocking(False)
            link = RoleLink(connection, "x.sock")
            daemon.sendall(b'5\nnull\n"lost"\nno JSON\n')
            daemon.sendall(b'{"event": "ended", "reason": "resigned", "role": "job", "text": "it resigned"}\n')
            while not link.over:
                link.pump()
            self.assertEqual(link.over, "job: it resigned")

    def test_is_refused_in_one_line(self):
        _, (client, other) = self.clients()
        with self.assertRaisesRegex(doyen.Error, "'a b' is not the name of a role"):
            with client.campaign("a b", timeout=LIMIT_S):
                pass
        with client.campaign("job", timeout=LIMIT_S):
            with self.assertRaisesRegex(doyen.Error, "first candidate has set other terms"):
                with other.campaign("job", holders=2, timeout=LIMIT_S):
                    pass

    def test_ends_with_its_process(self):
        cluster, (client, _) = self.clients()
        program = textwrap.dedent(
            f"""
            import doyen, time
            with doyen.Client({cluster.control("byzantium")!r}).campaign("job"):
                print("holds", flush=True)
                time.sleep(1000)
            """
        )
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as other:
            other.stdout.readline()
            other.kill()
            with client.campaign("job", timeout=LIMIT_S) as holding:
                self.assertTrue(soon(holding.held))
