// Partitions: where a key is.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { partitionOf } from "../../../src/bindings/node/index.js";

const vectors = new URL("../../../proto/vectors/partition/keys.txt", import.meta.url);

test("a key is where the vectors say", () => {
  const rows = readFileSync(vectors, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(" "));
  assert.ok(rows.length > 10);
  for (const [partitions, key, expected] of rows) {
    const bytes = key === "-" ? Buffer.alloc(0) : Buffer.from(key, "hex");
    assert.equal(partitionOf(bytes, Number(partitions)), Number(expected), `${partitions} ${key}`);
  }
});

test("a text is its UTF-8", () => {
  assert.equal(partitionOf("Θ", 271), partitionOf(Buffer.from([0xce, 0x98]), 271));
});

test("a number that no cluster has is refused", () => {
  for (const partitions of [0, 4097, 1.5, "271"]) {
    assert.throws(() => partitionOf("key", partitions), /1 to 4096/);
  }
});
