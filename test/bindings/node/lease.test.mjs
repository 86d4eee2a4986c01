// The right to act: Client.acting and Client.leading.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { EventEmitter } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { test } from "node:test";

import { Client, LeadLost, REFUSED, TIMED_OUT, USAGE } from "../../../src/bindings/node/index.js";
import { Moment } from "../../../src/bindings/node/clock.js";
import { Answer, Lead, Link, timesOf } from "../../../src/bindings/node/lease.js";
import { Cluster, LIMIT_MS, LONG_LEASE, OTHER_CLOCK, answerWith, hasOtherClocks, soon, standIn } from "./cluster.mjs";

// --- Without a daemon ---

function answerOf(since, changes = {}) {
  const document = { acting: true, withdrawn: false, epoch: "9", acting_ms: 1500, acting_is: "exclusive" };
  return new Answer({ ...document, span_ms: 1600, renewal_ms: 400, self: "athens", ...changes }, since);
}

function linkOf(socket, head) {
  return new Link({ control: "/nonexistent/x.sock" }, socket).begin(Buffer.from(head));
}

test("a lease as another version would tell it is refused", async (t) => {
  const lent = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: doyen-lease\r\n\r\n.";
  const { control } = await standIn(t, (asked) => (/upgrade: /i.test(asked) ? lent : answerWith({ self: "athens" })));
  const told = { code: REFUSED, message: /its lease is not as expected.*another version/ };
  await assert.rejects(new Client({ control }).acting(), told);
  await assert.rejects(new Client({ control }).leading(() => {}, { timeoutMs: LIMIT_MS }), told);
});

test("a sleep of the host has passed, too", (t) => {
  let up = 100;
  t.mock.method(fs, "readFileSync", () => `${up.toFixed(2)} 17.5\n`);
  const moment = new Moment();
  assert.ok(moment.elapsedMs() >= 10, "the step of the kernel's answer counts as passed");
  up += 3600;
  assert.ok(moment.elapsedMs() >= 3600000);
});

test("a right ends by one's own clock, and withdrawn is none", () => {
  const since = { ms: 0, elapsedMs: () => since.ms };
  const answer = answerOf(since);
  assert.equal(answer.right().leftMs, 1500);
  assert.equal(answer.right().epoch, 9n);
  since.ms = 1499;
  assert.equal(answer.leftMs(), 1);
  since.ms = 1500;
  assert.equal(answer.right(), null);
  since.ms = 0;
  assert.equal(answerOf(since, { withdrawn: true }).right(), null);
  assert.equal(answerOf(since, { acting: false }).right(), null);
});

test("a lead is lost before the right ends, once and for all", async () => {
  const since = { ms: 0, elapsedMs: () => since.ms };
  const answer = answerOf(since);
  const times = timesOf(answer, 500);
  assert.deepEqual(times, { graceMs: 500, marginMs: 100, pollMs: 100, startMs: 700 });
  const socket = Object.assign(new EventEmitter(), { write() {}, end() {}, unref() {} });
  const lead = new Lead(linkOf(socket, ""), answer, times);
  since.ms = 899;
  assert.equal(lead.leftMs(), 1);
  assert.ok(!lead.signal.aborted);
  since.ms = 900;
  assert.throws(() => lead.check(), /epoch 9 is lost .*not renewed/);
  assert.ok(lead.signal.aborted && lead.signal.reason instanceof LeadLost);
  since.ms = 0; // As if it were renewed: too late.
  assert.ok(!lead.held());
  await assert.rejects(lead.sleep(1), LeadLost);
  await lead.end();
});

test("the word to stop ends a lead, and is answered when its block is over", async () => {
  const since = { elapsedMs: () => 0 };
  const written = [];
  const socket = Object.assign(new EventEmitter(), { write: (text) => written.push(text), end() {}, unref() {} });
  const answer = answerOf(since);
  const link = linkOf(socket, "w");
  assert.ok(!link.stopAsked, "the first byte is the page's");
  const lead = new Lead(link, answer, timesOf(answer));
  assert.ok(lead.held());
  const asleep = assert.rejects(lead.sleep(LIMIT_MS), /gives its right up/);
  socket.emit("data", Buffer.from("cw"));
  await asleep;
  assert.deepEqual(written, []);
  await lead.end();
  assert.deepEqual(written, ["s"]);
});

// --- With daemons ---

test("acting is right while the daemon is stopped and when it is back", async (t) => {
  const cluster = await Cluster.of(t, 1);
  const client = new Client({ control: cluster.control("athens") });
  t.after(() => client.close());
  const view = await client.wait({ acting: true, timeoutMs: LIMIT_MS });
  const right = await soon(() => client.acting());
  assert.equal(right.epoch, view.epoch);
  assert.equal(right.node, "athens");
  assert.equal(right.advisory, true);
  assert.ok(right.leftMs > 0);

  cluster.signal("athens", "SIGSTOP");
  await soon(async () => (await client.acting()) === null);
  cluster.signal("athens", "SIGCONT");
  await soon(() => client.acting());

  await cluster.kill("athens");
  await soon(async () => (await client.acting()) === null);
  cluster.start("athens");
  assert.ok((await soon(() => client.acting())).epoch > right.epoch);
  await assert.rejects(new Client({ control: "/nonexistent/x.sock" }).acting(), /no such socket/);
});

const otherClocks = { skip: hasOtherClocks() ? false : "no time namespaces here, or not for this account" };

test("a right is as long beside a daemon whose clock is ahead", otherClocks, async (t) => {
  const cluster = await Cluster.of(t, 1);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ acting: true, timeoutMs: LIMIT_MS });
  await cluster.kill("athens");
  cluster.start("athens", ...OTHER_CLOCK);
  await client.wait({ acting: true, timeoutMs: LIMIT_MS });
  const right = await soon(() => client.acting());
  assert.ok(right.leftMs < LIMIT_MS, `${right.leftMs} ms`);
  cluster.signal("athens", "SIGSTOP");
  await soon(async () => (await client.acting()) === null);
  cluster.signal("athens", "SIGCONT");
});

test("a right is as long by a clock that is ahead", otherClocks, async (t) => {
  const cluster = await Cluster.of(t, 1, ...LONG_LEASE);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ acting: true, timeoutMs: LIMIT_MS });
  const module = new URL("../../../src/bindings/node/index.js", import.meta.url).href;
  const script = `import { Client } from ${JSON.stringify(module)};
    const client = new Client({ control: ${JSON.stringify(cluster.control("athens"))} });
    console.log((await client.acting())?.leftMs);
    client.close();`;
  const [command, ...words] = [...OTHER_CLOCK, process.execPath, "--input-type=module", "-e", script];
  const left = await soon(() => Number.parseFloat(spawnSync(command, words, { encoding: "utf8" }).stdout));
  assert.ok(left > 0 && left < LIMIT_MS, `${left} ms`);
});

test("a lead is lost while the daemon is stopped", async (t) => {
  const cluster = await Cluster.of(t, 1, ...LONG_LEASE);
  const client = new Client({ control: cluster.control("athens") });
  const { epoch } = await client.wait({ acting: true, timeoutMs: LIMIT_MS });
  await assert.rejects(
    client.leading(
      async (lead) => {
        assert.equal(lead.epoch, epoch);
        assert.equal(lead.graceMs, 500);
        lead.check();
        cluster.signal("athens", "SIGSTOP");
        await assert.rejects(lead.sleep(LIMIT_MS), LeadLost);
        assert.ok(lead.signal.aborted && !lead.held());
        throw new DOMException("as fetch does", "AbortError");
      },
      { graceMs: 500, timeoutMs: LIMIT_MS },
    ),
    LeadLost,
  );
  cluster.signal("athens", "SIGCONT");
  const over = await client.leading((lead) => lead.held() && lead, { timeoutMs: LIMIT_MS });
  assert.ok(!over.held());
  assert.ok(!over.signal.aborted, "it was not lost");
  await assert.rejects(client.leading(() => Promise.reject(new TypeError("its own"))), TypeError);
});

test("a lead outlasts many renewals, and is lost with the guard", async (t) => {
  const cluster = await Cluster.of(t, 2, "--guard", "2");
  const client = new Client({ control: cluster.control("athens") });
  const view = await client.wait({ members: 2, guardMet: true, timeoutMs: LIMIT_MS });
  const [oldest, other] = view.members.map((member) => member.name);
  const spans = 3;
  await new Client({ control: cluster.control(oldest) }).leading(
    async (lead) => {
      const { span_ms: spanMs } = await client.get("/v1/lease");
      await lead.sleep(spans * (spanMs || 900));
      lead.check();
      await cluster.kill(other);
      await assert.rejects(lead.sleep(LIMIT_MS), LeadLost);
    },
    { timeoutMs: LIMIT_MS },
  );
});

test("the lead passes to the next oldest", async (t) => {
  const cluster = await Cluster.of(t, 2);
  const client = new Client({ control: cluster.control("athens") });
  const view = await client.wait({ members: 2, timeoutMs: LIMIT_MS });
  const [oldest, other] = view.members.map((member) => member.name);
  const next = new Client({ control: cluster.control(other) });
  await assert.rejects(next.leading(() => {}, { timeoutMs: 100 }), { code: TIMED_OUT });
  const signal = AbortSignal.timeout(50);
  await assert.rejects(next.leading(() => {}, { signal }), { name: "TimeoutError" });
  const former = await new Client({ control: cluster.control(oldest) }).leading((lead) => lead.epoch);
  await cluster.kill(oldest);
  assert.ok((await next.leading((lead) => lead.epoch, { timeoutMs: LIMIT_MS })) > former);
});

test("a leave waits for the block", async (t) => {
  const cluster = await Cluster.of(t, 1, ...LONG_LEASE);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ acting: true, timeoutMs: LIMIT_MS });
  await client.leading(
    async (lead) => {
      cluster.signal("athens", "SIGTERM");
      await assert.rejects(lead.sleep(LIMIT_MS), /gives its right up|not renewed/);
    },
    { timeoutMs: LIMIT_MS },
  );
  assert.equal(await cluster.ends("athens"), 0);
});

test("a grace that does not fit is refused", async (t) => {
  const cluster = await Cluster.of(t, 1, ...LONG_LEASE);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ acting: true, timeoutMs: LIMIT_MS });
  const asked = client.leading(() => {}, { graceMs: 60000, timeoutMs: LIMIT_MS });
  await assert.rejects(asked, (error) => error.code === USAGE && /does not fit into the lease.*at the most/.test(error.message));
});

test("the example begins and ends with the lead", async (t) => {
  const top = new URL("../../../", import.meta.url);
  const text = fs.readFileSync(new URL("examples/leader.mjs", top), "utf8");
  const program = text.slice(text.indexOf("\n") + 1).replace(/^(?=.)/gm, "    ");
  const page = fs.readFileSync(new URL("docs/bindings/nodejs.md", top), "utf8");
  assert.ok(page.includes(program), "docs/bindings/nodejs.md has it");

  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "doyen-node-"));
  fs.mkdirSync(path.join(folder, "node_modules"));
  fs.symlinkSync(new URL("src/bindings/node", top), path.join(folder, "node_modules", "doyen"));
  fs.writeFileSync(path.join(folder, "leader.mjs"), text);

  const cluster = await Cluster.of(t, 1, ...LONG_LEASE);
  const control = cluster.control("athens");
  const { epoch } = await new Client({ control }).wait({ acting: true, timeoutMs: LIMIT_MS });
  const leader = spawn(process.execPath, [path.join(folder, "leader.mjs")], {
    env: { ...process.env, DOYEN_CONTROL: control },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => {
    leader.kill("SIGKILL");
    fs.rmSync(folder, { recursive: true });
  });
  const lines = readline.createInterface({ input: leader.stdout })[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, `epoch ${epoch}: begins`);
  cluster.signal("athens", "SIGTERM");
  assert.equal((await lines.next()).value, `epoch ${epoch}: over`);
  assert.equal(await cluster.ends("athens"), 0);
});
