// A campaign for a role: POST /v1/campaign of proto/control.md.
//
// Its page of memory cannot be had here, as with the lease (lease.js), so the daemon is asked over the
// connection, which is the campaign, for how long the role is held.

import { setTimeout as sleep } from "node:timers/promises";

import { Moment } from "./clock.js";
import { DoyenError, REFUSED, expected, senseless, silent } from "./errors.js";
import * as given from "./given.js";
import { REQUEST_MS, documentOf, open } from "./http.js";
import { LEASE_MS, Lead, Link } from "./lease.js";
import { hasTag } from "./model.js";

const HOLDERS_MAX = 64;
const PRIORITY_MAX = 2 ** 32 - 1;
const PREEMPT_AFTER_MS_MAX = 86400000;
const GRACE_MS_MAX = 600000;
const ASK = "h";
const FINAL = ["terms", "many", "resigned"]; // reasons for which a campaign ends for good
const LINE_CHARS_MAX = 65536;

// What is sent for it; what is undefined is left out.
export function campaignBody(role, { policy, value, holders, priority, preempt, preemptAfterMs, need, graceMs } = {}) {
  given.named("role", role);
  given.optional(given.word, "policy", policy, "first", "oldest", "priority");
  given.optional(given.text, "value", value);
  given.optional(given.whole, "holders", holders, 1, HOLDERS_MAX);
  given.optional(given.whole, "priority", priority, 0, PRIORITY_MAX);
  given.optional(given.flag, "preempt", preempt);
  given.optional(given.span, "preemptAfterMs", preemptAfterMs, PREEMPT_AFTER_MS_MAX);
  given.optional(given.tag, "need", need);
  given.optional(given.span, "graceMs", graceMs, GRACE_MS_MAX);
  if (priority !== undefined && policy !== "priority") {
    throw given.wrong("priority", priority, 'it goes with policy: "priority" alone');
  }
  if (preempt === false && preemptAfterMs > 0) {
    throw given.wrong("preemptAfterMs", preemptAfterMs, "it does not go with preempt: false");
  }
  const [preempt_after_ms, grace_ms] = [preemptAfterMs, graceMs].map((ms) => (ms === undefined ? ms : Math.trunc(ms)));
  return JSON.stringify({ role, policy, value, holders, priority, preempt, preempt_after_ms, need, grace_ms });
}

// Why this node can hold no such role, as `doyen campaign` says it; empty where it can.
export function unfit(view, role, need) {
  const own = view.member(view.node);
  if (own?.drained) {
    return `${view.node} is drained, and holds no role: doyen undrain ${view.node}`;
  }
  if (own && need !== undefined && !hasTag(own, need)) {
    const remedy = need.includes("=") ? need : `${need}=VALUE`;
    return `${view.node} has no tag ${need}, which the role ${role} needs: doyen tag set ${remedy}`;
  }
  return "";
}

// Who has the role that this process stood for.
export function waitedFor(roles, role) {
  const [holder] = roles.role(role)?.holders ?? [];
  return holder ? `${holder.member} holds the role` : `nobody gave ${role}: doyen status says whether anybody can`;
}

// Throws what an answer other than 101 means.
async function refuse(daemon, response, signal) {
  const status = response.statusCode;
  try {
    await documentOf(daemon, response, { signal });
  } catch (error) {
    if (status === 404) {
      throw new DoyenError(REFUSED, `the doyend at ${daemon.control} is too old: it knows of no roles`);
    }
    throw status === 503 ? new DoyenError(REFUSED, error.message, { passing: true }) : error;
  }
  throw senseless(daemon.control, `status ${status}`);
}

// For how long the role is held, counted from the moment before the daemon was asked.
class Held {
  #since;
  #ms;

  constructor(since, head, line) {
    this.#since = since;
    this.#ms = line.holding_ms;
    this.epoch = BigInt(line.token);
    this.acting = line.holding_ms > 0;
    this.spanMs = head.span_ms;
    this.renewalMs = head.renewal_ms;
  }

  leftMs() {
    return this.acting ? Math.max(0, this.#ms - this.#since.elapsedMs()) : 0;
  }
}

// The connection that is the campaign. Lines of JSON come over it.
export class RoleLink extends Link {
  #control;
  #decoder = new TextDecoder();
  #text = "";
  #head = null; // the first line
  #question = null; // that is not answered yet
  over = ""; // why it has ended for good

  static async open(daemon, body, signal) {
    const { response, socket, head } = await open(daemon, "/v1/campaign", {
      method: "POST",
      headers: {
        Connection: "Upgrade",
        Upgrade: "doyen-campaign",
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
      },
      body,
      timeoutMs: REQUEST_MS,
      signal,
      upgrade: true,
    });
    if (socket === undefined) {
      await refuse(daemon, response, signal);
    }
    return new RoleLink(daemon, socket).begin(head);
  }

  constructor(daemon, socket) {
    super(daemon, socket);
    this.#control = daemon.control;
  }

  heard(bytes) {
    const lines = (this.#text + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#text = lines.pop().slice(0, LINE_CHARS_MAX);
    for (const text of lines) {
      let line;
      try {
        line = JSON.parse(text);
      } catch {
        continue;
      }
      this.#take(line);
    }
  }

  #take(line) {
    switch (line?.event) {
      case "campaign":
        this.#head = line;
        break;
      case "lost":
        this.stopAsked = true;
        this.why = line.text;
        break;
      case "ended":
        this.over = FINAL.includes(line.reason) ? `${line.role}: ${line.text}` : "";
        break;
      case "holding":
        this.#question?.answer(line);
        this.#question = null;
        break;
    }
  }

  // A question that was given up is not asked again: its answer would be taken for that of the later
  // one, and would count from too late a moment.
  #ask() {
    if (this.#question === null) {
      const since = new Moment();
      const question = {};
      question.answered = new Promise((resolve) => {
        question.answer = resolve;
      }).then((line) => expected("a role that is held", () => new Held(since, this.#head, line)));
      this.#question = question;
      this.say(ASK);
    }
    return this.#question.answered;
  }

  async ask({ timeoutMs = LEASE_MS, signal } = {}) {
    const done = new AbortController();
    const stop = () => done.abort();
    signal?.throwIfAborted();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const none = sleep(timeoutMs, null, { signal: done.signal }).catch(() => null);
      const held = await Promise.race([this.#ask(), none]);
      signal?.throwIfAborted();
      if (held === null) {
        throw silent(this.#control, timeoutMs);
      }
      return held;
    } finally {
      stop();
      signal?.removeEventListener("abort", stop);
    }
  }
}

// This process holds a role: what Client.campaign gives to its callback.
export class Holding extends Lead {
  get token() {
    return this.epoch;
  }

  get what() {
    return `the role held under token ${this.token}`;
  }
}
