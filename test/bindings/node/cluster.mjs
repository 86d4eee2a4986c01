// Real daemons for the tests, and patience.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const LIMIT_MS = 30000; // for everything that is waited for
export const NAMES = ["athens", "byzantium", "cyrene"];
export const LONG_LEASE = ["--profile", "wan"]; // so that a slow machine does not end it

for (const name of Object.keys(process.env)) {
  if (name.startsWith("DOYEN_") && name !== "DOYEN_BUILD") {
    delete process.env[name];
  }
}

// What it returns as soon as that is true.
export async function soon(what) {
  const until = performance.now() + LIMIT_MS;
  while (performance.now() < until) {
    const value = await what();
    if (value) {
      return value;
    }
    await sleep(10);
  }
  throw new Error(`not within ${LIMIT_MS} ms`);
}

// What runs a command in a time namespace whose clock is far ahead: by more than LIMIT_MS.
export const OTHER_CLOCK = ["unshare", "-T", "--boottime", "100", "--monotonic", "100"];

// May this account have such namespaces, and does the kernel let who makes one enter it?
export function hasOtherClocks() {
  const [command, ...words] = [...OTHER_CLOCK, "readlink", "/proc/self/ns/time"];
  const there = spawnSync(command, words, { encoding: "utf8" });
  return there.status === 0 && there.stdout.trim() !== fs.readlinkSync("/proc/self/ns/time");
}

// The path of a socket, and the server there: it says this text to whoever has asked for something,
// or what the function makes of the question. Where that is null it says nothing.
export async function standIn(t, answer) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "doyen-node-"));
  const control = path.join(folder, "s.sock");
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {}); // Whoever has asked may have given up.
    socket.on("end", () => socket.end());
    socket.once("data", (asked) => {
      const told = typeof answer === "function" ? answer(`${asked}`) : answer;
      if (told !== null) {
        socket.end(told);
      }
    });
  });
  server.listen(control);
  await once(server, "listening");
  t.after(() => server.close(() => fs.rmSync(folder, { recursive: true })));
  return { control, server };
}

// A document as doyend sends it.
export function answerWith(document) {
  const body = JSON.stringify(document);
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

async function isFree(port) {
  const server = net.createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
}

// The first of so many ports where nobody listens.
async function freePorts(count) {
  for (;;) {
    const first = 20000 + Math.floor(Math.random() * 10000);
    const ports = Array.from({ length: count }, (_, i) => first + i);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) {
      return first;
    }
  }
}

// Daemons of the build that DOYEN_BUILD names; they end with the test `t`.
export class Cluster {
  #folder = fs.mkdtempSync(path.join(os.tmpdir(), "doyen-node-"));
  #processes = new Map();
  #options;
  #ports;

  static async of(t, count, ...options) {
    const cluster = new Cluster();
    cluster.#options = options;
    const first = await freePorts(count);
    cluster.#ports = Array.from({ length: count }, (_, i) => first + i);
    t.after(() => cluster.#end());
    NAMES.slice(0, count).forEach((name) => cluster.start(name));
    return cluster;
  }

  control(name) {
    return path.join(this.#folder, `${name}.sock`);
  }

  // Behind the words `before`, which are a command that runs another one.
  start(name, ...before) {
    const seeds = this.#ports.flatMap((port) => ["--seed", `127.0.0.1:${port}`]);
    const own = ["--name", name, "--listen", `127.0.0.1:${this.#ports[NAMES.indexOf(name)]}`];
    const files = ["--control", this.control(name), "--state-dir", path.join(this.#folder, name)];
    const log = fs.openSync(path.join(this.#folder, `${name}.log`), "a");
    const [command, ...words] = [...before, path.join(process.env.DOYEN_BUILD, "doyend")];
    this.#processes.set(
      name,
      spawn(command, [...words, ...own, ...files, ...seeds, ...this.#options], { stdio: ["ignore", "ignore", log] }),
    );
    fs.closeSync(log);
  }

  signal(name, signal) {
    this.#processes.get(name).kill(signal);
  }

  // Waits until it has ended; its status.
  async ends(name) {
    const process = this.#processes.get(name);
    if (process.exitCode === null && process.signalCode === null) {
      await once(process, "exit", { signal: AbortSignal.timeout(LIMIT_MS) });
    }
    return process.exitCode;
  }

  async kill(name) {
    this.signal(name, "SIGKILL");
    await this.ends(name);
  }

  // It starts again without the record by which it voted.
  async loseDisk(name) {
    await this.kill(name);
    fs.rmSync(path.join(this.#folder, name, "voter"));
    this.start(name);
  }

  async #end() {
    for (const name of this.#processes.keys()) {
      await this.kill(name);
    }
    fs.rmSync(this.#folder, { recursive: true });
  }
}
