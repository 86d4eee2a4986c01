// Asks the doyend of this host, and waits for the answer.

import { setTimeout as sleep } from "node:timers/promises";

import { DoyenError, REFUSED, TIMED_OUT, UNREACHABLE, senseless, tooLate } from "./errors.js";
import * as given from "./given.js";
import { REQUEST_MS, events, get } from "./http.js";
import { Answer, Lead, Link, tryToLead } from "./lease.js";
import { checkConditions, isReplaced, leaderOf, missingIn, viewOf, votersOf } from "./model.js";
import { Holding, RoleLink, campaignBody, unfit, waitedFor } from "./role.js";
import { rolesOf } from "./roles.js";
import { QUIET_MS, Story } from "./story.js";
import { account, find } from "./target.js";

const PAUSE_MS = 100; // before a daemon that is away is tried again
const LOOK_AGAIN_MS = 1000;
const LONGEST_MS = 5000; // then a daemon is asked again that says nothing: it may be stopped
const VOTERS_MS = 500; // within which voters say how they stand
const VOTERS_PAUSE_MS = 20;
const ROLES_MS = 1000; // after which a member that was asked is not likely to answer
const ROLES_PAUSE_MS = 10;
const REASON_MS = 500; // within which is found why a role is not held
const WISH_AGAIN_MS = 1000; // then it is asked again: the coordinator that was asked may have gone
const ASK_AGAIN_MS = 2000; // a node that finds no coordinator gives up after a while

// Is it worth another try? What stands in the way at the very first is told, but for a daemon that is
// there and lends no page now.
function mayPass(error, first) {
  return error instanceof DoyenError && error.passing && !(first && error.code !== REFUSED);
}

// For how long to wait for an answer where all has to be over by then.
function answerWithin(until) {
  return Math.max(1, Math.min(REQUEST_MS, until - performance.now()));
}

const LEADING = ["graceMs", "timeoutMs", "signal"];
const CAMPAIGN = ["policy", "value", "holders", "priority", "preempt", "preemptAfterMs", "need", ...LEADING];

// Refuses at once what would fail when the lead is there.
function checkLeading(what, block, options, known) {
  given.block("block", block);
  given.options(what, options, known);
  given.optional(given.span, "graceMs", options.graceMs);
}

// The path with a query that says whom it is about.
function about(path, key, name) {
  return `${path}?${key}=${encodeURIComponent(name)}`;
}

// Sleeps so long; a signal that is aborted ends it with its reason.
function doze(ms, signal) {
  return sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

// When it has to be over. Without that it would never be.
function end(timeoutMs) {
  given.timeout("timeoutMs", timeoutMs);
  return performance.now() + timeoutMs;
}

export class Client {
  #daemon;
  #link = null; // for acting()
  #answer = null; // that acting() had last
  #acting = Promise.resolve();

  constructor(options = {}) {
    given.options("Client", options, ["control", "expectUser"]);
    const { control, expectUser } = options;
    this.#daemon = { control: find(control), expected: account(expectUser) };
  }

  get control() {
    return this.#daemon.control;
  }

  close() {
    this.#link?.close();
    this.#link = null;
    this.#answer = null;
  }

  async get(path, options = {}) {
    given.resource("path", path);
    given.options("get", options, ["signal"]);
    const { signal } = options;
    return get(this.#daemon, path, { signal });
  }

  async view(options = {}) {
    given.options("view", options, ["signal"]);
    return viewOf(await this.get("/v1/members", options));
  }

  async leader(options = {}) {
    given.options("leader", options, ["signal"]);
    return leaderOf(await this.get("/v1/leader", options));
  }

  watch(options = {}) {
    given.options("watch", options, ["resume", "signal"]);
    const { resume, signal } = options;
    return this.#watch(new Story(resume), signal);
  }

  async *#watch(story, signal) {
    for (;;) {
      let away;
      try {
        for await (const told of events(this.#daemon, story.headers(), { quietMs: QUIET_MS, signal })) {
          yield* story.take(told);
        }
        away = new DoyenError(UNREACHABLE, `the daemon at ${this.control} went away`);
      } catch (error) {
        away = error;
      }
      signal?.throwIfAborted();
      const { events: missed, pauseMs } = story.away(away);
      yield* missed;
      await doze(pauseMs, signal);
    }
  }

  async wait(options = {}) {
    checkConditions(options);
    const { timeoutMs, signal, ...conditions } = options;
    const until = end(timeoutMs);
    let missing = "";
    for (;;) {
      try {
        const view = await this.#viewWithin(until, signal);
        missing = missingIn(view, conditions);
        if (!missing) {
          return view;
        }
        await this.#sleepUntilEvent(view.resume, until, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (!mayPass(error, false)) {
          throw error;
        }
        // What the last view lacked, unless the daemon went away since.
        const late = error.code === TIMED_OUT && performance.now() >= until;
        missing = missing && late ? missing : error.message;
        await doze(Math.max(0, Math.min(PAUSE_MS, until - performance.now())), signal);
      }
      if (performance.now() >= until) {
        throw tooLate(timeoutMs, missing);
      }
    }
  }

  async setTags(changes, options = {}) {
    given.options("setTags", options, ["timeoutMs", "signal"]);
    given.tags("changes", changes);
    const wanted = Object.entries(changes);
    const document = {
      set: Object.fromEntries(wanted.filter(([, value]) => value !== null)),
      unset: wanted.filter(([, value]) => value === null).map(([key]) => key),
    };
    const shown = (view) => {
      const tags = view.member(view.node)?.tags;
      return tags !== undefined && wanted.every(([key, value]) => (Object.hasOwn(tags, key) ? tags[key] : null) === value);
    };
    const ask = (more) => get(this.#daemon, "/v1/tags", { ...more, document });
    return this.#bringAbout(ask, shown, "the view does not show the tags; is there a coordinator?", options);
  }

  async transfer(options = {}) {
    given.options("transfer", options, ["name", "timeoutMs", "signal"]);
    const move = this.#move("/v1/transfer", "to", options.name);
    return this.#bringAbout(move.ask, (view) => view.coordinator?.name === move.name, "the member does not coordinate", options);
  }

  async drain(options = {}) {
    return this.#mark("drain", true, options);
  }

  async undrain(options = {}) {
    return this.#mark("undrain", false, options);
  }

  async #mark(what, drained, options) {
    given.options(what, options, ["name", "timeoutMs", "signal"]);
    const move = this.#move(`/v1/${what}`, "node", options.name);
    const shown = (view) => view.member(move.name)?.drained === drained;
    return this.#bringAbout(move.ask, shown, "the view does not show the mark; is there a coordinator?", options);
  }

  // What is asked of a member: of the one that the answer names from then on.
  #move(path, key, name) {
    given.optional(given.named, "name", name);
    let where = name === undefined ? path : about(path, key, name);
    const move = {
      name,
      ask: async (more) => {
        const answer = await get(this.#daemon, where, { ...more, document: null });
        if (typeof answer[key] !== "string") {
          throw senseless(this.control, `no ${key}`);
        }
        move.name = answer[key];
        where = about(path, key, move.name);
      },
    };
    return move;
  }

  // Asks, again and again, until the view shows it: a node that finds no coordinator gives up after a
  // while.
  async #bringAbout(ask, shown, missing, { timeoutMs, signal }) {
    const until = end(timeoutMs);
    for (let askAt = 0; ; ) {
      if (performance.now() >= askAt) {
        askAt = performance.now() + ASK_AGAIN_MS;
        await ask({ signal, timeoutMs: answerWithin(until) });
      }
      const view = await this.#viewWithin(until, signal);
      if (shown(view)) {
        return view;
      }
      await this.#sleepUntilEvent(view.resume, until, signal);
      signal?.throwIfAborted();
      if (performance.now() >= until) {
        throw tooLate(timeoutMs, missing);
      }
    }
  }

  async roles(options = {}) {
    given.options("roles", options, ["signal"]);
    const { signal } = options;
    let path = "/v1/roles?begin";
    for (let until = performance.now() + ROLES_MS; ; ) {
      const roles = rolesOf(await this.get(path, { signal }));
      if (roles.unasked > 0) {
        until = performance.now() + ROLES_MS;
      }
      if (!roles.stale || performance.now() >= until) {
        return roles;
      }
      path = "/v1/roles";
      await doze(ROLES_PAUSE_MS, signal);
    }
  }

  async resign(role, options = {}) {
    given.named("role", role);
    given.options("resign", options, ["signal"]);
    const answer = await get(this.#daemon, about("/v1/resign", "role", role), { document: null, signal: options.signal });
    if (!Number.isInteger(answer.resigning)) {
      throw senseless(this.control, "no resigning");
    }
    return answer.resigning;
  }

  async voters(options = {}) {
    given.options("voters", options, ["signal"]);
    const { signal } = options;
    const until = performance.now() + VOTERS_MS;
    for (;;) {
      const voters = votersOf(await this.get("/v1/voters", { signal }));
      if (voters.waiting === 0 || performance.now() >= until) {
        return voters;
      }
      await doze(VOTERS_PAUSE_MS, signal);
    }
  }

  async replaceVoter(name, options = {}) {
    given.options("replaceVoter", options, ["by", "timeoutMs", "signal"]);
    given.named("name", name);
    given.optional(given.named, "by", options.by);
    const { by = name, timeoutMs, signal } = options;
    const until = end(timeoutMs);
    const before = await this.voters({ signal });
    const document = by === name ? { replace: name } : { replace: name, with: by };
    const ask = (more) => get(this.#daemon, "/v1/voters", { ...more, signal, timeoutMs: answerWithin(until) });
    let missing = "the voter is not replaced";
    await ask({ document });
    for (let askAt = performance.now() + WISH_AGAIN_MS; ; ) {
      const now = votersOf(await ask({}));
      if (isReplaced(before, now, name, by)) {
        return now;
      }
      if (performance.now() >= until) {
        throw tooLate(timeoutMs, missing);
      }
      if (!now.changing && performance.now() >= askAt) {
        askAt = performance.now() + WISH_AGAIN_MS;
        missing = (await ask({ document }).then(() => null, (error) => error.message)) ?? missing;
      }
      await doze(VOTERS_PAUSE_MS, signal);
    }
  }

  async #viewWithin(until, signal) {
    return viewOf(await get(this.#daemon, "/v1/members", { signal, timeoutMs: answerWithin(until) }));
  }

  // Sleeps until something happens after `resume`, for a second at the most: the right to act and the
  // freshness of a guard also end by the clock.
  async #sleepUntilEvent(resume, until, signal) {
    const done = new AbortController();
    const stop = () => done.abort();
    const timer = setTimeout(stop, Math.max(0, Math.min(LOOK_AGAIN_MS, until - performance.now())));
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const headers = new Story(resume).headers();
      for await (const _ of events(this.#daemon, headers, { quietMs: QUIET_MS, signal: done.signal })) {
        return;
      }
    } catch (error) {
      if (!done.signal.aborted) {
        throw error;
      }
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  // --- The right to act ---

  acting() {
    const answer = this.#acting.then(() => this.#askActing());
    this.#acting = answer.catch(() => {});
    return answer;
  }

  async #askActing() {
    const first = this.#link === null;
    try {
      if (first || !this.#link.open) {
        const link = await Link.open(this.#daemon);
        link.unref();
        this.#link?.close();
        this.#link = link;
      }
      this.#answer = await Answer.ask(this.#daemon);
    } catch (error) {
      if (!mayPass(error, first)) {
        throw error; // Else what was told before holds until it is over.
      }
    }
    const right = this.#link === null || this.#link.stopAsked ? null : (this.#answer?.right() ?? null);
    if (right === null) {
      this.#answer = null;
      this.#link?.stopped();
    }
    return right;
  }

  async leading(block, options = {}) {
    checkLeading("leading", block, options, LEADING);
    const open = (signal) => Link.open(this.#daemon, signal);
    return this.#lead(block, Lead, open, () => "this node does not act", options);
  }

  async campaign(role, block, options = {}) {
    checkLeading("campaign", block, options, CAMPAIGN);
    const body = campaignBody(role, options);
    const hold = (holding) => block(Object.assign(holding, { role }));
    const open = (signal) => RoleLink.open(this.#daemon, body, signal);
    return this.#lead(hold, Holding, open, () => this.#notHeld(role, options), options);
  }

  // Why a campaign has not come to hold its role, as far as that is told soon.
  async #notHeld(role, { need, signal }) {
    const until = performance.now() + REASON_MS;
    const ask = (path) => get(this.#daemon, path, { signal, timeoutMs: answerWithin(until) });
    let roles = null;
    try {
      const why = unfit(viewOf(await ask("/v1/members")), role, need);
      if (why !== "") {
        return why;
      }
      for (let path = "/v1/roles?begin"; (roles === null || roles.stale) && performance.now() < until; path = "/v1/roles") {
        roles = rolesOf(await ask(path));
        await doze(ROLES_PAUSE_MS, signal);
      }
    } catch {
      signal?.throwIfAborted(); // Else what was told before is what there is to say.
    }
    return roles === null
      ? "the role was not given, and why is not known: doyen roles says who has it"
      : waitedFor(roles, role);
  }

  async #lead(block, Kind, openLink, reason, options) {
    const lead = await this.#beginLead(Kind, openLink, reason, options);
    try {
      return await block(lead);
    } catch (error) {
      throw error?.name === "AbortError" && lead.signal.aborted ? lead.signal.reason : error;
    } finally {
      await lead.end();
    }
  }

  async #beginLead(Kind, openLink, reason, { graceMs, timeoutMs, signal }) {
    const until = timeoutMs === undefined ? Infinity : end(timeoutMs);
    let missing = "";
    let link = null;
    let first = true;

    try {
      for (;;) {
        if (link?.over) {
          throw new DoyenError(REFUSED, link.over);
        }
        let pauseMs = PAUSE_MS;
        let count = link?.count;
        try {
          if (link === null || !link.open) {
            link?.close();
            link = null;
            link = await openLink(signal);
          }
          first = false;
          missing = "";
          count = link.count;
          const found = await tryToLead(link, Kind, graceMs, signal);
          if (found.lead) {
            link = null;
            return found.lead;
          }
          pauseMs = found.pauseMs ?? LONGEST_MS;
        } catch (error) {
          signal?.throwIfAborted();
          if (!mayPass(error, first)) {
            throw error;
          }
          first = false;
          missing = error.message;
          if (error.code === TIMED_OUT && !link?.over) {
            link?.close(); // Another daemon may be there by the next try.
            link = null;
          }
        }
        const leftMs = until - performance.now();
        if (leftMs <= 0) {
          throw tooLate(timeoutMs, missing || (await reason()));
        }
        await this.#pause(link, count, Math.min(pauseMs, leftMs), signal);
      }
    } finally {
      link?.close();
    }
  }

  // Sleeps until the daemon says something, or so long.
  async #pause(link, count, ms, signal) {
    if (link !== null && link.open) {
      await link.news(count, ms, signal);
    } else {
      await doze(Math.min(ms, PAUSE_MS), signal);
    }
  }
}
