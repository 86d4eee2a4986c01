#!/usr/bin/env node
// A worker of the pool of workers.sql, which hands out the jobs where its node acts. PGHOST and the like say where.
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "doyen";

const PAUSE_MS = 200;

// By psql; in earnest, by a driver. Resolves to whether it was not refused.
function sql(query, values) {
  const options = Object.entries(values).flatMap(([name, value]) => ["-v", `${name}=${value}`]);
  return new Promise((resolve) => {
    const psql = execFile("psql", ["-XAtq", "-v", "ON_ERROR_STOP=1", ...options], (error) => resolve(error === null));
    psql.stderr.pipe(process.stderr);
    psql.stdin.end(query);
  });
}

async function work(me) {
  for (;;) { // A job that another one has by now is not this one's to end.
    await sql("UPDATE job SET done = now() WHERE worker = :'me' AND done IS NULL", { me });
    await sleep(PAUSE_MS);
  }
}

const client = new Client(); // DOYEN_CONTROL, or the only daemon of this host
const me = (await client.view()).node;
work(me);
for (;;) {
  await client.leading(async (lead) => { // waits until this node acts
    while (lead.held()) { // false before the right to act ends
      const names = (await client.view()).members.map((member) => member.name);
      const values = { token: lead.epoch, me, workers: `{${names.join(",")}}` };
      await sql("SELECT hand_out(:token, :'me', :'workers')", values);
      await lead.sleep(PAUSE_MS).catch(() => {});
    }
  });
}
