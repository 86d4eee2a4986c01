// What callers give: each argument and option of each method with all that it is not.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, DoyenError, TIMED_OUT, UNREACHABLE, USAGE, partitionOf } from "../../../src/bindings/node/index.js";
import { Cluster, LIMIT_MS, LONG_LEASE } from "./cluster.mjs";

const control = "/nonexistent/x.sock"; // What is not refused is not reached.
const timeoutMs = 0;

class Nasty {
  [Symbol.for("nodejs.util.inspect.custom")]() {
    throw new Error("It cannot even be shown.");
  }
}

const EVERYTHING = [
  undefined, null, true, false, 0, 1, -1, 1.5, -0.5, NaN, Infinity, -Infinity, 1e300, 5n, Symbol("s"),
  "", "1", "5s", "a b", "\ud800", "x".repeat(200), "\0", "two\nlines", "a:b",
  [], ["x"], [["a", "b"]], {}, { a: "b" }, { a: 1 }, { a: "\ud800" }, { "\ud800": "a" }, new Map([["a", "b"]]), new Set(),
  new Date(0), new Uint8Array(1), () => {}, class {}, new Nasty(), new AbortController().signal,
]; // prettier-ignore

const isIn = (...values) => (value) => values.some((one) => Object.is(one, value));
const or = (one, other) => (value) => one(value) || other(value);
const none = isIn(undefined);
const isNumber = (value) => typeof value === "number" && value >= 0 && value < Infinity;
const isLimit = or(isNumber, isIn(Infinity));
const isText = (value) => typeof value === "string" && value !== "\ud800";
const isNamed = (value) => isText(value) && value !== "";
const isName = isIn("1", "5s");
const isTag = (value) => isNamed(value) && !/\s/.test(value);
const isFlag = isIn(true, false);
const isTags = (value) => value?.constructor === Object && Object.entries(value).every(([key, one]) => isText(one) && isText(key));

// What each argument and option takes of all that, by its name, or by that of the method and its own.
const TAKES = {
  control: or(none, isIn("1", "5s", "a b", "two\nlines", "a:b")),
  expectUser: or(none, isIn(0, 1, "1")),
  path: () => false,
  resume: or(none, isIn(null, "1", "5s", "a b", "a:b")),
  signal: or(none, (value) => value instanceof AbortSignal),
  members: or(none, isIn(1)),
  atLeast: or(none, isIn(false)),
  acting: or(none, isFlag),
  guardMet: or(none, isFlag),
  name: or(none, isNamed),
  "wait.name": or(none, isName),
  "replaceVoter.name": isNamed,
  by: or(none, isNamed),
  gone: or(none, isName),
  coordinator: or(none, isName),
  tag: or(none, isTag),
  timeoutMs: isLimit,
  "leading.timeoutMs": or(none, isLimit),
  "campaign.timeoutMs": or(none, isLimit),
  changes: isTags,
  role: isNamed,
  block: (value) => typeof value === "function",
  policy: none,
  value: or(none, isText),
  holders: or(none, isIn(1)),
  priority: or(none, isIn(0, 1)),
  preempt: or(none, isFlag),
  preemptAfterMs: or(none, (value) => isNumber(value) && value <= 86400000),
  need: or(none, isTag),
  graceMs: or(none, isNumber),
  "campaign.graceMs": or(none, (value) => isNumber(value) && value <= 600000),
  key: or(isText, (value) => value instanceof Uint8Array),
  partitions: isIn(1),
};

// The arguments of each method, and options that have to be given besides the one that is tried.
const METHODS = {
  get: [{ path: "/v1/status" }, {}],
  view: [{}, {}],
  leader: [{}, {}],
  watch: [{}, {}],
  wait: [{}, { coordinator: "athens", timeoutMs }],
  setTags: [{ changes: {} }, { timeoutMs }],
  transfer: [{}, { timeoutMs }],
  drain: [{}, { timeoutMs }],
  undrain: [{}, { timeoutMs }],
  roles: [{}, {}],
  resign: [{ role: "job" }, {}],
  voters: [{}, {}],
  replaceVoter: [{ name: "athens" }, { timeoutMs }],
  leading: [{ block: () => {} }, { timeoutMs }],
  campaign: [{ role: "job", block: () => {} }, { policy: "priority", timeoutMs }],
};
const WITHOUT_ARGUMENTS = ["constructor", "control", "close", "acting"];

async function refuses(words, ask) {
  let error;
  try {
    const answer = ask();
    await (answer?.next ? answer.next() : answer);
  } catch (caught) {
    error = caught;
  }
  assert.ok(error instanceof DoyenError, `${words}: ${error?.stack ?? "not refused"}`);
  assert.equal(error.code, USAGE, `${words}: ${error.message}`);
  for (const word of words) {
    assert.ok(error.message.includes(word), error.message);
  }
  assert.ok(error.message.length < 350 && !error.message.includes("\n"), error.message);
}

function takes(method, name) {
  const found = TAKES[`${method}.${name}`] ?? TAKES[name];
  assert.ok(found, `${method} has ${name}, of which this test knows nothing`);
  return found;
}

// The options that a method has, as it says itself.
async function optionsOf(call) {
  try {
    await call({ bogus: 1 });
  } catch (error) {
    return error.message.match(/there are (.*)$/)[1].split(", ");
  }
}

test("arguments and options that are not what is wanted are refused", async () => {
  const client = new Client({ control });
  const known = [...Object.keys(METHODS), ...WITHOUT_ARGUMENTS].sort();
  assert.deepEqual(Object.getOwnPropertyNames(Client.prototype).sort(), known);
  for (const [method, [given, besides]] of Object.entries(METHODS)) {
    const call = async (options, changed = {}) => {
      const answer = client[method](...Object.values({ ...given, ...changed }), options);
      return answer.next ? answer.next() : answer;
    };
    for (const name of Object.keys(given)) {
      for (const value of EVERYTHING.filter((one) => !takes(method, name)(one))) {
        await refuses([name], () => call(besides, { [name]: value }));
      }
    }
    for (const name of await optionsOf((options) => call(options))) {
      for (const value of EVERYTHING.filter((one) => !takes(method, name)(one))) {
        await refuses([name], () => call({ ...besides, [name]: value }));
      }
    }
    for (const value of EVERYTHING.filter((one) => one !== undefined && one?.constructor !== Object)) {
      await refuses([method], () => call(value));
    }
  }
});

test("so are those of a client and of partitionOf", async () => {
  for (const name of await optionsOf(async (options) => new Client(options))) {
    for (const value of EVERYTHING.filter((one) => !takes("Client", name)(one))) {
      await refuses([name], () => new Client({ control, [name]: value }));
    }
  }
  for (const value of EVERYTHING.filter((one) => one !== undefined && one?.constructor !== Object)) {
    await refuses(["Client"], () => new Client(value));
  }
  for (const value of EVERYTHING) {
    if (!TAKES.key(value)) {
      await refuses(["key"], () => partitionOf(value, 16));
    }
    if (!TAKES.partitions(value)) {
      await refuses(["partitions"], () => partitionOf("key", value));
    }
  }
});

test("what is taken reaches the daemon", async () => {
  const client = new Client({ control });
  for (const [method, [given, besides]] of Object.entries(METHODS).filter(([name]) => name !== "watch")) {
    const call = async (options, changed = {}) => client[method](...Object.values({ ...given, ...changed }), options);
    for (const name of await optionsOf((options) => call(options))) {
      for (const value of EVERYTHING.filter((one) => takes(method, name)(one))) {
        if (name === "timeoutMs" && value !== 0) {
          continue;
        }
        const options = { ...besides, acting: true, [name]: value };
        if (method !== "wait") {
          delete options.acting;
        }
        await assert.rejects(call(options), (error) => [UNREACHABLE, TIMED_OUT].includes(error.code), `${method} ${name}`);
      }
    }
  }
});

test("what contradicts itself is refused", async () => {
  const client = new Client({ control });
  const wait = (options) => client.wait({ ...options, timeoutMs });
  const stand = (options) => client.campaign("job", () => {}, { ...options, timeoutMs });
  await refuses(["cannot be a member and gone at once"], () => wait({ name: "rome", gone: "rome" }));
  await refuses(["cannot coordinate and be gone at once"], () => wait({ coordinator: "rome", gone: "rome" }));
  await refuses(["atLeast is true: it goes with members"], () => wait({ acting: true, atLeast: true }));
  await refuses(["say what to wait for"], () => wait({}));
  await refuses(['priority is 1: it goes with policy: "priority" alone'], () => stand({ priority: 1 }));
  await refuses(["it does not go with preempt: false"], () => stand({ preempt: false, preemptAfterMs: 5 }));
});

test("what is said names argument, value and remedy", async () => {
  const client = new Client({ control });
  const stand = (role, options) => client.campaign(role, () => {}, options);
  const table = [
    [stand("x", { preemptAfterMs: "5s" }), "preemptAfterMs is '5s': give milliseconds, 0 to 86400000"],
    [stand({ role: "x" }), "role is { role: 'x' }: give a name"],
    [client.leading(5), "block is 5: give a function that acts, and ends when its lead is lost"],
    [client.setTags("a=b", { timeoutMs }), "changes is 'a=b': give an object of tags, as in { zone: \"a\" }"],
    [client.setTags(new Map(), { timeoutMs }), "changes is Map(0) {}: give an object of tags, as in { zone: \"a\" }"],
    [client.setTags({ a: 1 }, { timeoutMs }), "changes.a is 1: give a text, or null for a tag that goes"],
    [client.wait({ acting: "no", timeoutMs }), "acting is 'no': give true or false"],
    [client.view({ signal: 5 }), "signal is 5: give an AbortSignal"],
  ];
  for (const [asked, message] of table) {
    await assert.rejects(asked, { code: USAGE, message });
  }
});

test("variables that are empty are refused", () => {
  for (const variable of ["DOYEN_CONTROL", "DOYEN_EXPECT_USER"]) {
    process.env[variable] = "";
    try {
      const options = variable === "DOYEN_CONTROL" ? {} : { control };
      const message = new RegExp(`^${variable} is empty: .* or unset it`);
      assert.throws(() => new Client(options), { code: USAGE, message });
    } finally {
      delete process.env[variable];
    }
  }
});

test("a lead sleeps for times alone, and for long ones, too", async (t) => {
  const cluster = await Cluster.of(t, 1, ...LONG_LEASE);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ members: 1, timeoutMs: LIMIT_MS });
  let long;
  await client.leading(
    async (lead) => {
      for (const value of EVERYTHING.filter((one) => !isLimit(one))) {
        await refuses(["ms is "], () => lead.sleep(value));
      }
      long = lead.sleep(2 ** 31).then(() => "over", () => "lost");
      assert.equal(await Promise.race([long, lead.sleep(200).then(() => "asleep")]), "asleep");
    },
    { timeoutMs: LIMIT_MS },
  );
  assert.equal(await long, "lost"); // It keeps nobody from ending.
});

test("a role that needs a tag says so when the time is over", async (t) => {
  const cluster = await Cluster.of(t, 1);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ members: 1, timeoutMs: LIMIT_MS });
  const stand = (options) => client.campaign("job", () => {}, { ...options, timeoutMs: 300 });
  const message = "timed out after 0.3 s: athens has no tag zone=q, which the role job needs: doyen tag set zone=q";
  await assert.rejects(stand({ need: "zone=q" }), { code: TIMED_OUT, message });
  await client.drain({ timeoutMs: LIMIT_MS });
  await assert.rejects(stand({}), { code: TIMED_OUT, message: /athens is drained, and holds no role: doyen undrain athens/ });
});

test("what the daemon alone knows is told as an argument", async (t) => {
  const cluster = await Cluster.of(t, 1);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ members: 1, timeoutMs: LIMIT_MS });
  await refuses(["resume is '5m': give the token"], () => client.watch({ resume: "5m" }));
  await assert.rejects(client.replaceVoter("athens", { timeoutMs: LIMIT_MS }), /the guard is none, not strict; strict is chosen when/);
});
