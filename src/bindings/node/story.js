// A watch as it goes on over restarts of the daemon: what to resume from, and what a gap hid.

import * as given from "./given.js";
import { diffOf, memberOf, viewOf } from "./model.js";

const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 2000;

export const QUIET_MS = 15000; // three times the daemon's keep-alive

function event(kind, resume, text, { name = null, view = null, diff = null, data = {} } = {}) {
  return Object.freeze({ kind, resume, text, name, view, diff, data: Object.freeze(data) });
}

// One watch. Whoever reads the stream hands each event to `take`, and its end to `away`.
export class Story {
  #resume;
  #members = null; // by id; null: not known
  #gap = null;
  #met;
  #told = false; // that it is away
  #pauseMs = PAUSE_MS_MIN;

  constructor(resume) {
    given.optional(given.token, "resume", resume ?? undefined);
    this.#resume = resume ?? null;
    this.#met = this.#resume !== null; // the daemon was there before
  }

  // The headers of the request at the beginning of each stream.
  headers() {
    this.#gap = null;
    return this.#resume === null ? {} : { "Last-Event-ID": this.#resume };
  }

  // The events to hand on for one of the stream.
  take(told) {
    this.#met = true;
    this.#told = false;
    this.#pauseMs = PAUSE_MS_MIN;
    if (told.kind === "gap") {
      this.#gap = told; // Told together with the snapshot that comes next.
      return [];
    }
    this.#resume = told.id || this.#resume;
    const events = told.kind === "snapshot" ? this.#snapshot(told) : [this.#event(told)];
    this.#note(told);
    return events;
  }

  // The daemon went away: what to hand on, and for how long to pause. Throws what no other try can
  // mend, and what stands in the way of the first one.
  away(error) {
    if (!error.passing || !this.#met) {
      throw error;
    }
    const pauseMs = this.#pauseMs;
    const events = this.#told ? [] : [event("away", this.#resume, error.message)];
    this.#pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX);
    this.#told = true;
    return { events, pauseMs };
  }

  #event({ kind, data }, view = null) {
    return event(kind, this.#resume, data.text ?? "", { name: data.name ?? null, view, data });
  }

  #snapshot(told) {
    const view = viewOf(told.data);
    const events = [this.#event(told, view)];
    if (this.#gap !== null) {
      const diff = this.#members === null ? null : diffOf(this.#members, view);
      const { data } = this.#gap;
      events.unshift(event("gap", this.#resume, data.text ?? "", { view, diff, data }));
      this.#gap = null;
    }
    this.#members = new Map(view.members.map((member) => [member.id, member]));
    return events;
  }

  #note({ kind, data }) {
    if (this.#members === null) {
      return;
    }
    if (kind === "joined") {
      const { name, id, address, age } = data;
      this.#members.set(id, memberOf({ name, id, address, age }));
    } else if (kind === "gone") {
      this.#members.delete(data.id);
    }
  }
}
