// Roles: Client.campaign.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";

import { Client, LeadLost, REFUSED, TIMED_OUT, USAGE } from "../../../src/bindings/node/index.js";
import { RoleLink } from "../../../src/bindings/node/role.js";
import { Cluster, LIMIT_MS, LONG_LEASE, soon, standIn } from "./cluster.mjs";

const timeoutMs = LIMIT_MS;

// A client of each of two nodes.
async function clients(t, ...options) {
  const cluster = await Cluster.of(t, 2, ...options);
  const all = ["athens", "byzantium"].map((name) => new Client({ control: cluster.control(name) }));
  for (const client of all) {
    await client.wait({ members: 2, timeoutMs });
  }
  return [cluster, ...all];
}

// --- Without a daemon ---

test("an answer that comes late counts from its own question", async () => {
  const written = [];
  const socket = Object.assign(new EventEmitter(), { write: (text) => written.push(text), end() {}, unref() {} });
  const link = new RoleLink({ control: "/nonexistent/x.sock" }, socket);
  link.begin(Buffer.from('{"event":"campaign","span_ms":1600,"renewal_ms":400}\n{"event":"hol'));
  const late = link.ask({ timeoutMs: 100 });
  const since = performance.now();
  await assert.rejects(late, { code: TIMED_OUT });
  await soon(() => performance.now() >= since + 100); // A timer begins with the turn that it was set in.
  const asked = link.ask();
  assert.deepEqual(written, ["h"], "it is not asked twice");
  socket.emit("data", Buffer.from('ding","token":"17","holding_ms":90}\n'));
  const held = await asked;
  assert.equal(held.epoch, 17n);
  assert.equal(held.leftMs(), 0);
  const stopped = link.ask({ signal: AbortSignal.abort(new TypeError("its own")) });
  await assert.rejects(stopped, TypeError);
});

test("what is said of a role as another version would is refused, or passed over", async () => {
  const socket = Object.assign(new EventEmitter(), { write() {}, end() {}, unref() {} });
  const link = new RoleLink({ control: "/nonexistent/x.sock" }, socket).begin(Buffer.from('{"event":"campaign"}\n'));
  const asked = link.ask();
  socket.emit("data", Buffer.from('5\nnull\n"lost"\nno JSON\n{"event":"holding"}\n'));
  await assert.rejects(asked, { code: REFUSED, message: /another version/ });
  assert.ok(!link.stopAsked);
});

test("a campaign that ends before its first question is answered says why", async (t) => {
  const lines = [
    { event: "campaign", span_ms: 1600, renewal_ms: 400 },
    { event: "ended", role: "job", reason: "resigned", text: "it resigned" },
  ];
  const head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: doyen-campaign\r\n\r\n";
  const { control, server } = await standIn(t, head + lines.map((line) => JSON.stringify(line) + "\n").join(""));
  let opened = 0;
  server.on("connection", () => opened++);
  const campaign = new Client({ control }).campaign("job", () => {}, { timeoutMs });
  await assert.rejects(campaign, { code: REFUSED, message: /job: it resigned/ });
  assert.equal(opened, 1, "it does not stand again");
});

// --- With daemons ---

test("a role goes from one to the other", async (t) => {
  const [, client, other] = await clients(t, ...LONG_LEASE);
  const token = await client.campaign(
    "job",
    async (first) => {
      first.check();
      assert.equal(first.token, first.epoch);
      assert.equal(first.role, "job");
      const { roles } = await soon(async () => {
        const told = await other.get("/v1/roles");
        return told.roles[0]?.holders.length === 1 && told;
      });
      assert.equal(roles[0].holders[0].value, "here");
      assert.equal(roles[0].holders[0].token, String(first.token));
      const asked = other.campaign("job", () => {}, { timeoutMs: 200 });
      await assert.rejects(asked, { code: TIMED_OUT, message: /(athens|byzantium) holds the role/ });
      return first.token;
    },
    { value: "here", timeoutMs },
  );
  assert.ok((await other.campaign("job", (second) => second.token, { timeoutMs })) > token);
});

test("a role outlasts many renewals", async (t) => {
  const cluster = await Cluster.of(t, 1);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ members: 1, timeoutMs });
  await client.campaign(
    "job",
    async (holding) => {
      const longest = holding.leftMs();
      await holding.sleep(1.5 * longest);
      holding.check();
    },
    { timeoutMs },
  );
});

test("a role is lost when a better candidate comes", async (t) => {
  const [, client, other] = await clients(t);
  let better;
  await assert.rejects(
    client.campaign(
      "job",
      async (holding) => {
        better = other.campaign("job", (next) => next.token > holding.token, { policy: "priority", priority: 1, timeoutMs });
        await assert.rejects(holding.sleep(LIMIT_MS), /held under token [0-9]+ is lost \(another candidate is to hold it\)/);
        assert.ok(holding.signal.aborted && !holding.held());
        throw new DOMException("as fetch does", "AbortError");
      },
      { policy: "priority", timeoutMs },
    ),
    LeadLost,
  );
  assert.equal(await better, true);
});

test("a role is lost while the daemon is stopped, and with it", async (t) => {
  const [cluster, client] = await clients(t);
  const signals = { SIGSTOP: () => cluster.signal("athens", "SIGCONT"), SIGKILL: () => {} };
  for (const [signal, mend] of Object.entries(signals)) {
    await client.campaign(
      "job",
      async (holding) => {
        cluster.signal("athens", signal);
        await assert.rejects(holding.sleep(LIMIT_MS), LeadLost);
      },
      { timeoutMs },
    );
    mend();
  }
});

test("a campaign that was refused or ended says so in one line", async (t) => {
  const [, client, other] = await clients(t);
  await assert.rejects(client.campaign("a b", () => {}), { code: REFUSED, message: /'a b' is not the name of a role/ });
  await assert.rejects(client.campaign("job", () => {}, { graceMs: 60000, timeoutMs }), { code: USAGE });
  await client.campaign(
    "job",
    async () => {
      const asked = other.campaign("job", () => {}, { holders: 2, timeoutMs });
      await assert.rejects(asked, { code: REFUSED, message: /first candidate has set other terms/ });
      const waiting = other.campaign("job", () => {}, { timeoutMs });
      const resigned = assert.rejects(waiting, { code: REFUSED, message: /job: it resigned/ });
      await soon(() => resign(other.control));
      await resigned;
      await assert.rejects(other.campaign("job", () => {}, { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
    },
    { timeoutMs },
  );
});

// Has the clients of that node stand for "job" no more; false: there is none.
async function resign(control) {
  const doyen = spawn(`${process.env.DOYEN_BUILD}/doyen`, ["-c", control, "resign", "job"], { stdio: "ignore" });
  return (await once(doyen, "exit"))[0] === 0;
}

test("a role ends with its process", async (t) => {
  const [cluster, client] = await clients(t);
  const program = `
    import { Client } from ${JSON.stringify(new URL("../../../src/bindings/node/index.js", import.meta.url).href)};
    await new Client({ control: ${JSON.stringify(cluster.control("byzantium"))} }).campaign("job", (holding) => {
      console.log("holds");
      return holding.sleep(1000000);
    });
  `;
  const other = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => other.kill("SIGKILL"));
  await once(other.stdout, "data");
  other.kill("SIGKILL");
  await client.campaign("job", (holding) => holding.check(), { timeoutMs });
});
