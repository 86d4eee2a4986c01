/* Who hears whom: every pair as a cell, and the members in a ring with the ways on which messages are
 * lost. All cells of a kind are one path, so that a hundred members are four shapes and not ten
 * thousand. */
import { Component, h } from "./preact.js";
import { count } from "./words.js";

const SIDE = 330; /* of the cells together, in units of the drawing */
const CELL_MAX = 32;
const LABELS_MAX = 24; /* members; more names would lie upon each other */
const LETTERS_MAX = 12;
const LETTER = 6.6;
const RING_RADIUS = 100;
const RING_LINES_MAX = 16;
const KEYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const LEGEND = [["ok", "hears"], ["silent", "silent"], ["suspect", "suspected"], ["unknown", "not known"]];
const SAID = { ok: "hears", silent: "has not heard", suspect: "suspects", unknown: "told nothing lately of" };

function short(name) {
  return name.length > LETTERS_MAX ? `${name.slice(0, LETTERS_MAX - 1)}…` : name;
}

/* --- The cells --- */

function layoutOf(names) {
  const size = Math.min(CELL_MAX, SIDE / Math.max(names.length, 1));
  const labelled = names.length <= LABELS_MAX;
  const letters = Math.max(0, ...names.map((name) => short(name).length));
  const left = labelled ? letters * LETTER + 10 : 2;
  return { size, labelled, left, top: labelled ? letters * LETTER * 0.77 + 22 : 2, gap: size > 8 ? 2 : 0.4,
    right: labelled ? Math.max(4, letters * LETTER * 0.64 - size / 2 + 14) : 2 };
}

/* One path for each kind of cell. */
function pathsOf(links, layout) {
  const { size, left, top, gap } = layout;
  const side = size - gap;
  const paths = { self: "", ok: "", silent: "", suspect: "", unknown: "" };
  links.states.forEach((row, i) => row.forEach((state, k) => {
    paths[i === k ? "self" : state] += `M${left + k * size} ${top + i * size}h${side}v${side}h${-side}z`;
  }));
  return paths;
}

/* A lost way is an arrow that does not get through; where both ways are lost, a cross. */
function Cut({ layout, row, column, both }) {
  const { size, left, top, gap } = layout;
  const side = size - gap;
  if (side < 7) {
    return null;
  }
  const mark = both ? "M.3 .3 .7 .7M.7 .3 .3 .7" : "M.2 .5H.62M.45 .32 .63 .5 .45 .68M.78 .25V.75";
  return h("path", { class: "mark", d: mark, "vector-effect": "non-scaling-stroke",
    transform: `translate(${left + column * size} ${top + row * size}) scale(${side})` });
}

function Labels({ names, layout }) {
  const { size, left, top, labelled } = layout;
  return labelled && names.map((name, i) => {
    const middle = i * size + size / 2 - 1;
    return h("g", { key: name },
      h("text", { x: left - 7, y: top + middle, "text-anchor": "end", "dominant-baseline": "central" }, short(name)),
      h("text", { transform: `translate(${left + middle} ${top - 7}) rotate(-50)` }, short(name)));
  });
}

function cutsOf(links) {
  const at = new Map(links.members.map((name, i) => [name, i]));
  return links.bad.flatMap(({ from, to, kind }) => {
    const one = { row: at.get(to), column: at.get(from), both: kind === "both" };
    return one.both ? [one, { row: one.column, column: one.row, both: true }] : [one];
  }).filter(({ row, column }) => row !== undefined && column !== undefined);
}

class Cells extends Component {
  shouldComponentUpdate({ links, at }) {
    return links !== this.props.links || at !== this.props.at;
  }

  render({ links, at, onAt, onPick }) {
    const layout = layoutOf(links.members);
    const { size, left, top, gap } = layout;
    const paths = pathsOf(links, layout);
    const n = links.members.length;
    const width = left + n * size + layout.right;
    const height = top + n * size + 2;
    const cellOf = (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      const column = Math.floor(((event.clientX - box.left) * width / box.width - left) / size);
      const row = Math.floor(((event.clientY - box.top) * height / box.height - top) / size);
      return row >= 0 && row < n && column >= 0 && column < n ? [row, column] : null;
    };
    const onKey = (event) => {
      const step = KEYS[event.key];
      const [row, column] = at ?? [0, 0];
      if (step) {
        const limit = (value) => Math.max(0, Math.min(n - 1, value));
        onAt(at === null ? [0, 0] : [limit(row + step[0]), limit(column + step[1])]);
      } else if (event.key === "Enter" && at !== null) {
        onPick(links.members[column]);
      } else {
        return;
      }
      event.preventDefault();
    };
    return h("svg", { class: "cells", viewBox: `0 0 ${width} ${height}`, style: { maxWidth: `${width * 1.15}px` },
      tabindex: 0, role: "application", "aria-roledescription": "matrix", "aria-describedby": "cell",
      "aria-label": "Who hears whom. Arrow keys go from pair to pair, Enter says why",
      onKeyDown: onKey, onPointerMove: (event) => onAt(cellOf(event)), onPointerLeave: () => onAt(null), onBlur: () => onAt(null),
      onClick: (event) => { const cell = cellOf(event); if (cell) { onPick(links.members[cell[1]]); } } },
    Object.entries(paths).map(([kind, d]) => h("path", { key: kind, class: `cell ${kind}`, d })),
    cutsOf(links).map((cut) => h(Cut, { key: `${cut.row} ${cut.column}`, layout, ...cut })),
    h(Labels, { names: links.members, layout }),
    at && at[0] < n && at[1] < n && h("rect", { class: "at", x: left + at[1] * size - 1, y: top + at[0] * size - 1,
      width: size - gap + 2, height: size - gap + 2, rx: Math.min(4, size / 5) }));
  }
}

/* --- The ring --- */

function placeOf(i, total, radius) {
  const angle = i / total * 2 * Math.PI - Math.PI / 2;
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle), angle };
}

function Ways({ names, bad, total }) {
  const lost = new Set(bad.flatMap(({ from, to }) => [`${from} ${to}`, `${to} ${from}`]));
  const lines = [];
  names.forEach((one, i) => names.slice(0, i).forEach((other, k) => {
    if (!lost.has(`${one} ${other}`)) {
      const [a, b] = [placeOf(i, total, RING_RADIUS), placeOf(k, total, RING_RADIUS)];
      lines.push(`M${a.x} ${a.y}L${b.x} ${b.y}`);
    }
  }));
  return h("path", { class: "way", d: lines.join("") });
}

/* From the sender to just before the one that does not hear it. */
function Lost({ from, to, both, end }) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length];
  return h("line", { class: "lost", x1: from.x + x * end, y1: from.y + y * end, x2: to.x - x * end, y2: to.y - y * end,
    "marker-end": "url(#arrow)", ...(both ? { "marker-start": "url(#arrow)" } : {}) });
}

function Node({ name, place, kind, labelled, onPick }) {
  const side = Math.cos(place.angle);
  const anchor = Math.abs(side) < 0.3 ? "middle" : side > 0 ? "start" : "end";
  const away = 1 + (Math.abs(side) < 0.3 ? 20 : 14) / RING_RADIUS;
  return h("g", { class: `node ${kind}${labelled ? "" : " small"}`, onClick: () => onPick(name) },
    h("circle", { cx: place.x, cy: place.y, r: labelled ? 8 : 4 }, h("title", null, name)),
    labelled && h("text", { x: place.x * away, y: place.y * away, "text-anchor": anchor, "dominant-baseline": "central" }, short(name)));
}

function Ring({ links, coordinator, onPick }) {
  const everyone = [...links.members, ...links.failed];
  const total = everyone.length;
  const labelled = total <= LABELS_MAX;
  const at = new Map(everyone.map((name, i) => [name, placeOf(i, total, RING_RADIUS)]));
  const silent = new Set(links.silent);
  const kindOf = (name, i) => [name === coordinator ? "first" : "", i >= links.members.length ? "failed" : "",
    silent.has(name) ? "silent" : ""].join(" ");
  const width = RING_RADIUS + (labelled ? 100 : 16);
  const height = RING_RADIUS + (labelled ? 34 : 16);
  return h("svg", { class: "ring", viewBox: `${-width} ${-height} ${2 * width} ${2 * height}`, role: "img",
    "aria-label": `${count(links.members.length, "member")} in a ring, ${count(links.bad.length, "bad link")}` },
  h("defs", null, h("marker", { id: "arrow", viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 5.5, markerHeight: 5.5,
    orient: "auto-start-reverse" }, h("path", { d: "M0 0 10 5 0 10z" }))),
  total <= RING_LINES_MAX ? h(Ways, { names: links.members, bad: links.bad, total })
    : h("circle", { class: "way", r: RING_RADIUS }),
  links.bad.filter(({ from, to }) => at.has(from) && at.has(to)).map(({ from, to, kind }) =>
    h(Lost, { key: `${from} ${to}`, from: at.get(from), to: at.get(to), both: kind === "both",
      end: labelled ? 14 : 6 })),
  everyone.map((name, i) => h(Node, { key: name, name, place: at.get(name), kind: kindOf(name, i), labelled, onPick })));
}

/* --- Both, and in words --- */

function said(links, [row, column]) {
  const [observer, subject] = [links.members[row], links.members[column]];
  return row === column ? observer : `${observer} ${SAID[links.states[row][column]]} ${subject}`;
}

export class Links extends Component {
  constructor() {
    super();
    this.state = { at: null };
    this.onAt = (at) => this.setState({ at });
  }

  render({ links, coordinator, onWhy }, { at }) {
    const valid = at && at[0] < links.members.length && at[1] < links.members.length;
    const hidden = links.left_out > 0 ? `the oldest ${links.members.length} are shown, ${links.left_out} are not` : "";
    return h("section", { class: "card links", "aria-labelledby": "links" },
      h("header", null, h("h2", { id: "links" }, "Who hears whom"),
        h("p", { id: "cell", "aria-live": "polite" }, valid ? said(links, at) : hidden || "a row for each listener")),
      h("div", { class: "drawings" },
        h(Ring, { links, coordinator, onPick: onWhy }),
        h(Cells, { links, at: valid ? at : null, onAt: this.onAt, onPick: onWhy })),
      h("p", { class: "legend" }, LEGEND.map(([kind, text]) => h("span", { key: kind }, h("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" },
        h("rect", { class: `cell ${kind}`, width: 10, height: 10, rx: 2 })), text))),
      links.bad.length > 0 && h("ul", { class: "bad" }, links.bad.map(({ from, to, kind, detail }) =>
        h("li", { key: `${from} ${to}` }, h("span", { class: "badge lost" }, kind === "both" ? "both ways" : "one way"), " ", detail))));
  }
}
