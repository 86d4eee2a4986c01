// Client against real daemons: view, wait, watch, and what it refuses.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";

import { Client, DoyenError, REFUSED, TIMED_OUT, UNREACHABLE, USAGE } from "../../../src/bindings/node/index.js";
import * as everything from "../../../src/bindings/node/index.js";
import { Stream } from "../../../src/bindings/node/http.js";
import { leaderOf, viewOf, votersOf } from "../../../src/bindings/node/model.js";
import { Story } from "../../../src/bindings/node/story.js";
import { find, unreachable } from "../../../src/bindings/node/target.js";
import { Cluster, LIMIT_MS, soon, standIn } from "./cluster.mjs";

function refuses(promise, code, pattern) {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof DoyenError, `${error?.stack}`);
    assert.equal(error.code, code);
    assert.match(error.message, pattern);
    assert.ok(!error.message.includes("\n"));
    return true;
  });
}

async function nextOf(watch, kind) {
  for (;;) {
    const { value } = await watch.next();
    if (kind === undefined || value.kind === kind) {
      return value;
    }
  }
}

function temporary(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "doyen-node-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

test("a view tells members oldest first", async (t) => {
  const cluster = await Cluster.of(t, 2, "--tag", "zone=a");
  const client = new Client({ control: cluster.control("athens") });
  const view = await client.wait({ members: 2, tag: "zone=a", timeoutMs: LIMIT_MS });
  await client.wait({ name: "athens", tag: "zone", timeoutMs: LIMIT_MS });
  await refuses(client.wait({ tag: "zone=b", timeoutMs: 1000 }), TIMED_OUT, /no member has the tag zone=b/);
  await refuses(client.wait({ members: 1, tag: "toString", timeoutMs: 1000 }), TIMED_OUT, /0 members with toString where 1/);
  await refuses(client.wait({ name: "athens", tag: "role", timeoutMs: 1000 }), TIMED_OUT, /athens has not the tag role/);
  assert.deepEqual(view.members.map((member) => member.name).sort(), ["athens", "byzantium"]);
  assert.ok(view.members[0].age < view.members[1].age);
  assert.equal(view.coordinator, view.members[0]);
  assert.equal(view.member("athens").tags.zone, "a");
  assert.equal(view.member("nobody"), null);
  assert.equal(view.node, "athens");
  assert.equal(typeof view.epoch, "bigint");
  assert.throws(() => (view.node = "another"), TypeError);
  assert.throws(() => (view.members[0].tags.zone = "b"), TypeError);
  assert.equal((await client.get("/v1/status")).self, "athens");
  await refuses(client.get("/v1/membres"), REFUSED, /did you mean \/v1\/members\?/);
  await refuses(client.get("/v1/sta tus"), USAGE, /is no path of a resource/);
  const over = AbortSignal.abort(new Error("enough"));
  await assert.rejects(client.view({ signal: over }), /enough/);
});

test("tags are changed at run time", async (t) => {
  const cluster = await Cluster.of(t, 2, "--tag", "zone=a");
  const client = new Client({ control: cluster.control("byzantium") });
  const other = new Client({ control: cluster.control("athens") });
  await client.wait({ members: 2, timeoutMs: LIMIT_MS });
  const { resume } = await other.wait({ members: 2, timeoutMs: LIMIT_MS });
  const view = await client.setTags({ role: "db", zone: null }, { timeoutMs: LIMIT_MS });
  assert.deepEqual(view.member("byzantium").tags, { role: "db" });
  const watch = other.watch({ resume });
  const told = await nextOf(watch, "tags");
  await watch.return();
  assert.equal(told.name, "byzantium");
  assert.deepEqual(told.data.tags_before, { zone: "a" });
  assert.deepEqual(told.data.tags, { role: "db" });
  await refuses(client.setTags({ "a=b": "c" }, { timeoutMs: LIMIT_MS }), REFUSED, /'a=b' is no key/);
});

test("a voter that has lost its disk gets another record", async (t) => {
  const cluster = await Cluster.of(t, 3, "--guard", "strict", "--voters", "athens,byzantium,cyrene");
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ members: 3, guardMet: true, timeoutMs: LIMIT_MS });
  await soon(async () => (await client.voters()).voting === 3);
  const { voters, needed } = await client.voters();
  const { recordId } = voters.find(({ name }) => name === "byzantium");
  assert.equal(needed, 2);
  await cluster.loseDisk("byzantium");
  await soon(async () => (await client.voters()).voter("byzantium").state === "no record");
  const after = await client.replaceVoter("byzantium", { timeoutMs: LIMIT_MS });
  assert.notEqual(after.voter("byzantium").recordId, recordId);
  assert.equal(after.changing, false);
  await refuses(client.replaceVoter("nobody", { timeoutMs: LIMIT_MS }), REFUSED, /nobody is no voter/);
});

test("the leader is whom an election found", async (t) => {
  const cluster = await Cluster.of(t, 1, "--election", "ring");
  const client = new Client({ control: cluster.control("athens") });
  const { members } = await client.wait({ members: 1, timeoutMs: LIMIT_MS });
  const { id, address } = members[0];
  const leader = await soon(() => client.leader());
  assert.deepEqual(leader, { name: "athens", id, address, algorithm: "ring", isSelf: true });
  const told = { leader: null, leader_id: null, leader_address: null, algorithm: "ring", self: "athens" };
  assert.equal(leaderOf(told), null);
  for (const of of [leaderOf, votersOf, viewOf]) {
    for (const document of [{ self: "athens" }, { voters: [], change: null }, { voters: [null], change: null, waiting: 0 }]) {
      assert.throws(() => of(document), (error) => error instanceof DoyenError && /another version/.test(error.message));
    }
  }
});

test("wait waits for a daemon and for members, and says what is missing", async (t) => {
  const cluster = await Cluster.of(t, 2);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ members: 2, name: "byzantium", guardMet: true, timeoutMs: LIMIT_MS });
  await cluster.kill("byzantium");
  const view = await client.wait({ members: 1, gone: "byzantium", acting: true, timeoutMs: LIMIT_MS });
  assert.deepEqual(view.gone.map((gone) => gone.name), ["byzantium"]);
  await refuses(
    client.wait({ members: 3, name: "cyrene", timeoutMs: 100 }),
    TIMED_OUT,
    /1 members where 3 are waited for, cyrene is not a member/,
  );
  cluster.start("byzantium");
  await client.wait({ members: 2, atLeast: true, coordinator: "athens", timeoutMs: LIMIT_MS });
  await refuses(new Client({ control: "/nonexistent/x.sock" }).wait({ members: 1, timeoutMs: 50 }), TIMED_OUT, /no such socket/);
  for (const [waiting, limit] of [[client, LIMIT_MS], [new Client({ control: "/nonexistent/x.sock" }), 90]]) {
    const signal = AbortSignal.timeout(20);
    await assert.rejects(waiting.wait({ members: 3, timeoutMs: limit, signal }), { name: "TimeoutError" });
  }
});

test("a watch goes on over a kill and tells the difference", async (t) => {
  const cluster = await Cluster.of(t, 2);
  const client = new Client({ control: cluster.control("byzantium") });
  const other = new Client({ control: cluster.control("athens") });
  const former = await client.wait({ members: 2, timeoutMs: LIMIT_MS });
  const watch = client.watch();
  const first = await nextOf(watch);
  assert.equal(first.kind, "snapshot");
  assert.deepEqual(first.view.members.map((m) => m.id), former.members.map((m) => m.id));

  await cluster.kill("byzantium");
  assert.match((await nextOf(watch, "away")).text, /went away/);
  await other.wait({ gone: "byzantium", timeoutMs: LIMIT_MS });
  cluster.start("byzantium");
  const gap = await nextOf(watch, "gap");
  assert.equal(gap.data.reason, "restarted");
  assert.equal((await nextOf(watch)).kind, "snapshot");

  // Which members the snapshot has depends on how far the new life has come; with what comes after
  // it, it is the whole truth.
  const known = new Map(first.view.members.map((m) => [m.name, m.id]));
  gap.diff.gone.forEach((member) => known.delete(member.name));
  [...gap.diff.joined, ...gap.diff.restarted].forEach((member) => known.set(member.name, member.id));
  assert.deepEqual(known, new Map(gap.view.members.map((m) => [m.name, m.id])));
  while (known.size < 2) {
    const event = await nextOf(watch);
    if (event.kind === "joined") {
      known.set(event.name, event.data.id);
    } else if (event.kind === "gone") {
      known.delete(event.name);
    }
  }
  assert.equal(known.get("athens"), former.member("athens").id);
  assert.notEqual(known.get("byzantium"), former.member("byzantium").id);
  await watch.return();
});

test("a watch resumes after the token, and a token of another life is a gap", async (t) => {
  const cluster = await Cluster.of(t, 2);
  const client = new Client({ control: cluster.control("athens") });
  const { resume } = await client.wait({ members: 2, timeoutMs: LIMIT_MS });
  await cluster.kill("byzantium");
  await client.wait({ members: 1, timeoutMs: LIMIT_MS });
  const kinds = [];
  let last;
  for await (last of client.watch({ resume })) {
    kinds.push(last.kind);
    if (last.kind === "gone") {
      break;
    }
  }
  assert.equal(last.name, "byzantium");
  assert.ok(!kinds.includes("snapshot"));
  await cluster.kill("athens");
  cluster.start("athens");
  const watch = client.watch({ resume: last.resume });
  let event = await nextOf(watch);
  event = event.kind === "away" ? await nextOf(watch) : event;
  assert.equal(event.kind, "gap");
  assert.equal(event.diff, null);
  assert.equal((await nextOf(watch)).resume, event.resume);
  await watch.return();
});

test("what is no token is refused, and a first daemon that is not there is told", async (t) => {
  const cluster = await Cluster.of(t, 1);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ members: 1, timeoutMs: LIMIT_MS });
  for (const resume of ["", "two\nlines", "x".repeat(64)]) {
    assert.throws(() => client.watch({ resume }), { code: USAGE });
  }
  await refuses(client.watch({ resume: "neverseen" }).next(), USAGE, /give the token/);
  await refuses(new Client({ control: "/nonexistent/x.sock" }).watch().next(), UNREACHABLE, /no such socket/);
  const controller = new AbortController();
  const watch = client.watch({ signal: controller.signal });
  await watch.next();
  const next = nextOf(watch, "never");
  controller.abort(new Error("enough"));
  await assert.rejects(next, /enough/);
});

// What a gap hid, without a daemon.
test("a gap is told against all that was told before", () => {
  const snapshot = (cursor, ...lives) => ({
    id: cursor,
    kind: "snapshot",
    data: {
      cluster: "c",
      self: "a",
      phase: "member",
      epoch: "18446744073709551615",
      view: { version: "2" },
      coordinator: "a",
      acting: false,
      acting_ms: 0,
      acting_is: "advisory",
      guard: { policy: "none", needed: 1, fresh: 1, met: true },
      members: lives.map((id, i) => ({ name: id.split("/")[0], id, address: "127.0.0.1:1", age: i + 1 })),
      gone: [],
      cursor,
    },
  });
  const ids = (members) => members.map((member) => member.id);
  const story = new Story();
  story.take(snapshot("x-1", "a/1", "b/1", "c/1"));
  story.take({ id: "x-2", kind: "gone", data: { name: "b", id: "b/1" } });
  story.take({ id: "x-3", kind: "joined", data: { name: "d", id: "d/1", address: "127.0.0.1:1", age: 4 } });
  assert.deepEqual(story.take({ id: "", kind: "gap", data: {} }), []);
  assert.deepEqual(story.headers(), { "Last-Event-ID": "x-3" });
  story.take({ id: "", kind: "gap", data: { reason: "restarted" } });
  const [gap, second] = story.take(snapshot("y-1", "a/2", "b/2", "d/1", "e/1"));
  assert.deepEqual([gap.kind, second.kind, gap.resume], ["gap", "snapshot", "y-1"]);
  assert.deepEqual(ids(gap.diff.joined), ["b/2", "e/1"]);
  assert.deepEqual(ids(gap.diff.gone), ["c/1"]);
  assert.deepEqual(ids(gap.diff.restarted), ["a/2"]);
  assert.equal(second.view.epoch, 18446744073709551615n);
  assert.throws(() => story.take(snapshot("y-2", "a/2").data && { id: "", kind: "snapshot", data: {} }), /another version/);
});

test("events of pieces of any size are put together", () => {
  const body = Buffer.from('id: a-1\r\nevent: gone\ndata: {"name":"athensä"}\n\n: keep\n\n');
  for (let size = 1; size <= body.length; size++) {
    const stream = new Stream("x");
    const told = [];
    for (let i = 0; i < body.length; i += size) {
      told.push(...stream.feed(body.subarray(i, i + size)));
    }
    assert.deepEqual(told, [{ id: "a-1", kind: "gone", data: { name: "athensä" } }]);
  }
  assert.throws(() => new Stream("x").feed(Buffer.from("data: {\n\n")), /makes no sense/);
});

test("the socket is found as the command does", (t) => {
  const folder = temporary(t);
  const at = (name) => path.join(folder, "doyen", name);
  const search = (control, environment) => find(control, environment, path.join(folder, "none"));
  fs.mkdirSync(path.join(folder, "doyen"));
  assert.equal(search("x.sock", { DOYEN_CONTROL: "y.sock" }), "x.sock");
  assert.equal(search(undefined, { DOYEN_CONTROL: "y.sock", XDG_RUNTIME_DIR: folder }), "y.sock");
  assert.throws(() => search(undefined, { XDG_RUNTIME_DIR: folder }), /no control socket in .*: is doyend running/);
  fs.writeFileSync(at("a.sock"), "");
  assert.equal(search(undefined, { XDG_RUNTIME_DIR: folder }), at("a.sock"));
  fs.writeFileSync(at("b.sock"), "");
  assert.throws(() => search(undefined, { XDG_RUNTIME_DIR: folder }), /several daemons run here: choose one/);
  assert.throws(() => search("x".repeat(108), {}), /use a shorter path/);
  assert.throws(() => new Client({ control: "x.sock", expectUser: "nobody at all" }), /there is no such account/);
});

test("what is no socket of doyend is told", async (t) => {
  const folder = temporary(t);
  const file = path.join(folder, "file");
  fs.writeFileSync(file, "");
  await refuses(new Client({ control: file }).view(), UNREACHABLE, /it is no socket/);
  const full = unreachable("x.sock", Object.assign(new Error("connect EAGAIN"), { code: "EAGAIN" }));
  assert.deepEqual([full.code, full.passing], [TIMED_OUT, true]);
  for (const [answer, pattern] of [
    ["SSH-2.0\r\n", /makes no sense/],
    ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", /went away/],
    ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", /no JSON/],
    ["HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", /HTTP status 404; is it an older doyend/],
  ]) {
    const { control } = await standIn(t, answer);
    const asked = new Client({ control }).view();
    await assert.rejects(asked, (error) => error instanceof DoyenError && pattern.test(error.message), answer);
  }
});

test("a socket of a foreign account is not asked", async (t) => {
  const folder = temporary(t);
  const control = path.join(folder, "foreign.sock");
  let asked = 0;
  const server = net.createServer((socket) => {
    asked++;
    socket.destroy();
  });
  await new Promise((resolve) => server.listen(control, resolve));
  t.after(() => server.close());
  t.mock.method(fs, "fstatSync", () => ({ uid: 4242 }));
  for (const ask of [(c) => c.view(), (c) => c.acting(), (c) => c.watch().next(), (c) => c.leading(() => {})]) {
    await refuses(ask(new Client({ control })), REFUSED, /4242.*it is not asked.*expectUser: 4242/);
  }
  assert.equal(asked, 0);
  await refuses(new Client({ control, expectUser: 4242 }).view(), UNREACHABLE, /went away/);
  assert.equal(asked, 1);
});

test("no question keeps a program from ending", async (t) => {
  const cluster = await Cluster.of(t, 1);
  const program = `import { Client } from ${JSON.stringify(new URL("../../../src/bindings/node/index.js", import.meta.url).href)};
    const client = new Client({ control: ${JSON.stringify(cluster.control("athens"))} });
    await client.wait({ acting: true, timeoutMs: ${LIMIT_MS} });
    console.log((await client.acting()) !== null);`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { timeout: LIMIT_MS, encoding: "utf8" });
  assert.equal(stdout, "true\n");
  assert.equal(status, 0);
});

test("no descriptor is left open", async (t) => {
  const cluster = await Cluster.of(t, 1);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ acting: true, timeoutMs: LIMIT_MS });
  const open = () => fs.readdirSync("/proc/self/fd").length;
  const before = open();
  for (let i = 0; i < 20; i++) {
    await client.view();
    await client.leading((lead) => lead.epoch, { timeoutMs: LIMIT_MS });
    const watch = client.watch();
    await watch.next();
    await watch.return();
    await assert.rejects(client.get("/v1/nothing"));
    await assert.rejects(new Client({ control: "/dev/null" }).view(), /it is no socket/);
  }
  client.close();
  await soon(() => open() <= before);
});

test("all that is exported is declared", () => {
  const declared = fs.readFileSync(new URL("../../../src/bindings/node/index.d.ts", import.meta.url), "utf8");
  for (const name of Object.keys(everything)) {
    assert.match(declared, new RegExp(`export (class|const|function) ${name}\\b`));
  }
  for (const name of Object.getOwnPropertyNames(Client.prototype).filter((own) => own !== "constructor")) {
    assert.match(declared, new RegExp(`^  (readonly )?${name}\\b`, "m"), name);
  }
});

test("what could be waited for in vain is refused", async () => {
  const client = new Client({ control: "/nonexistent/x.sock" });
  for (const members of ["3", 0, -1, 2.5, 5000]) {
    await refuses(client.wait({ members, timeoutMs: LIMIT_MS }), USAGE, /give a number of members/);
  }
  await refuses(client.wait({ members: 1, timeout: 1000 }), USAGE, /wait knows no timeout: .*timeoutMs/);
  await refuses(client.wait({ members: 1 }), USAGE, /timeoutMs is undefined/);
  for (const timeoutMs of [-1, "1", NaN, null]) {
    await refuses(client.wait({ members: 1, timeoutMs }), USAGE, /timeoutMs is/);
    await refuses(client.leading(() => {}, { timeoutMs }), USAGE, /timeoutMs is/);
  }
  for (const nothing of [undefined, { timeoutMs: LIMIT_MS }, { acting: false, timeoutMs: LIMIT_MS }]) {
    await refuses(client.wait(nothing), USAGE, /say what to wait for/);
  }
  for (const tag of ["=", "", "a b", null]) {
    await refuses(client.wait({ tag, timeoutMs: LIMIT_MS }), USAGE, /give KEY or KEY=VALUE/);
  }
  for (const name of ["a b", "", 5, "x".repeat(64)]) {
    await refuses(client.wait({ name, timeoutMs: LIMIT_MS }), USAGE, /give the name of a member/);
  }
  await refuses(client.setTags({ zone: "a" }), USAGE, /timeoutMs is undefined/);
  assert.throws(() => new Client({ control: "" }), /control is ''/);
});

test("what no option is, and a call without a function, are refused at once", async () => {
  const control = "/nonexistent/x.sock";
  for (const options of [control, 5, null, { control, contrl: "x" }, { control: 5 }, { control: null }]) {
    assert.throws(() => new Client(options), { code: USAGE });
  }
  assert.throws(() => new Client({ contrl: "x" }), /Client knows no contrl: there are control, expectUser/);
  const client = new Client({ control });
  for (const options of [{ grace: -1 }, { bogus: 1 }, 5, null]) {
    await refuses(client.campaign("job", () => {}, options), USAGE, /campaign/);
    await refuses(client.leading(() => {}, options), USAGE, /leading/);
    await refuses(client.setTags({ zone: "a" }, options), USAGE, /setTags/);
    await refuses(client.replaceVoter("athens", options), USAGE, /replaceVoter/);
    await refuses(client.voters(options), USAGE, /voters/);
    await refuses(client.view(options), USAGE, /view/);
    assert.throws(() => client.watch(options), { code: USAGE });
  }
  await refuses(client.campaign("job"), USAGE, /block is undefined: give a function/);
  await refuses(client.leading(), USAGE, /block is undefined: give a function/);
  for (const value of [undefined, 5]) {
    await refuses(client.setTags({ zone: "a", role: value }, { timeoutMs: LIMIT_MS }), USAGE, /changes.role is .*give a text/);
  }
});

test("wait ends on time while the daemon is stopped", async (t) => {
  const cluster = await Cluster.of(t, 1);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ members: 1, timeoutMs: LIMIT_MS });
  cluster.signal("athens", "SIGSTOP");
  const began = performance.now();
  await refuses(client.wait({ members: 3, timeoutMs: 500 }), TIMED_OUT, /may be stopped/);
  const took = performance.now() - began;
  cluster.signal("athens", "SIGCONT");
  assert.ok(took < 5000, "it does not wait for an answer beyond its time");
});

test("a watch says that the daemon is stopped and goes on", async (t) => {
  const cluster = await Cluster.of(t, 1);
  const client = new Client({ control: cluster.control("athens") });
  await client.wait({ members: 1, timeoutMs: LIMIT_MS });
  const watch = client.watch();
  assert.equal((await watch.next()).value.kind, "snapshot");
  cluster.signal("athens", "SIGSTOP");
  for await (const event of watch) {
    if (event.kind === "away") {
      assert.match(event.text, /may be stopped/);
      break;
    }
  }
  cluster.signal("athens", "SIGCONT");
});
