// How much time has passed at the most, a sleep of the host included.

import fs from "node:fs";

const UPTIME_STEP_MS = 10; // /proc/uptime has hundredths of a second, rounded down

function uptimeMs() {
  return Number.parseFloat(fs.readFileSync("/proc/uptime", "latin1")) * 1000;
}

// A moment to count from. Node.js has no clock that goes on while the host sleeps, but the kernel
// tells how long it has been up by one that does.
export class Moment {
  #awakeMs = performance.now();
  #upMs = uptimeMs();

  // Never less than has truly passed since, and up to 20 ms more.
  elapsedMs() {
    return Math.max(performance.now() - this.#awakeMs, uptimeMs() - this.#upMs + UPTIME_STEP_MS);
  }
}
