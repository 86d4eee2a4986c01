/* The members by age, and those that are gone. */
import { Component, h } from "./preact.js";
import { count, duration } from "./words.js";

const ROWS_MAX = 300; /* drawn at once; of more the filter shows those that are wanted */
const FILTER_FROM = 12;

function stateOf(member) {
  return member.state !== "alive" ? member.state : member.silent ? "silent" : member.behind ? "behind" : "alive";
}

function Tags({ tags }) {
  return Object.entries(tags).map(([key, value]) =>
    h("span", { class: "tag", key }, h("bdi", null, value === "" ? key : `${key}=${value}`), " "));
}

function Name({ name, onWhy }) {
  return h("button", { type: "button", onClick: () => onWhy(name), "aria-haspopup": "dialog" },
    h("bdi", null, name));
}

function heard(member, self) {
  if (member.name === self) {
    return "this node";
  }
  return member.heard_ms === null ? "not yet" : `${duration(member.heard_ms)} ago`;
}

function Member({ member, document, onWhy }) {
  const state = stateOf(member);
  const acts = document.acting && member.name === document.self;
  return h("tr", { class: state },
    h("td", { class: "age" }, member.age),
    h("th", { scope: "row" }, h(Name, { name: member.name, onWhy }),
      member.coordinator && h("span", { class: "badge coordinator" }, "coordinator"),
      acts && h("span", { class: "badge acting" }, "acting"),
      member.drained && h("span", { class: "badge" }, "drained")),
    h("td", null, h("span", { class: "state" }, state)),
    h("td", { class: "heard" }, heard(member, document.self)),
    h("td", { class: "address" }, member.address),
    h("td", { class: "tags" }, h(Tags, { tags: member.tags })));
}

function Gone({ member, onWhy }) {
  return h("tr", { class: "gone" },
    h("td", { class: "age" }, member.age),
    h("th", { scope: "row" }, h(Name, { name: member.name, onWhy })),
    h("td", null, h("span", { class: "state" }, member.reason)),
    h("td", { class: "heard" }, `gone for ${duration(member.since_ms)}`),
    h("td", { class: "address" }, member.address),
    h("td", { class: "tags" }));
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
  return h("input", { type: "search", class: "filter", placeholder: "name, address, state or tag", "aria-label": "show only members with this in name, address, state or tags",
    value, onInput: (event) => onChange(event.target.value) });
}

function Table({ document, members, gone, onWhy }) {
  return h("div", { class: "wide" },
    h("table", { onKeyDown: onKey },
      h("thead", null, h("tr", null, COLUMNS.map(([title, name]) =>
        h("th", { scope: "col", class: name, key: title }, title)))),
      h("tbody", null,
        members.map((member) => h(Member, { key: member.id, member, document, onWhy })),
        gone.map((member) => h(Gone, { key: `gone ${member.id}`, member, onWhy })))));
}

export class Members extends Component {
  constructor() {
    super();
    this.state = { filter: "" };
    this.onFilter = (filter) => this.setState({ filter });
  }

  render({ document, onWhy }, { filter }) {
    const wanted = filter.trim().toLowerCase();
    const fits = (member) => wanted === "" || textOf(member).includes(wanted);
    const members = document.members.filter(fits);
    const gone = document.gone.filter(fits);
    const more = members.length - ROWS_MAX;
    return h("section", { class: "card members", "aria-labelledby": "members" },
      h("header", null, h("h2", { id: "members" }, "Members"),
        h("p", null, wanted === "" ? "oldest first: the oldest that can coordinates" : count(members.length, "member")),
        (document.members.length + document.gone.length >= FILTER_FROM || wanted !== "") && h(Filter, { value: filter, onChange: this.onFilter })),
      h(Table, { document, members: members.slice(0, ROWS_MAX), gone, onWhy }),
      more > 0 && h("p", { class: "note" }, `${more} more are not shown: say above which you want to see`));
  }
}
