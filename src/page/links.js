/* The members in a ring, with the ways on which messages are lost, as far as this daemon knows. */
import { h } from "./preact.js";
import { awayOf } from "./members.js";
import { count } from "./words.js";

const RING_MAX = 16; /* members; more names would lie upon each other */
const LETTERS_MAX = 12;
const RING_RADIUS = 100;
const LETTER_WIDTH = 8.5; /* about, as page.css has them; the first member's are bold */

function short(name) {
  return name.length > LETTERS_MAX ? `${name.slice(0, LETTERS_MAX - 1)}…` : name;
}

function placeOf(i, total, radius) {
  const angle = i / total * 2 * Math.PI - Math.PI / 2;
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle), angle };
}

/* How this node is connected to each member: "up", "down", or null where it does not keep a connection. */
function ownLinks({ self, members }, { up, down }) {
  const others = members.filter(({ name }) => name !== self);
  const all = up + down.length === others.length;
  return new Map(others.map(({ name }) => [name, down.includes(name) ? "down" : all ? "up" : null]));
}

/* Its own connections are known, those of two others are not: they are there to be asked for. */
function Ways({ names, bad, at, self, own }) {
  const lost = new Set(bad.flatMap(({ from, to }) => [`${from} ${to}`, `${to} ${from}`]));
  const kinds = { up: [], down: [], others: [] };
  names.forEach((one, i) => names.slice(0, i).forEach((other) => {
    if (!lost.has(`${one} ${other}`)) {
      const [a, b] = [at.get(one), at.get(other)];
      const kind = one === self ? own.get(other) : other === self ? own.get(one) : null;
      kinds[kind ?? "others"].push(`M${a.x} ${a.y}L${b.x} ${b.y}`);
    }
  }));
  return Object.entries(kinds).map(([kind, lines]) => h("path", { key: kind, class: `way ${kind}`, d: lines.join("") }));
}

/* From the sender to just before the one that does not hear it. */
function Lost({ from, to, both, end }) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length];
  return h("line", { class: "lost", x1: from.x + x * end, y1: from.y + y * end, x2: to.x - x * end, y2: to.y - y * end,
    "marker-end": "url(#arrow)", ...(both ? { "marker-start": "url(#arrow)" } : {}) });
}

function Node({ name, place, kind, onPick }) {
  const side = Math.cos(place.angle);
  const anchor = Math.abs(side) < 0.3 ? "middle" : side > 0 ? "start" : "end";
  const away = 1 + (Math.abs(side) < 0.3 ? 20 : 14) / RING_RADIUS;
  return h("g", { class: `node ${kind}`, onClick: () => onPick(name) },
    h("circle", { cx: place.x, cy: place.y, r: 8 }, h("title", null, name)),
    h("text", { x: place.x * away, y: place.y * away, "text-anchor": anchor, "dominant-baseline": "central" }, short(name)));
}

function Ring({ document, links, away, onPick }) {
  const { members, self } = document;
  const { bad } = links;
  const own = ownLinks(document, links);
  const everyone = [...members, ...away].map(({ name }) => name);
  const at = new Map(everyone.map((name, i) => [name, placeOf(i, everyone.length, RING_RADIUS)]));
  const kindOf = (name, i) => [name === document.coordinator ? "first" : "", i >= members.length ? "failed" : "",
    members[i]?.state === "suspect" ? "suspect" : members[i]?.silent ? "silent" : ""].join(" ");
  const longest = Math.max(...everyone.map((name) => short(name).length));
  const [width, height] = [RING_RADIUS + 20 + longest * LETTER_WIDTH, RING_RADIUS + 34];
  return h("svg", { class: "ring", viewBox: `${-width} ${-height} ${2 * width} ${2 * height}`, role: "img",
    "aria-label": `${count(members.length, "member")} in a ring, ${count(bad.length, "bad link")}, ${count(links.down.length, "connection")} down` },
  h("defs", null, h("marker", { id: "arrow", viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 5.5, markerHeight: 5.5,
    orient: "auto-start-reverse" }, h("path", { d: "M0 0 10 5 0 10z" }))),
  h(Ways, { names: everyone.slice(0, members.length), bad, at, self, own }),
  bad.filter(({ from, to }) => at.has(from) && at.has(to)).map(({ from, to, kind }) =>
    h(Lost, { key: `${from} ${to}`, from: at.get(from), to: at.get(to), both: kind === "both", end: 14 })),
  everyone.map((name, i) => h(Node, { key: name, name, place: at.get(name), kind: kindOf(name, i), onPick })));
}

/* Of what is drawn. */
function Legend({ document, links: { bad, up, down }, away }) {
  const items = [[up > 0, "up", "connected"], [down.length > 0, "down", "no connection"], [bad.length > 0, "arrow", "messages are lost"],
    [document.members.length > 2, "others", "between others: doyen matrix asks them"], [away.length > 0, "circle", "away"]];
  return h("ul", { class: "legend" }, items.filter(([holds]) => holds).map(([, kind, text]) => h("li", { key: kind, class: kind }, text)));
}

function summaryOf({ bad, down }, away) {
  return bad.length > 0 ? count(bad.length, "bad link") : down.length > 0 ? `${count(down.length, "connection")} of this node ${down.length === 1 ? "is" : "are"} down`
    : away.length > 0 ? "no bad one is known among those who are here" : "no bad one is known to this node";
}

/* A ring where its names can be read; else those ways alone that are bad. */
export function Links({ document, links, onWhy }) {
  const away = awayOf(document);
  const { bad, down } = links;
  return h("section", { class: `card links${bad.length + down.length > 0 ? "" : " well"}`, "aria-labelledby": "links" },
    h("header", null, h("h2", { id: "links" }, "Links"), h("p", null, summaryOf(links, away))),
    down.length > 0 && h("p", { class: "note" }, `This node has no connection to ${down.join(", ")}.`),
    bad.length > 0 && h("ul", { class: "bad" }, bad.map(({ from, to, kind, detail }) =>
      h("li", { key: `${from} ${to}` }, h("span", { class: "badge lost" }, kind === "both" ? "both ways" : "one way"), " ", detail))),
    document.members.length + away.length <= RING_MAX && [h("div", { key: "ring", class: "drawings" }, h(Ring, { document, links, away, onPick: onWhy })),
      h(Legend, { key: "legend", document, links, away })]);
}
