"""Partitions: where a key is."""

import pathlib
import unittest

import doyen
from cluster import LIMIT_S, TestCase, soon

VECTORS = pathlib.Path(__file__).parents[2] / "proto" / "vectors" / "partition" / "keys.txt"


class Keys(unittest.TestCase):
    def test_a_key_is_where_the_vectors_say(self):
        rows = [line.split() for line in VECTORS.read_text().splitlines() if line[:1] != "#"]
        self.assertGreater(len(rows), 10)
        for partitions, key, expected in rows:
            key = b"" if key == "-" else bytes.fromhex(key)
            self.assertEqual(doyen.partition_of(key, int(partitions)), int(expected))

    def test_a_text_is_its_utf_8(self):
        self.assertEqual(doyen.partition_of("Θ", 271), doyen.partition_of(b"\xce\x98", 271))

    def test_a_number_that_no_cluster_has_is_refused(self):
        for partitions in (0, 4097):
            with self.assertRaisesRegex(doyen.Error, "1 to 4096"):
                doyen.partition_of("key", partitions)


class Table(TestCase):
    def test_the_daemon_says_the_same(self):
        cluster = self.cluster(2, "--partitions", "271")
        client = doyen.Client(cluster.control("athens"))
        self.addCleanup(client.close)
        client.wait(members=2, timeout=LIMIT_S)
        soon(lambda: client.get("/v1/partitions")["settled"])
        document = client.get("/v1/partitions?key=order/4711")
        self.assertEqual(document["partition"], doyen.partition_of("order/4711", 271))
        self.assertEqual(len(document["keepers"]), 1)


if __name__ == "__main__":
    unittest.main()
