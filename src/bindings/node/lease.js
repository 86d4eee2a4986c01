// May this node act now? doyend is asked, and its answer is held against one's own clock.
//
// Other languages read a page of memory that doyend lends (doyen/lease.h). Node.js can take no
// descriptor from a socket, so it asks GET /v1/lease and counts from the moment before it asked. It
// has the connection of that page all the same: by it a planned hand-over waits until this program
// has stopped.

import { setTimeout as sleep } from "node:timers/promises";

import { Moment } from "./clock.js";
import { DoyenError, LeadLost, REFUSED, USAGE, expected, senseless } from "./errors.js";
import * as given from "./given.js";
import { get, open } from "./http.js";

export const LEASE_MS = 500; // within which an answer about the lease is there
const STOP = "w".charCodeAt(0);
const STOPPED = "s";
const POLLS_PER_RENEWAL = 4;
const POLL_MS_MIN = 20;
const MARGIN_MS_MIN = 2;
const TIMER_MS_MAX = 2 ** 31 - 1; // a longer one ends at once

function refusalOf(daemon, status) {
  if (status === 404) {
    return new DoyenError(REFUSED, `the doyend at ${daemon.control} is too old: it lends no lease page`);
  }
  if (status === 503) {
    return new DoyenError(
      REFUSED,
      `the doyend at ${daemon.control} lends no lease page now: it gives its right up, has as many
       readers as it allows, or its system has no sealed memory (Linux 5.1); try again`,
      { passing: true },
    );
  }
  return senseless(daemon.control, `status ${status}`);
}

// The connection on which doyend says that its right ends early, and is told that this program has
// stopped.
export class Link {
  #daemon;
  #socket;
  #paged = false; // the byte that the page comes with was there
  #count = 0;
  stopAsked = false;
  open = true;
  why = "this node gives its right up"; // when it is to stop

  static async open(daemon, signal) {
    const { response, socket, head } = await open(daemon, "/v1/lease", {
      headers: { Connection: "Upgrade", Upgrade: "doyen-lease" },
      timeoutMs: LEASE_MS,
      signal,
      upgrade: true,
    });
    if (socket === undefined) {
      const status = response.statusCode;
      response.destroy();
      throw refusalOf(daemon, status);
    }
    return new this(daemon, socket).begin(head);
  }

  constructor(daemon, socket) {
    this.#daemon = daemon;
    this.#socket = socket;
  }

  // Listens; `head` came already.
  begin(head) {
    const take = (bytes) => {
      this.heard(bytes);
      this.#tell();
    };
    this.#socket.on("error", () => {}); // It is followed by "close".
    this.#socket.on("close", () => this.#end());
    this.#socket.on("end", () => this.#end());
    this.#socket.on("data", take);
    take(head);
    return this;
  }

  heard(bytes) {
    const words = this.#paged ? bytes : bytes.subarray(1);
    this.#paged ||= bytes.length > 0;
    this.stopAsked ||= words.includes(STOP);
  }

  // What the right is now: an Answer.
  ask(options) {
    return Answer.ask(this.#daemon, options);
  }

  say(word) {
    this.#socket.write(word);
  }

  #end() {
    this.open = false;
    this.#tell();
  }

  #tell() {
    this.#count++;
    this.#socket.emit("doyen-news");
  }

  // How often it has said something, for `news`.
  get count() {
    return this.#count;
  }

  // Sleeps until it has said more than `count` things, or so long.
  news(count, ms, signal) {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        this.#socket.off("doyen-news", done);
        signal?.removeEventListener("abort", done);
        return signal?.aborted ? reject(signal.reason) : resolve();
      };
      const timer = setTimeout(done, this.#count === count && !signal?.aborted ? ms : 0);
      this.#socket.on("doyen-news", done);
      signal?.addEventListener("abort", done);
    });
  }

  // Says that this client acts no more, if it was asked to stop.
  stopped() {
    if (this.stopAsked && this.open) {
      this.stopAsked = false;
      this.say(STOPPED);
    }
  }

  // It keeps no program from ending.
  unref() {
    this.#socket.unref();
  }

  // What was said is sent before it closes.
  close() {
    this.open = false;
    this.#socket.end();
    this.#socket.unref();
  }
}

// What doyend says of its right, and since when it is counted.
export class Answer {
  #since;

  static async ask(daemon, { timeoutMs = LEASE_MS, signal } = {}) {
    const since = new Moment();
    const document = await get(daemon, "/v1/lease", { timeoutMs, signal });
    return expected("its lease", () => new Answer(document, since));
  }

  constructor(document, since) {
    this.#since = since;
    this.acting = document.acting && !document.withdrawn;
    this.epoch = BigInt(document.epoch);
    this.actingMs = document.acting_ms;
    this.advisory = document.acting_is !== "exclusive";
    this.spanMs = document.span_ms;
    this.renewalMs = document.renewal_ms;
    this.node = document.self;
  }

  // So much of the right is certainly left.
  leftMs() {
    return this.acting ? Math.max(0, this.actingMs - this.#since.elapsedMs()) : 0;
  }

  right() {
    const leftMs = this.leftMs();
    const { epoch, advisory, node } = this;
    return leftMs > 0 ? Object.freeze({ epoch, leftMs, advisory, node }) : null;
  }
}

// How a lead has to keep house with the lease: as in src/cli/run/run_times.c, but for the time until
// this program asks again.
export function timesOf({ spanMs, renewalMs }, graceMs) {
  const pollMs = Math.max(renewalMs / POLLS_PER_RENEWAL, POLL_MS_MIN);
  const marginMs = Math.max(spanMs / 16, MARGIN_MS_MIN);
  const mostMs = Math.max(0, Math.floor(spanMs - (renewalMs * 5) / 4 - pollMs - marginMs));
  const grace = graceMs ?? mostMs / 2;

  if (!(grace >= 0 && grace <= mostMs)) {
    throw new DoyenError(
      USAGE,
      `a grace of ${graceMs} ms does not fit into the lease of ${spanMs} ms: give ${mostMs} ms at the
       most, or start doyend with --profile wan`,
    );
  }
  return { graceMs: grace, marginMs, pollMs, startMs: grace + marginMs + renewalMs / 4 };
}

// This node acts: what Client.leading gives to its callback. It is lost once and for all.
export class Lead {
  #link;
  #answer;
  #times;
  #why = "";
  #lost = new AbortController();
  #over = new AbortController(); // also when its block is over
  #looking;

  constructor(link, answer, times) {
    this.#link = link;
    this.#answer = answer;
    this.#times = times;
    this.epoch = answer.epoch;
    this.graceMs = times.graceMs;
    this.signal = this.#lost.signal;
    this.#looking = this.#look();
  }

  get what() {
    return `the lead of epoch ${this.epoch}`;
  }

  // For so many milliseconds the lead is certain; 0 when it is lost.
  leftMs() {
    if (this.#why) {
      return 0;
    }
    if (this.#link.stopAsked) {
      return this.#lose(this.#link.why);
    }
    const leftMs = this.#answer.leftMs() - this.#times.graceMs - this.#times.marginMs;
    return leftMs > 0
      ? leftMs
      : this.#lose("the lease was not renewed: doyend is stopped or gone, or hears too few others");
  }

  held() {
    return this.leftMs() > 0;
  }

  check() {
    if (!this.held()) {
      throw this.#error();
    }
  }

  // Sleeps so long; rejects with LeadLost at once when the lead is lost.
  async sleep(ms) {
    given.timeout("ms", ms);
    const until = performance.now() + ms;
    for (this.check(); performance.now() < until; this.check()) {
      try {
        await sleep(Math.min(until - performance.now(), TIMER_MS_MAX), undefined, { signal: this.#over.signal });
      } catch {
        throw this.#error();
      }
    }
  }

  // Nothing acts any more: a hand-over that waits for it goes on.
  async end() {
    this.#why ||= "its block is over";
    this.#over.abort();
    await this.#looking;
    this.#link.stopped();
    this.#link.close();
  }

  #error() {
    return new LeadLost(`${this.what} is lost (${this.#why}): stop acting now`);
  }

  #lose(why) {
    this.#why = why;
    this.#lost.abort(this.#error());
    this.#over.abort();
    return 0;
  }

  // Asks again, well before what was told is over; and sees the end in time.
  async #look() {
    const { signal } = this.#over;
    let asked = null;

    while (this.held() && !signal.aborted) {
      asked ??= this.#renew(signal).finally(() => {
        asked = null;
      });
      const count = this.#link.count;
      try {
        await this.#link.news(count, Math.min(this.leftMs() + 1, this.#times.pollMs), signal);
      } catch {
        break; // It is over.
      }
    }
    this.#over.abort();
    await asked;
  }

  async #renew(signal) {
    try {
      const answer = await this.#link.ask({ timeoutMs: Math.max(LEASE_MS, this.leftMs()), signal });
      if (this.#why || !this.#link.open) {
        return; // Another doyend would not wait for this program.
      }
      if (!answer.acting || answer.epoch !== this.epoch) {
        this.#lose("it gave its right up, or another node acts");
      } else if (answer.leftMs() > this.#answer.leftMs()) {
        this.#answer = answer;
      }
    } catch {
      // Nobody answers: what was told before holds until it is over.
    }
  }
}

// A lead of this kind, if this node acts and for long enough; else for how long to wait until it is
// worth another look (null: until the daemon says something).
export async function tryToLead(link, Kind, graceMs, signal) {
  if (!link.open) {
    return { pauseMs: POLL_MS_MIN };
  }
  const answer = await link.ask({ signal });
  const times = timesOf(answer, graceMs);

  if (link.stopAsked) {
    link.stopped();
    return { pauseMs: POLL_MS_MIN };
  }
  if (!answer.acting) {
    return { pauseMs: null };
  }
  if (answer.leftMs() >= times.startMs) {
    return { lead: new Kind(link, answer, times) };
  }
  return { pauseMs: Math.max(answer.renewalMs / 8, 5) };
}
