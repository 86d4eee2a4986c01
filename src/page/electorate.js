/* Who votes under guard strict; what is known of another part; who keeps which partitions; and what
 * this node runs with. */
import { h } from "./preact.js";
import { Name } from "./members.js";
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
  const note = `${voting} of ${of} vote, ${needed} needed: ${spare > 0 ? `${spare} can be spared` : "none can be spared"}`;
  return h(Card, { name: "voters", title: "Voters", note },
    change && h("p", { class: "note" }, `They change from ${change.from.join(", ")} to ${change.to.join(", ")}: both lists have to agree.`),
    replaces && h("p", { class: "note" }, `${replaces} is silent, and is replaced in ${duration(document.replaces_in_ms ?? 0)} unless it comes back.`),
    h(Rows, { titles: ["Voter", "State", "Record", "Address"], rows: document.voters.map((voter) => h(Voter, { key: voter.name, voter, onWhy })) }));
}

/* --- The other part --- */

/* What they may do who failed at once, as far as the guard says; and who would coordinate them. */
export function OtherPart({ members, status, onWhy }) {
  const away = members.gone.filter(({ reason }) => reason === "failed" || reason === "moved");
  if (away.length === 0 || status.whole.state === "not in") {
    return null;
  }
  const oldest = away.reduce((a, b) => (b.age < a.age ? b : a));
  const { policy, size, needed } = members.guard;
  const alive = away.filter(({ verdict }) => verdict !== "dead");
  const may = alive.length === 0 ? "Their hosts said that the processes have ended: none of them acts."
    : policy === "none" ? "If they are alive, they act, too: guard none asks nobody."
      : policy === "strict" ? "They may act only with more than half of the voters, and then this part does not."
        : size !== null ? (alive.length >= needed ? `They are ${alive.length}, and ${needed} are needed: they may act, if they are one part.` : `They are ${alive.length}, and ${needed} are needed: they do not act.`)
          : `If ${needed} of them are one part, it acts, too.`;
  const moved = away.filter(({ reason }) => reason === "moved");
  return h(Card, { name: "other", title: status.whole.state === "split" ? "The other part" : "Who is away", note: `${count(away.length, "member")}, since ${duration(Math.min(...away.map(({ since_ms }) => since_ms)))} or longer` },
    h("p", null, may, alive.length > 1 && [" Of one part ", h(Name, { name: oldest.name, onWhy }), " would coordinate: it is the oldest."]),
    h("p", { class: "note" }, moved.length > 0 ? `${moved.map(({ name }) => name).join(", ")} said to follow another coordinator.`
      : "Nothing was heard of them since; this node looks for them all the time."));
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

export function ThisNode({ members, status }) {
  const { protocol } = status;
  const back = protocol.held_back_by;
  const facts = [["Address", status.address], ["Up", duration(status.uptime_ms)], ["Version", `${status.version}, protocol ${protocol.version}`],
    ["Speaks", `${protocol.speaks}${back.length > 0 ? `; ${back.join(", ")} ${back.length === 1 ? "speaks" : "speak"} no later one yet` : ""}`],
    ["Profile", status.profile], ["Terms", termsOf(status.terms)], ["Keys", keysOf(status.security)],
    ["View", members.members.length > 0 ? `${members.epoch}.${members.view.version}, held by ${members.view.acked}` : "none"]];
  return h(Card, { name: "node", title: "This node", note: h("bdi", null, members.self) },
    h("dl", { class: "facts" }, facts.map(([title, text]) => [h("dt", null, title), h("dd", null, text)])),
    status.faults.length > 0 && h("p", { class: "note" }, `${count(status.faults.length, "fault")} in force here on purpose: doyen fault clear ends them.`));
}
