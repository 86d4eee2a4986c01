// Where a key is: doyend --partitions.

import * as given from "./given.js";

const START = 0xcbf29ce484222325n;
const PARTITIONS_MAX = 4096;
const PRIME = 0x100000001b3n;

const wrap = (value) => BigInt.asUintN(64, value);

// The partition, from 0 on, of a key among so many; of a text, that of its UTF-8.
export function partitionOf(key, partitions) {
  given.whole("partitions", partitions, 1, PARTITIONS_MAX, " as doyend --partitions has it");
  if (!(key instanceof Uint8Array)) {
    given.text("key", key, "give a text, or bytes");
  }
  let value = START;
  for (const byte of typeof key === "string" ? Buffer.from(key) : key) {
    value = wrap((value ^ BigInt(byte)) * PRIME);
  }
  value ^= value >> 32n;
  value = wrap(value * 0xd6e8feb86659fd93n);
  return Number((value ^ (value >> 32n)) % BigInt(partitions));
}
