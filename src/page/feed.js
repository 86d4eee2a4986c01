/* What the daemon tells, kept up to date: changes come as server-sent events at once; what moves
 * with the clock is asked for each second while anybody looks. Nothing is ever sent but GET. */

const LOOK_MS = 1000;
const PATIENCE_MS = 4000; /* for one answer */
const REOPEN_MS = 1500;
const KINDS = ["snapshot", "gap", "phase", "view", "joined", "gone", "coordinator", "suspect",
  "cleared", "guard", "acting", "late", "claim", "split", "merging", "other_terms", "merge",
  "vouched", "join_refused", "turned_away", "mismatch", "tags", "drained", "forgotten", "old_record", "address",
  "voters_wish"];
const DOCUMENTS = { members: "/v1/members", status: "/v1/status" };
const EVENTS_KEPT = 200;
const SURVEY_EVERY = 4; /* looks: at one all members are asked, and at the next they have answered */
const SAMPLES_KEPT = 900;

export async function ask(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(PATIENCE_MS), cache: "no-store" });
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    throw new Error(problem.detail || `${path}: ${answer.status}`);
  }
  return answer.json();
}

function total(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

export class Feed {
  /* `onChange` is called after each news. */
  constructor(onChange) {
    this.onChange = onChange;
    this.documents = null; /* members, status; as of `seenAt` */
    this.views = []; /* of /v1/history, oldest first */
    this.events = []; /* oldest first */
    this.samples = []; /* what the charts show, one for each look */
    this.connected = false;
    this.seenAt = 0;
    this.lastId = null;
    this.asking = false;
    this.again = false;
    this.historyDue = true;
    this.journalDue = true;
    this.roles = null; /* of /v1/roles, /v1/voters and /v1/partitions; null: not asked, or there are none */
    this.voters = null;
    this.partitions = null;
    this.tags = new Map(); /* of members by id: of those who are gone the daemon does not tell them */
    this.surveyRound = 0;
    this.source = null; /* of the events */
    this.ahead = 0; /* milliseconds of the daemon's clock before this one's */
  }

  start() {
    this.open();
    this.look();
    setInterval(() => document.hidden || this.look(), LOOK_MS);
    document.addEventListener("visibilitychange", () => document.hidden || this.look());
  }

  /* The browser reconnects by itself with the last event's id, but not after an answer that is an
   * error, such as when there are too many watchers. */
  open() {
    const query = this.lastId === null ? "" : `?since=${encodeURIComponent(this.lastId)}`;
    const source = new EventSource(`/v1/events${query}`);
    this.source = source;
    for (const kind of KINDS) {
      source.addEventListener(kind, (message) => this.take(kind, message));
    }
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) {
        setTimeout(() => this.open(), REOPEN_MS);
      }
      this.look();
    });
  }

  /* The daemon is back after a silence. Nobody tells the browser when its stream has come to nothing
   * meanwhile, as after a host that lost its power. What comes twice is added once. */
  reopen() {
    this.source.close();
    this.open();
  }

  take(kind, message) {
    this.lastId = message.lastEventId || this.lastId;
    if (kind === "gap") {
      this.journalDue = true;
    } else if (kind !== "snapshot") {
      this.add([JSON.parse(message.data)]);
    }
    this.historyDue = true;
    this.look();
  }

  /* Oldest first. An event may come twice: in the journal and by itself. */
  add(events) {
    const known = new Set(this.events.map(({ cursor }) => cursor));
    const added = events.filter(({ cursor }) => !known.has(cursor)).map((event) => ({ ...event, at: Date.parse(event.time) }));
    this.events = [...this.events, ...added].sort((a, b) => a.at - b.at).slice(-EVENTS_KEPT);
  }

  /* One round of questions at a time; news meanwhile make one more round. */
  async look() {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    try {
      await this.read();
      if (!this.connected && this.seenAt > 0) {
        this.reopen();
      }
      this.connected = true;
      this.seenAt = Date.now();
    } catch {
      this.connected = false;
      this.historyDue = this.journalDue = true;
    }
    this.asking = false;
    this.onChange();
    if (this.again && this.connected) {
      this.again = false;
      this.look();
    }
  }

  async read() {
    const { historyDue, journalDue } = this;
    this.historyDue = this.journalDue = false; /* News that come meanwhile make them due again. */
    const keys = Object.keys(DOCUMENTS);
    const answers = await Promise.all([...keys.map((key) => ask(DOCUMENTS[key])),
      historyDue ? ask("/v1/history") : null, journalDue ? ask("/v1/journal") : null]);
    const [history, journal] = answers.slice(keys.length);
    this.documents = { ...this.documents, ...Object.fromEntries(keys.map((key, i) => [key, answers[i]])) };
    this.remember();
    if (history) {
      this.views = history.views.map((view) => ({ ...view, at: Date.parse(view.time),
        id: [view.lineage, view.epoch, view.version, view.coordinator].join(" ") }));
    }
    if (journal) {
      this.add(journal.events);
    }
    this.setClock();
    if (this.seenAt === 0) {
      await this.recall();
    }
    this.sample();
    await this.survey();
  }

  /* Which zone it is that is gone can be seen by those who looked before; to others its tags are null. */
  remember() {
    const { members, gone } = this.documents.members;
    this.tags = new Map([...members, ...gone].map(({ id, tags }) => [id, tags ?? this.tags.get(id)]));
    this.documents.members.gone = gone.map((one) => ({ ...one, tags: this.tags.get(one.id) ?? null }));
  }

  async survey() {
    const { members } = this.documents;
    const turn = this.surveyRound++ % SURVEY_EVERY;
    if (turn === 0) {
      await ask("/v1/roles?begin");
    } else if (turn === 1) {
      this.roles = await ask("/v1/roles");
      this.voters = members.guard.policy === "strict" ? await ask("/v1/voters") : null;
      this.partitions = await ask("/v1/partitions");
    }
  }

  /* What the daemon has kept from before the page was opened. */
  async recall() {
    const { samples } = await ask("/v1/counters");
    const now = Date.now() / 1000;
    this.samples = samples.map(({ ago_ms, ...counters }) => ({ at: now - ago_ms / 1000, ...counters }));
  }

  /* What the daemon tells of moments is by its host's clock, which may differ from this one's. */
  setClock() {
    const change = this.documents.status.last_change;
    this.ahead = change ? Date.parse(change.time) + change.since_ms - Date.now() : 0;
  }

  now() {
    return Date.now() + this.ahead;
  }

  /* What was counted before the daemon started is of another life. */
  sample() {
    const { counters, uptime_ms } = this.documents.status;
    const last = this.samples.at(-1);
    const now = Date.now() / 1000;
    if (last && now - last.at < 0.5) {
      return;
    }
    const { datagrams_in, datagrams_out, bytes_in, bytes_out } = counters;
    this.samples = [...this.samples.slice(1 - SAMPLES_KEPT).filter(({ at }) => at > now - uptime_ms / 1000),
      { at: now, datagrams_in, datagrams_out, bytes_in, bytes_out, messages_refused: total(counters.refused),
        frames_refused: total(counters.malformed) + total(counters.not_opened) + counters.without_key }];
  }
}
