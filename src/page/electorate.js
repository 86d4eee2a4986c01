/* Who votes under guard strict; who is away; who keeps which partitions; and what
 * this node runs with. */
import { h } from "./preact.js";
import { awayOf, Name } from "./members.js";
import { heldBy } from "./summary.js";
import { count, duration } from "./words.js";

function Card({ name, title, note, children }) {
  return h("section", { class: `card ${name}`, "aria-labelledby": name },
    h("header", null, h("h2", { id: name }, title), h("p", null, note)), children);
}

function Rows({ titles, rows }) {
  return h("div", { class: "wide" }, h("table", null,
    h("thead", null, h("tr", null, titles.map((title) => h("th", { scope: "col", key: title }, title)))),
    h("tbody", null, rows)));
}

/* --- Voters --- */

function Voter({ voter, onWhy }) {
  const { name, witness, heard } = voter;
  const well = heard && [null, "votes", "founding"].includes(voter.voter);
  return h("tr", { class: !heard ? "suspect" : well ? "alive" : "silent" },
    h("th", { scope: "row" }, witness ? h("bdi", null, name) : h(Name, { name, onWhy }), witness && h("span", { class: "badge" }, "witness"),
      voter.list !== "now" && h("span", { class: "badge" }, `in the ${voter.list} list`)),
    h("td", null, h("span", { class: "state" }, !heard ? "not heard" : voter.voter ?? "has not said")),
    h("td", { class: "heard" }, voter.record_id?.slice(0, 8) ?? "none"),
    h("td", { class: "address" }, voter.address ?? ""));
}

export function Voters({ document, onWhy }) {
  if (!document || document.voters.length === 0) {
    return null;
  }
  const { voting, count: of, needed, spare, change, replaces } = document;
  const note = `${voting} of ${of} vote${voting < needed ? `: ${needed - voting} more needed` : `, ${needed} needed: ${spare > 0 ? spare : "none"} can be spared`}`;
  return h(Card, { name: "voters", title: "Voters", note },
    change && h("p", { class: "note" }, `They change from ${change.from.join(", ")} to ${change.to.join(", ")}: both lists have to agree.`),
    replaces && h("p", { class: "note" }, `${replaces} does not vote, and ${document.stands_in === replaces ? "gets another record" : "is replaced"} in ${duration(document.replaces_in_ms ?? 0)} unless it votes again.`),
    h(Rows, { titles: ["Voter", "State", "Record", "Address"], rows: document.voters.map((voter) => h(Voter, { key: voter.name, voter, onWhy })) }));
}

/* --- Who is away --- */

const AWAY_NAMED = 8;
const VERDICTS = { dead: "nothing answers at its port any more", lost: "neither it nor its host answers", stalled: "its host answers, and it does not" };

function howAway({ reason, verdict, state }) {
  return reason === "moved" ? "follows another coordinator" : reason === "behind" ? "did not take up the view that the others hold"
    : reason ? `failed: ${VERDICTS[verdict] ?? "it is not heard"}` : `${state === "suspect" ? "is suspected" : "is silent"}, and still in the view`;
}

/* What they may do of whom it is not known that they ended, as far as the guard says. Under strict the band says it. */
function mayAct({ policy, needed }, count) {
  return policy === "none" ? `If alive, ${count === 1 ? "it acts" : "they act"}, too: guard none asks nobody.`
    : count < needed ? `${count} of them may be alive, and ${needed} are needed: they do not act.`
      : `If ${needed} of them are one part, it may act, too.`;
}

/* Those who failed, and those of the view who are not heard; and who would coordinate them. */
export function Away({ members, onWhy }) {
  const away = awayOf(members);
  const unheard = members.members.filter(({ name, state, silent }) => name !== members.self && (state === "suspect" || silent));
  const all = [...away, ...unheard].sort((a, b) => a.age - b.age);
  if (all.length === 0) {
    return null;
  }
  const alive = all.filter(({ verdict }) => verdict !== "dead");
  return h(Card, { name: "other", title: "Who is away", note: count(all.length, "member") },
    h("ul", { class: "away" }, all.slice(0, AWAY_NAMED).map((one) => h("li", { key: one.id }, h(Name, { name: one.name, onWhy }), " ", howAway(one)))),
    all.length > AWAY_NAMED && h("p", { class: "note" }, `${all.length - AWAY_NAMED} more are in the table of members.`),
    alive.length > 0 && away.length > 0 && members.guard.policy !== "strict" && h("p", null, mayAct(members.guard, alive.length),
      alive.length > 1 && [" If they are one part, ", h(Name, { name: alive[0].name, onWhy }), " coordinates it, as the oldest of them."]),
    h("p", { class: "note" }, "This node looks for them all the time."));
}

/* --- Partitions --- */

export function Partitions({ document, onWhy }) {
  if (!document?.partitions || !document.members) {
    return null;
  }
  return h(Card, { name: "partitions", title: "Partitions", note: `${document.partitions}, ${count(document.backups, "backup")} each${document.settled ? "" : "; the table is changing"}` },
    h(Rows, { titles: ["Member", "To own", "Keeps", "Owns now"], rows: document.members.map(({ name, id, owned, kept, held }) => h("tr", { key: id },
      h("th", { scope: "row" }, name === null ? "gone" : h(Name, { name, onWhy })), h("td", null, owned), h("td", null, kept), h("td", null, held ?? "it knows"))) }));
}

/* --- This node --- */

function termsOf({ settled, drift }) {
  return !settled ? "changing" : drift ? "agreed ones, which its configuration does not have" : "as it was started with";
}

function keysOf({ keys, auth, insecure }) {
  return insecure ? "no key, and strangers can send to it" : keys.length === 0 ? "no key" : `${keys.join(", ")}${auth === "accept" ? "; frames without one are taken, too" : ""}`;
}

/* What doyen fault put in force; the band says that there are some. */
function faultsOf(faults) {
  const dropped = faults.filter(({ drop }) => drop).map(({ name }) => name);
  return [...(dropped.length > 0 ? [`drops ${dropped.join(", ")}`] : []),
    ...faults.filter(({ drop }) => !drop).map(({ name, delay_ms }) => `delays ${name} by ${duration(delay_ms)}`)].join("; ");
}

export function ThisNode({ members, status }) {
  const { protocol } = status;
  const back = protocol.held_back_by;
  const facts = [["Address", status.address], ["Up", duration(status.uptime_ms)], ["Version", `${status.version}, protocol ${protocol.version}`],
    ["Speaks", `${protocol.speaks}${back.length > 0 ? `; ${back.join(", ")} ${back.length === 1 ? "speaks" : "speak"} no later one yet` : ""}`],
    ["Profile", status.profile], ["Terms", termsOf(status.terms)], [status.security.keys.length > 1 ? "Keys" : "Key", keysOf(status.security)],
    ["View", members.members.length > 0 ? `${members.epoch}.${members.view.version}, ${heldBy(members)}` : "none"],
    ...(status.faults.length > 0 ? [["Faults", `on purpose: ${faultsOf(status.faults)}`]] : [])];
  return h(Card, { name: "node", title: "This node", note: h("bdi", null, members.self) },
    h("dl", { class: "facts" }, facts.map(([title, text]) => [h("dt", null, title), h("dd", null, text)])));
}
