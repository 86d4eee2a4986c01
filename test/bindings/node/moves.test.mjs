// Planned moves and roles: Client.transfer, drain, undrain, roles and resign.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, DoyenError, LeadLost, REFUSED, TIMED_OUT, UNREACHABLE, USAGE } from "../../../src/bindings/node/index.js";
import { rolesOf } from "../../../src/bindings/node/roles.js";
import { Cluster, LIMIT_MS, LONG_LEASE, answerWith, soon, standIn } from "./cluster.mjs";

const timeoutMs = LIMIT_MS;

test("a transfer hands over", async (t) => {
  const cluster = await Cluster.of(t, 3);
  const client = new Client({ control: cluster.control("cyrene") });
  const before = (await client.wait({ members: 3, timeoutMs })).coordinator.name;
  const view = await client.transfer({ timeoutMs });
  assert.notEqual(view.coordinator.name, before);
  assert.equal(view.members.length, 3);
  assert.equal((await client.transfer({ name: before, timeoutMs })).coordinator.name, before);
  assert.equal((await client.transfer({ name: before, timeoutMs })).coordinator.name, before);
  for (const name of ["nobody", "a b?c&d=%ä"]) {
    await assert.rejects(client.transfer({ name, timeoutMs }), { code: REFUSED, message: /no such member/ });
    await assert.rejects(client.drain({ name, timeoutMs }), { code: REFUSED, message: /no such member/ });
  }
});

test("who is drained does not coordinate", async (t) => {
  const cluster = await Cluster.of(t, 3);
  const client = new Client({ control: cluster.control("athens") });
  const { name } = (await client.wait({ members: 3, timeoutMs })).coordinator;
  assert.equal((await client.drain({ name, timeoutMs })).member(name).drained, true);
  await soon(async () => {
    const { coordinator } = await client.view();
    return coordinator !== null && coordinator.name !== name;
  });
  await assert.rejects(client.transfer({ name, timeoutMs }), { code: REFUSED, message: /cannot coordinate/ });
  assert.equal((await client.undrain({ name, timeoutMs })).member(name).drained, false);
  assert.equal((await client.drain({ timeoutMs })).member("athens").drained, true);
});

test("a move that takes too long says what is missing", async (t) => {
  const cluster = await Cluster.of(t, 2, ...LONG_LEASE); // It is a while until who is stopped is gone.
  const { members } = await new Client({ control: cluster.control("athens") }).wait({ members: 2, timeoutMs });
  const client = new Client({ control: cluster.control(members[1].name) });
  await client.wait({ members: 2, timeoutMs });
  cluster.signal(members[0].name, "SIGSTOP");
  const drained = client.drain({ timeoutMs: 500 });
  await assert.rejects(drained, { code: TIMED_OUT, message: /the view does not show the mark/ });
  const stopped = client.drain({ timeoutMs, signal: AbortSignal.timeout(50) });
  await assert.rejects(stopped, { name: "TimeoutError" });
});

test("what is no name, and no option, is refused before it is sent", async () => {
  const client = new Client({ control: "/nonexistent/x.sock" });
  for (const what of ["transfer", "drain", "undrain"]) {
    for (const name of ["", 5, null]) {
      await assert.rejects(client[what]({ name, timeoutMs }), { code: USAGE, message: /give a name/ });
    }
    await assert.rejects(client[what]("athens"), { code: USAGE, message: new RegExp(what) });
    await assert.rejects(client[what](), { code: USAGE, message: /timeoutMs is undefined/ });
    await assert.rejects(client[what]({ timeoutMs }), { code: UNREACHABLE });
  }
  for (const role of ["", undefined]) {
    await assert.rejects(client.resign(role), { code: USAGE, message: /give a name/ });
  }
  await assert.rejects(client.resign("job", { timeoutMs }), { code: USAGE, message: /resign knows no timeoutMs/ });
  await assert.rejects(client.roles({ timeoutMs }), { code: USAGE, message: /roles knows no timeoutMs/ });
});

test("the roles show who holds and who waits until one resigns", async (t) => {
  const cluster = await Cluster.of(t, 2);
  const [client, other] = ["athens", "byzantium"].map((name) => new Client({ control: cluster.control(name) }));
  for (const each of [client, other]) {
    await each.wait({ members: 2, timeoutMs });
  }
  const role = async (holder, ...candidates) => {
    const found = (await client.roles()).role("backup");
    const members = (list) => list.map(({ member }) => member).join();
    return found && members(found.holders) === holder && members(found.candidates) === candidates.join() && found;
  };
  const stand = (each, value) =>
    assert.rejects(each.campaign("backup", (holding) => holding.sleep(LIMIT_MS), { value, timeoutMs }), LeadLost);
  const none = await client.roles();
  assert.equal(none.role("backup"), null);
  assert.equal(none.advisory, true, "guard none rules nothing out");
  const first = stand(other, "there");
  const [holder] = (await soon(() => role("byzantium"))).holders;
  assert.ok(holder.token > 0n);
  assert.deepEqual([holder.value, holder.eligible, holder.lacks], ["there", true, null]);
  const second = stand(client, "here");
  const [waiting] = (await soon(() => role("byzantium", "athens"))).candidates;
  assert.deepEqual([waiting.token, waiting.holdingMs, waiting.value], [null, 0, "here"]);
  await assert.rejects(client.resign("nobody-stands"), { code: REFUSED, message: /nobody-stands/ });
  assert.equal(await other.resign("backup"), 1);
  await first;
  assert.ok((await soon(() => role("athens"))).holders[0].token > holder.token);
  assert.equal(await client.resign("backup"), 1);
  await second;
  await soon(async () => (await client.roles()).role("backup") === null);
});

test("what is asked for again ends with the reason of its signal, at whatever moment that comes", async (t) => {
  const stale = { roles: [], advisory: true, stale: true, unanswered: ["athens"], unasked: 1 };
  const daemons = [await standIn(t, answerWith(stale)), await standIn(t, null)];
  for (let ms = 0; ms < 40; ms++) {
    for (const { control } of daemons) {
      await assert.rejects(new Client({ control }).roles({ signal: AbortSignal.timeout(ms) }), { name: "TimeoutError" });
    }
  }
});

test("roles of another version are refused", () => {
  for (const document of [{}, { roles: [{}], unanswered: [] }, { roles: [{ role: "job", holders: 5 }] }]) {
    assert.throws(() => rolesOf(document), (error) => error instanceof DoyenError && /another version/.test(error.message));
  }
});
