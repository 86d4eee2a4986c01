// What a node knows, as values that do not change.

import { DoyenError, USAGE, expected } from "./errors.js";
import * as given from "./given.js";

export function memberOf(entry) {
  return Object.freeze({
    name: entry.name,
    id: entry.id,
    address: entry.address,
    age: entry.age,
    incarnation: BigInt(entry.incarnation ?? 0),
    state: entry.state ?? "alive",
    silent: entry.silent ?? false,
    behind: entry.behind ?? false,
    coordinator: entry.coordinator ?? false,
    drained: entry.drained ?? false,
    heardMs: entry.heard_ms ?? null,
    tags: Object.freeze({ ...entry.tags }),
  });
}

function goneOf({ name, id, address, age, state, reason, verdict, since_ms: sinceMs }) {
  return Object.freeze({ name, id, address, age, state, reason, verdict, sinceMs });
}

function read(document) {
  const members = Object.freeze(document.members.map(memberOf));
  const { policy, needed, fresh, met } = document.guard;
  const version = document.view?.version;

  return Object.freeze({
    cluster: document.cluster,
    node: document.self,
    phase: document.phase,
    epoch: BigInt(document.epoch),
    version: version === undefined || version === null ? null : BigInt(version),
    coordinator: members.find((member) => member.name === document.coordinator) ?? null,
    acting: document.acting,
    actingMs: document.acting_ms,
    actingIs: document.acting_is,
    actingSaidMs: document.acting_said_ms ?? null,
    guard: Object.freeze({ policy, needed, fresh, met }),
    members,
    gone: Object.freeze(document.gone.map(goneOf)),
    resume: document.cursor,
    member: (name) => members.find((member) => member.name === name) ?? null,
  });
}

// The view in a document of /v1/members, or in a snapshot.
export function viewOf(document) {
  return expected("its view", () => read(document));
}

// Throws where one of these is not there.
function need(values) {
  const missing = Object.keys(values).find((key) => values[key] === undefined);
  if (missing !== undefined) {
    throw new TypeError(`no ${missing}`);
  }
}

function voterOf({ name, voter: state, record_id: recordId, heard, member, witness }) {
  return Object.freeze({ name, state, recordId, heard, member, witness });
}

// Who votes, in a document of /v1/voters.
export function votersOf({ voters: list, change, voting, needed, spare, waiting }) {
  return expected("its voters", () => {
    need({ change, waiting });
    const voters = Object.freeze(list.map(voterOf));
    const voter = (name) => voters.find((one) => one.name === name) ?? null;
    return Object.freeze({ voters, changing: change !== null, voting, needed, spare, waiting, voter });
  });
}

// Does another node, or another record, vote in the place of `before`?
export function isReplaced(before, now, name, by) {
  const present = now.voter(by);
  if (now.changing || !present?.recordId) {
    return false;
  }
  return by === name ? present.recordId !== before.voter(name)?.recordId : now.voter(name) === null;
}

// The leader in a document of /v1/leader; null: that node knows none.
export function leaderOf({ leader: name, leader_id: id, leader_address: address, algorithm, self }) {
  return expected("its leader", () => {
    need({ name, id, address, algorithm, self });
    return name === null ? null : Object.freeze({ name, id, address, algorithm, isSelf: name === self });
  });
}

// What changed while nobody told. `before` has the former members by id.
export function diffOf(before, after) {
  const former = new Map([...before.values()].map((member) => [member.name, member]));
  const present = new Set(after.members.map((member) => member.name));
  const others = after.members.filter((member) => !before.has(member.id));

  return Object.freeze({
    joined: Object.freeze(others.filter((member) => !former.has(member.name))),
    gone: Object.freeze([...former.values()].filter((member) => !present.has(member.name))),
    restarted: Object.freeze(others.filter((member) => former.has(member.name))),
  });
}

// Has the member this "key" or "key=value", if there is one?
export function hasTag({ tags }, tag) {
  if (tag === undefined) {
    return true;
  }
  const at = tag.indexOf("=");
  const key = at < 0 ? tag : tag.slice(0, at);
  return Object.hasOwn(tags, key) && (at < 0 || tags[key] === tag.slice(at + 1));
}

const CONDITIONS = ["members", "atLeast", "name", "gone", "coordinator", "acting", "guardMet", "tag"];
const MEMBERS_MAX = 4096;

// Refuses what Client.wait could wait for in vain.
export function checkConditions(options) {
  given.options("wait", options, [...CONDITIONS, "timeoutMs", "signal"]);
  const { members, atLeast, name, gone, coordinator, tag, acting, guardMet } = options;
  given.optional(given.whole, "members", members, 1, MEMBERS_MAX, " of members");
  for (const [key, told] of Object.entries({ name, gone, coordinator })) {
    given.optional(given.member, key, told);
  }
  for (const [key, told] of Object.entries({ atLeast, acting, guardMet })) {
    given.optional(given.flag, key, told);
  }
  given.optional(given.tag, "tag", tag);
  given.apart("name", name, "gone", gone, "cannot be a member and gone at once");
  given.apart("coordinator", coordinator, "gone", gone, "cannot coordinate and be gone at once");
  if (atLeast && members === undefined) {
    throw given.wrong("atLeast", atLeast, "it goes with members");
  }
  const asked = [members, name, gone, coordinator, tag].some((told) => told !== undefined);
  if (!asked && !acting && !guardMet) {
    throw new DoyenError(USAGE, "say what to wait for, as in { members: 3 } or { acting: true }");
  }
}

// What of the conditions of Client.wait does not hold yet, for a message; empty when everything
// does.
export function missingIn(view, { members, atLeast, name, gone, coordinator, acting, guardMet, tag }) {
  const count = view.members.filter((member) => hasTag(member, tag)).length;
  const chosen = name === undefined ? null : view.member(name);
  const alone = tag !== undefined && members === undefined && name === undefined;
  const having = tag === undefined ? "" : ` with ${tag}`;
  const named = view.coordinator?.name;
  const few = members !== undefined && (atLeast ? count < members : count !== members);
  const faults = [
    [view.phase !== "member", `${view.node} is in phase ${view.phase}`],
    [few, `${count} members${having} where ${members}${atLeast ? " or more" : ""} are waited for`],
    [alone && count === 0, `no member has the tag ${tag}`],
    [chosen !== null && !hasTag(chosen, tag), `${name} has not the tag ${tag}`],
    [name !== undefined && !view.member(name), `${name} is not a member`],
    [gone !== undefined && view.member(gone), `${gone} is a member`],
    [coordinator !== undefined && coordinator !== named, `the coordinator is ${named ?? "not known"}`],
    [acting && !view.acting, `${view.node} is not acting`],
    [guardMet && !view.guard.met, "the guard is not met"],
  ];

  return faults
    .filter(([holds]) => holds)
    .map(([, text]) => text)
    .join(", ");
}
