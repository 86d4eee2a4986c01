/** Ends with this status, too: the command `doyen` for the same fault. */
export const REFUSED: 1;
export const UNREACHABLE: 4;
export const TIMED_OUT: 5;
export const USAGE: 64;

/** Everything that this module throws on its own account: one line that names fault and remedy. */
export class DoyenError extends Error {
  readonly code: 1 | 4 | 5 | 64;
  /** The same may work soon. */
  readonly passing: boolean;
}

/** The right to act ends now, or has ended: whatever acts by it has to stop. */
export class LeadLost extends DoyenError {}

/**
 * One life of a member. Who starts again is another one, with another `id` and age.
 *
 * Of members that are told by an event alone only name, id, address and age are known.
 */
export interface Member {
  readonly name: string;
  readonly id: string;
  readonly address: string;
  /** Order of joining: the lowest is the oldest. */
  readonly age: number;
  readonly incarnation: bigint;
  readonly state: "alive" | "suspect";
  readonly silent: boolean;
  /** It does not get the view that the others hold. */
  readonly behind: boolean;
  readonly coordinator: boolean;
  /** It does not coordinate while any other can. */
  readonly drained: boolean;
  /** Since its last sign of life; null: none yet. */
  readonly heardMs: number | null;
  readonly tags: Readonly<Record<string, string>>;
}

/** A former member that is still remembered. */
export interface Gone {
  readonly name: string;
  readonly id: string;
  readonly address: string;
  readonly age: number;
  readonly state: "left" | "failed";
  readonly reason: "failed" | "left" | "moved" | "replaced" | "behind";
  readonly verdict: "dead" | "lost" | "stalled" | null;
  readonly sinceMs: number;
}

/** How many members have to be there, and are they? */
export interface Guard {
  readonly policy: string;
  readonly needed: number;
  readonly fresh: number;
  readonly met: boolean;
}

/** Who is in, oldest first, and who coordinates, as one node knew it at one moment. */
export interface View {
  readonly cluster: string;
  /** The name of the node that was asked. */
  readonly node: string;
  readonly phase: "joining" | "member" | "leaving" | "stopped";
  readonly epoch: bigint;
  /** null: the node holds no view yet. */
  readonly version: bigint | null;
  readonly coordinator: Member | null;
  /** This node acted then; to act, see `Client.acting` and `Client.leading`. */
  readonly acting: boolean;
  readonly actingMs: number;
  readonly actingIs: "advisory" | "exclusive";
  /** How long ago the coordinator last said that it acts; null: nobody is known to act. */
  readonly actingSaidMs: number | null;
  readonly guard: Guard;
  readonly members: readonly Member[];
  readonly gone: readonly Gone[];
  /** `Client.watch({ resume })` goes on from here. */
  readonly resume: string;
  /** The member of this name, or null. */
  member(name: string): Member | null;
}

/**
 * Whom an election found, as one node knew it at one moment. It is advice: two parts of a network
 * have a leader each.
 */
export interface Leader {
  readonly name: string;
  readonly id: string;
  readonly address: string;
  readonly algorithm: "oldest" | "bully" | "ring" | "token-ring" | "sequential";
  /** It is the node that was asked. */
  readonly isSelf: boolean;
}

/** What changed while nobody told: between the last event before a gap and the snapshot after it. */
export interface Diff {
  /** Names that are new. */
  readonly joined: readonly Member[];
  /** Names that are not there any more, as they were last known. */
  readonly gone: readonly Member[];
  /** Names that are there still, in another life. */
  readonly restarted: readonly Member[];
}

/**
 * Something that happened; proto/control.md lists the kinds.
 *
 * Two kinds differ from there. A `gap` has in `diff` what changed meanwhile (null where nothing was
 * known before), and is followed by its snapshot. `away` is made here: the daemon cannot be reached,
 * what was told may be out of date, and `text` says why; the watch goes on by itself.
 */
export interface Event {
  readonly kind: string;
  /** `Client.watch({ resume })` goes on after this event. */
  readonly resume: string | null;
  readonly text: string;
  /** Of the member that it is about. */
  readonly name: string | null;
  /** With `snapshot` and `gap`. */
  readonly view: View | null;
  /** With `gap`. */
  readonly diff: Diff | null;
  /** All that the daemon told. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The right to act as it was at one moment.
 *
 * What is acted on has to refuse an epoch below the highest that it has seen: no program can rule
 * out that it is stopped between looking and acting.
 */
export interface Right {
  readonly epoch: bigint;
  /** So much is left for certain when the answer is there. */
  readonly leftMs: number;
  /** The guard cannot rule out that another node acts as well. */
  readonly advisory: boolean;
  readonly node: string;
}

/**
 * This node acts: what `Client.leading` gives to its callback.
 *
 * It is lost once and for all `graceMs` before the right to act ends. What was renewed in the
 * meantime does not count: a renewal puts the end off as long as nothing is lost.
 */
export class Lead {
  protected constructor(); // It is not made by users; Holding extends it.
  /** To send along with each act. */
  readonly epoch: bigint;
  /** So long before the right to act ends the lead is lost, and some more. */
  readonly graceMs: number;
  /** Aborted, with LeadLost as its reason, when the lead is lost: for fetch, timers and the like. */
  readonly signal: AbortSignal;
  /** For so many milliseconds the lead is certain; 0 when it is lost. */
  leftMs(): number;
  /**
   * Is it held still? Asks no daemon: call it before each act. It is right also when the loop was
   * blocked, which a timer and `signal` cannot be.
   */
  held(): boolean;
  /** Throws LeadLost where `held()` is false. */
  check(): void;
  /** Sleeps so long; rejects with LeadLost at once when the lead is lost. */
  sleep(ms: number): Promise<void>;
}

/**
 * This process holds a role: what `Client.campaign` gives to its callback.
 *
 * What is acted on has to refuse a token below the highest that it has seen.
 */
export class Holding extends Lead {
  private constructor();
  /** The name of the role. */
  readonly role: string;
  /** Of this grant; higher than that of each before it. */
  readonly token: bigint;
}

/**
 * What is left out is as POST /v1/campaign of proto/control.md has it. All candidates of a role have to
 * say the same, but for `priority` and `value`.
 */
export interface Candidacy {
  policy?: "first" | "oldest" | "priority";
  /** For others to read: where the holder is reached. */
  value?: string;
  /** So many may hold the role at once. */
  holders?: number;
  /** Under the policy `priority`. */
  priority?: number;
  /** A better candidate takes the place of a holder. */
  preempt?: boolean;
  /** The same, once the better one has stood for so long. */
  preemptAfterMs?: number;
  /** "key" or "key=value": who has no such tag holds nothing. */
  need?: string;
}

export interface Conditions {
  /** So many members; with `atLeast` or more. */
  members?: number;
  atLeast?: boolean;
  /** One of the members. */
  name?: string;
  /** None of the members. */
  gone?: string;
  coordinator?: string;
  /** This node acts. */
  acting?: boolean;
  guardMet?: boolean;
  /**
   * "key" or "key=value": only who has it counts for `members` and `name`; alone, one member has it.
   */
  tag?: string;
}

export interface ClientOptions {
  /**
   * The path of the control socket. Without it DOYEN_CONTROL names it, else it is the only one in
   * $XDG_RUNTIME_DIR/doyen and /run/doyen, as for the command `doyen`.
   */
  control?: string;
  /**
   * The account of the daemon (DOYEN_EXPECT_USER). A socket whose file belongs to another account
   * than root, one's own, the owner of /run/doyen for a socket in there, and this one is not asked.
   */
  expectUser?: string | number;
}

/** One of those who vote under guard strict. */
export interface Voter {
  readonly name: string;
  /** "votes", "no record" and others of GET /v1/voters; null: it has not said. */
  readonly state: string | null;
  /** The id of the record on its disk; null: none is known. */
  readonly recordId: string | null;
  /** The node that was asked hears it. */
  readonly heard: boolean;
  /** It is a member of the view. */
  readonly member: boolean;
  /** A doyen-witness, which is no member. */
  readonly witness: boolean;
}

/**
 * Who votes under guard strict, as one node knew it at one moment. While the voters are being
 * changed, the numbers are of the list that lacks more.
 */
export interface Voters {
  readonly voters: readonly Voter[];
  /** The voters are being changed: `voters` has the old and the new ones. */
  readonly changing: boolean;
  /** How many are heard and have not said that they cannot vote. */
  readonly voting: number;
  /** How many it takes for anybody to act; null: the guard is another one. */
  readonly needed: number | null;
  /** How many may be lost. */
  readonly spare: number | null;
  /** How many have not said yet how they stand. */
  readonly waiting: number;
  voter(name: string): Voter | null;
}

/** One client of a member that stands for a role. */
export interface Candidate {
  readonly member: string;
  /** The id of this candidature. */
  readonly request: string;
  readonly priority: number;
  /** Its member is not drained, and has the tag that the role needs. */
  readonly eligible: boolean;
  /** That tag; null: it has it. */
  readonly lacks: string | null;
  readonly value: string;
  /** Of one that holds the role, else null. */
  readonly token: bigint | null;
  /** For which it holds the role for certain. */
  readonly holdingMs: number;
  /** It has lost the role, and has not stopped yet. */
  readonly stopping: boolean;
}

/** Who holds a role and who waits for it, in the order in which they would hold it. */
export interface RoleState {
  readonly name: string;
  readonly policy: "first" | "oldest" | "priority";
  readonly maxHolders: number;
  readonly need: string | null;
  readonly holders: readonly Candidate[];
  readonly candidates: readonly Candidate[];
}

/** Who stands for which role, as each member says of its own clients. */
export interface Roles {
  readonly roles: readonly RoleState[];
  /** The guard does not rule out two holders. */
  readonly advisory: boolean;
  /** Who stands at the members of `unanswered` is not known. */
  readonly stale: boolean;
  /** They have not said. */
  readonly unanswered: readonly string[];
  readonly unasked: number;
  /** The role of this name, or null: nobody stands for it. */
  role(name: string): RoleState | null;
}

/**
 * The doyend of this host. What fails rejects with DoyenError; a `signal` that is aborted with its
 * reason. Options that a method does not know are refused.
 */
export class Client {
  constructor(options?: ClientOptions);
  readonly control: string;

  /** Gives back what `acting` holds. The client may be used again. */
  close(): void;

  /** The document of any resource that proto/control.md lists, such as /v1/status. */
  get(path: string, options?: { signal?: AbortSignal }): Promise<Record<string, unknown>>;

  /** Who is in, oldest first, who coordinates, and who is gone. */
  view(options?: { signal?: AbortSignal }): Promise<View>;

  /**
   * Whom an election found (doyend --election), or null while there is no leader; without elections
   * the best member of the view. To act, see `leading`.
   */
  leader(options?: { signal?: AbortSignal }): Promise<Leader | null>;

  /**
   * What happens, for ever: a snapshot first, then each change.
   *
   * Keep `resume` of the last event and give it back to go on after it. The watch goes on over
   * restarts of the daemon: it says `away`, and later either goes on without a gap or says `gap`,
   * with the difference, before the new snapshot. Rejects where the daemon cannot be reached at the
   * very first, unless with `resume`, and where it refuses.
   */
  watch(options?: { resume?: string; signal?: AbortSignal }): AsyncGenerator<Event, never, void>;

  /**
   * Waits until this node is a member and all of this holds, of which one has to be given, also for
   * a daemon that is not there yet. Resolves to the view that shows it. Rejects with TIMED_OUT when
   * the time is over, saying what is missing.
   */
  wait(options: Conditions & { timeoutMs: number; signal?: AbortSignal }): Promise<View>;

  /** Who votes under guard strict: they are asked how they stand, and what has come within half a second is told. */
  voters(options?: { signal?: AbortSignal }): Promise<Voters>;

  /**
   * Has the node `by` vote in the place of the voter `name`. Without `by`, `name` votes on under a
   * new record, for it has lost its disk. Resolves to the voters when that is settled. Rejects where
   * it cannot be done, or nobody acts, and with TIMED_OUT when the time is over; a change that has
   * begun goes on.
   */
  replaceVoter(name: string, options: { by?: string; timeoutMs: number; signal?: AbortSignal }): Promise<Voters>;

  /**
   * Changes tags of this node at run time: each key gets its value, in the place of the one that it
   * had, or goes where that is null. Resolves to the view that shows it; all members do. It is not
   * kept when the daemon starts again. Rejects where a tag is refused, and with TIMED_OUT when the
   * time is over.
   */
  setTags(
    changes: Record<string, string | null>,
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<View>;

  /**
   * Has another member coordinate: `name`, or without it the oldest other one that can. Resolves to
   * the view that shows it. Nobody leaves: the former coordinator becomes one of the youngest. Rejects
   * where that member cannot coordinate, or is none, and with TIMED_OUT when the time is over.
   */
  transfer(options: { name?: string; timeoutMs: number; signal?: AbortSignal }): Promise<View>;

  /**
   * Keeps the member `name`, without it this node, from coordinating while any other can; if it
   * coordinates it hands over. Resolves to the view that shows the mark, which is gone when the member
   * starts again. Rejects where there is no such member, and with TIMED_OUT when the time is over.
   */
  drain(options: { name?: string; timeoutMs: number; signal?: AbortSignal }): Promise<View>;

  /** Lets the member `name`, without it this node, coordinate again; else as `drain`. */
  undrain(options: { name?: string; timeoutMs: number; signal?: AbortSignal }): Promise<View>;

  /**
   * Who holds which role and who waits for it: all members are asked, and what has come within a
   * second is told. Who did not say is in `unanswered`.
   */
  roles(options?: { signal?: AbortSignal }): Promise<Roles>;

  /**
   * Has the clients of this node that stand for the role, in whatever program, stand for it no more;
   * resolves to how many they are. Who holds it lets go when it has stopped. Rejects where there is
   * none.
   */
  resign(role: string, options?: { signal?: AbortSignal }): Promise<number>;

  /**
   * The right of this node to act now, or null.
   *
   * The first call rejects where the daemon cannot be asked. Later one that is away or stopped means
   * null as soon as what it said before is over. A planned hand-over waits for the next call that
   * says null, or for `close`, but no longer than `leftMs` of the last right.
   */
  acting(): Promise<Right | null>;

  /**
   * Waits until this node acts, and calls `block`. Resolves to what that returns.
   *
   * `block` has to end when the lead is lost: `lead.signal` is aborted, `lead.held()` turns false,
   * `lead.check()` and `lead.sleep()` throw LeadLost. That is `graceMs` before the right to act
   * ends, at the latest; without it about half of the lease. An AbortError that `block` ends with
   * then becomes LeadLost. A planned hand-over waits for the end of `block`.
   *
   * Rejects with TIMED_OUT when it takes longer than `timeoutMs` until `block` is called, with USAGE
   * where the lease is too short for `graceMs`, and where the daemon cannot be reached at the very
   * first. `signal` ends the waiting alone.
   */
  leading<T>(
    block: (lead: Lead) => T | Promise<T>,
    options?: { graceMs?: number; timeoutMs?: number; signal?: AbortSignal },
  ): Promise<T>;

  /**
   * Stands for the role, waits until this process holds it, and calls `block`. Resolves to what that
   * returns; the role is let go then.
   *
   * `block` has to end when the role is lost, as with `leading`. Rejects also where the campaign is
   * refused, or `doyen resign` ends it.
   */
  campaign<T>(
    role: string,
    block: (holding: Holding) => T | Promise<T>,
    options?: Candidacy & { graceMs?: number; timeoutMs?: number; signal?: AbortSignal },
  ): Promise<T>;
}

/** The partition, from 0 on, of a key among as many as `doyend --partitions` has it, 1 to 4096: the
 * same that `doyen partitions KEY` says. A text stands for its UTF-8. */
export function partitionOf(key: string | Uint8Array, partitions: number): number;
