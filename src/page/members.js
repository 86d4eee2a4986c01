/* The members by age, and those that are gone. Where there are many, who is well is one of a crowd of
 * names, and a row is for who needs a look. */
import { Component, h } from "./preact.js";
import { clock, count, duration } from "./words.js";

const ROWS_MAX = 300; /* drawn at once; of more the filter shows those that are wanted */
const FILTER_FROM = 12;
export const CROWD_FROM = 25; /* members */
const GONE_SHOWN = 8;

function stateOf(member) {
  return member.state !== "alive" ? member.state : member.silent ? "silent" : member.behind ? "behind" : "alive";
}

/* Who failed and is not back, as in the sentence on the whole: of several lives of one name the last. */
export function awayOf({ members, gone }) {
  return gone.filter(({ name, reason }, i) => ["failed", "moved", "behind"].includes(reason)
    && !members.some((member) => member.name === name) && !gone.some((later, k) => k > i && later.name === name));
}

function Tags({ tags }) {
  return tags === null ? "not known" : Object.entries(tags).map(([key, value]) =>
    h("span", { class: "tag", key }, h("bdi", null, value === "" ? key : `${key}=${value}`), " "));
}

export function Name({ name, onWhy }) {
  return h("button", { type: "button", onClick: () => onWhy(name), "aria-haspopup": "dialog" },
    h("bdi", null, name));
}

function heard(member, self) {
  if (member.name === self) {
    return "this node";
  }
  return member.heard_ms === null ? "by others" : `${duration(member.heard_ms)} ago`;
}

function partsOf(address) {
  const at = address.lastIndexOf(":");
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
}

/* Where the page of another node is, if it has one as this node does: as far from the port of its
 * member. Only where this page was asked for by the address of its own member. */
export function pageOf(member, document) {
  const self = document.members.find(({ name }) => name === document.self);
  if (!self || member.name === document.self || location.port === "") {
    return null;
  }
  const [own, other] = [partsOf(self.address), partsOf(member.address)];
  const port = other.port + Number(location.port) - own.port;
  return location.hostname === own.host && port > 0 && port < 65536 ? `http://${other.host}:${port}/` : null;
}

function Address({ member, document }) {
  const page = pageOf(member, document);
  return page === null ? member.address : h("a", { href: page, title: `${member.name}'s own page, if it has one` }, member.address);
}

/* Of another one its own word counts. */
function acts(member, { acting, acting_said_ms, self }) {
  return member.name === self ? acting : member.coordinator && acting_said_ms !== null;
}

function VoterBadge({ voter }) {
  return voter && h("span", { class: `badge${["votes", "founding", null].includes(voter.voter) ? "" : " lost"}` },
    ["votes", "founding", null].includes(voter.voter) ? "voter" : `voter: ${voter.voter}`);
}

function Badges({ member, document, voter }) {
  const self = document.members.find(({ name }) => name === document.self);
  return [
    member.coordinator && h("span", { class: "badge coordinator" }, "coordinator"),
    acts(member, document) && h("span", { class: "badge acting" }, "acting"),
    member.drained && h("span", { class: "badge" }, "drained"),
    h(VoterBadge, { voter }),
    self && member.protocol !== self.protocol && h("span", { class: "badge" }, `speaks ${member.protocol}`),
  ];
}

function Member({ member, document, voter, onWhy }) {
  const state = stateOf(member);
  return h("tr", { class: state },
    h("td", { class: "age" }, member.age),
    h("th", { scope: "row" }, h(Name, { name: member.name, onWhy }), h(Badges, { member, document, voter })),
    h("td", null, h("span", { class: "state" }, state)),
    h("td", { class: member.name === document.self ? "heard own" : "heard" }, heard(member, document.self)),
    h("td", { class: "address" }, h(Address, { member, document })),
    h("td", { class: "tags" }, h(Tags, { tags: member.tags })));
}

function Gone({ member, voter, onWhy }) {
  return h("tr", { class: "gone" },
    h("td", { class: "age" }, member.age),
    h("th", { scope: "row" }, h(Name, { name: member.name, onWhy }), h(VoterBadge, { voter })),
    h("td", null, h("span", { class: "state" }, member.reason)),
    h("td", { class: "heard" }, `gone for ${duration(member.since_ms)}`),
    h("td", { class: "address" }, member.address),
    h("td", { class: "tags" }, h(Tags, { tags: member.tags })));
}

/* Up and Down go from name to name, Home and End to the first and last. */
function onKey(event) {
  const names = [...event.currentTarget.querySelectorAll("button")];
  const at = names.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: names.length - 1 }[event.key];
  if (at >= 0 && names[to]) {
    names[to].focus();
    event.preventDefault();
  }
}

const COLUMNS = [["Age", "age"], ["Member"], ["State"], ["Heard", "heard"], ["Address", "address"], ["Tags", "tags"]];

function textOf(member) {
  const tags = Object.entries(member.tags ?? {}).map(([key, value]) => `${key}=${value}`);
  return [member.name, member.address, member.reason ?? stateOf(member), ...tags].join(" ").toLowerCase();
}

function Filter({ value, onChange }) {
  return h("input", { type: "search", class: "filter", placeholder: "filter", "aria-label": "show only members with this in name, address, state or tags",
    value, onInput: (event) => onChange(event.target.value) });
}

function Table({ document, members, gone, voters, onWhy }) {
  const voterOf = (name) => voters?.voters.find((voter) => voter.name === name);
  return h("div", { class: "wide" },
    h("table", { onKeyDown: onKey },
      h("thead", null, h("tr", null, COLUMNS.map(([title, name]) =>
        h("th", { scope: "col", class: name, key: title }, title)))),
      h("tbody", null,
        members.map((member) => h(Member, { key: member.id, member, document, voter: voterOf(member.name), onWhy })),
        gone.map((member) => h(Gone, { key: `gone ${member.id}`, member, voter: voterOf(member.name), onWhy })))));
}

/* Does it need a row of its own where there are many? */
function needsLook(member, document, voters) {
  return stateOf(member) !== "alive" || member.coordinator || member.drained || member.name === document.self
    || voters?.voters.some(({ name }) => name === member.name);
}

/* By zone, where they have that tag: what fails together is often in one. */
function zonesOf(members) {
  const zones = new Map();
  for (const member of members) {
    const zone = member.tags.zone ?? "";
    zones.set(zone, [...(zones.get(zone) ?? []), member]);
  }
  return [...zones].sort(([a], [b]) => a < b ? -1 : 1);
}

/* Those who have no row. A zone has its count of all its members. */
function Crowd({ members, rows, onWhy, onAll }) {
  const zones = zonesOf(members);
  const others = members.length - rows.length;
  return [
    h("p", { class: "note" }, `${count(others, "other")} ${others === 1 ? "is" : "are"} alive: `,
      h("button", { type: "button", class: "more", onClick: onAll }, "as a table")),
    h("div", { onKeyDown: onKey }, zones.map(([zone, all]) => {
      const those = all.filter((member) => !rows.includes(member));
      const above = all.length - those.length;
      return [
        zones.length > 1 && h("h3", { key: `zone ${zone}` }, h("bdi", null, zone === "" ? "without a zone" : `zone=${zone}`), `: ${all.length}${above > 0 ? `, ${above} above` : ""}`),
        those.length > 0 && h("ul", { class: "crowd", key: zone }, those.map(({ id, name }) => h("li", { key: id }, h(Name, { name, onWhy }))))];
    })),
  ];
}

export class Members extends Component {
  constructor() {
    super();
    this.state = { filter: "", all: false, gone: false };
    this.onFilter = (filter) => this.setState({ filter });
    this.onAll = () => this.setState({ all: true });
    this.onGone = () => this.setState({ gone: true });
  }

  render({ document, voters, asOf, onWhy }, { filter, all, gone }) {
    const wanted = filter.trim().toLowerCase();
    const fits = (member) => wanted === "" || textOf(member).includes(wanted);
    const members = document.members.filter(fits);
    const lost = document.gone.filter(fits);
    const crowded = !all && wanted === "" && members.length >= CROWD_FROM;
    const rows = crowded ? members.filter((member) => needsLook(member, document, voters)) : members;
    const more = rows.length - ROWS_MAX;
    const goneMore = gone || wanted !== "" ? 0 : Math.max(0, lost.length - GONE_SHOWN);
    return h("section", { class: "card members", "aria-labelledby": "members" },
      h("header", null, h("h2", { id: "members" }, "Members"),
        document.members.length > 0 && h("p", null, wanted === "" ? "oldest first: it coordinates, if it can" : count(members.length, "member"), asOf !== null && `; as of ${clock(asOf)} UTC`),
        (document.members.length + document.gone.length >= FILTER_FROM || wanted !== "") && h(Filter, { value: filter, onChange: this.onFilter })),
      document.members.length === 0 ? h("p", { class: "note" }, "This node is in no view: who the members are is not known here.")
        : h(Table, { document, members: rows.slice(0, ROWS_MAX), gone: lost.slice(goneMore).sort((a, b) => a.age - b.age), voters, onWhy }),
      more > 0 && h("p", { class: "note" }, `${more} more are not shown: say above which you want to see`),
      goneMore > 0 && h("p", { class: "note" }, `${goneMore} more are gone: `, h("button", { type: "button", class: "more", onClick: this.onGone }, "show them")),
      crowded && members.length > rows.length && h(Crowd, { members, rows, onWhy, onAll: this.onAll }));
  }
}
