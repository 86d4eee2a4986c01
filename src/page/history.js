/* The views in the course of time: how many members, who coordinated, where parts split and merged;
 * and the events in words. */
import { Component, h } from "./preact.js";
import { clock, count, duration, exactly } from "./words.js";

const HEIGHT = 190;
const PAD = { left: 30, right: 14, top: 26, band: 24, bottom: 20 };
const RANGES = [["5 min", 300e3], ["1 h", 3600e3], ["1 d", 86400e3], ["all", Infinity]];
const SHADES = 6; /* classes shade0 to shade5 of page.css */
const NOBODY = "no coordinator";
const LABEL_PX = 7.4; /* of one letter in a band, about */
const TICKS_PX = 110;
const TICK_HALF_PX = 28;
const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400, 604800].map((s) => s * 1000);
const EVENTS_SHOWN = 12;
const EVENTS_MORE = 100;
const RANGE_VIEWS = 4;
const RECENT_MS = 300e3; /* so long it is said in words that parts were apart */

function shadeOf(name) {
  let sum = 0;
  for (const letter of name ?? "") {
    sum = (sum * 31 + letter.codePointAt(0)) % 9973;
  }
  return `shade${sum % SHADES}`;
}

/* What a view is worth marking for. */
function markOf(view) {
  if (view.split) {
    return { kind: "split", text: `split: ${view.split.lost} of ${view.split.of} lost` };
  }
  if (view.parents.length > 1) {
    const apart = view.apart_ms === null ? "" : ` after ${duration(view.apart_ms)} apart`;
    const other = view.parents[view.taken_up ? 0 : 1].coordinator;
    return { kind: "merge", text: `merge with ${other === null ? "another" : `${other}'s`} part${apart}` };
  }
  return view.cause === "claim" || view.cause === "handover"
    ? { kind: "claim", text: view.cause === "claim" ? "took over" : "handed over" } : null;
}

function wordsOf(view) {
  const mark = markOf(view);
  return `${exactly(view.at)} · view ${view.epoch}.${view.version}, ${count(view.members, "member")}, ${view.coordinator ?? "nobody"} `
    + `coordinates${mark ? ` · ${mark.text}` : ""}${view.change ? ` · ${view.change}` : ""}`;
}

/* --- The drawing --- */

function scaleOf(views, from, to, width) {
  const most = Math.max(2, ...views.map((view) => view.members));
  const floor = HEIGHT - PAD.bottom - PAD.band;
  return {
    floor,
    most,
    x: (at) => PAD.left + Math.max(0, (at - from) / (to - from)) * (width - PAD.left - PAD.right),
    y: (members) => floor - members / most * (floor - PAD.top),
  };
}

function areaOf(views, scale, to) {
  let line = "";
  views.forEach((view, i) => {
    const end = i + 1 < views.length ? views[i + 1].at : to;
    line += `${i === 0 ? "M" : "L"}${scale.x(view.at)} ${scale.y(view.members)}H${scale.x(end)}`;
  });
  const [first, last] = [scale.x(views[0].at), scale.x(to)];
  return { line, area: `${line}L${last} ${scale.floor}H${first}z` };
}

/* When nobody was to be named though there was a view: under guard strict that is told as an event. */
function lapsesOf(events) {
  const told = events.filter(({ kind }) => kind === "coordinator");
  return told.flatMap(({ name, at }, i) => name ? [] : [{ start: at, end: told[i + 1]?.at ?? Infinity }]);
}

/* What is left of a band without those times. */
function without(band, lapses) {
  return lapses.reduce((parts, { start, end }) => parts.flatMap((part) => end <= part.start || start >= part.end ? [part] : [
    ...(start > part.start ? [{ ...part, end: start }] : []), ...(end < part.end ? [{ ...part, start: end }] : [])]), [band]);
}

/* Views after one another under one coordinator are one band. */
function bandsOf(views, to) {
  const bands = [];
  views.forEach((view, i) => {
    const end = i + 1 < views.length ? views[i + 1].at : to;
    const last = bands.at(-1);
    if (last && last.name === view.coordinator) {
      last.end = end;
    } else {
      bands.push({ name: view.coordinator, start: view.at, end });
    }
  });
  return bands;
}

/* Who coordinated when, and when nobody did. A band has its name in it where there is room. */
function spansOf(views, lapses, from, to, scale) {
  const bands = bandsOf(views, to).flatMap((band) => without(band, lapses));
  const empty = lapses.map(({ start, end }) => ({ name: null, start: Math.max(start, from), end: Math.min(end, to) })).filter(({ start, end }) => start < end);
  return [...bands, ...empty].map(({ name, start, end }) => {
    const [x, width] = [scale.x(start), Math.max(2, scale.x(end) - scale.x(start) - 1.5)];
    return { name, start, end, x, width, fits: (name ?? NOBODY).length * LABEL_PX < width - 10 };
  });
}

function Bands({ spans, scale }) {
  return spans.map(({ name, start, end, x, width, fits }) =>
    h("g", { key: `${name} ${start}`, class: name === null ? "band none" : `band ${shadeOf(name)}` },
      h("rect", { x, y: scale.floor + 4, width, height: PAD.band - 6, rx: 4 }, h("title", null, `${name ?? NOBODY}, ${exactly(start)} to ${exactly(end)}`)),
      fits && h("text", { x: x + 8, y: scale.floor + PAD.band / 2 + 1, "dominant-baseline": "central" }, name ?? NOBODY)));
}

/* What is drawn, and only that: the marks, and the bands that are too short for their names. */
function Legend({ views, spans }) {
  const kinds = new Set(views.map((view) => markOf(view)?.kind));
  const apart = views.some((view) => view.parents.length > 1 && view.apart_ms !== null);
  const short = spans.filter(({ fits, name }) => !fits && !spans.some((other) => other.fits && other.name === name)).map(({ name }) => name);
  const dots = [["split", "split: half or more lost at once"], ["merge", "merge"], ["claim", "took over"]].filter(([kind]) => kinds.has(kind));
  return h("ul", { class: "legend" },
    dots.map(([kind, text]) => h("li", { key: kind, class: `dot ${kind}` }, text)),
    apart && h("li", { key: "apart", class: "dashes" }, "the other part was away"),
    [...new Set(short)].map((name) => h("li", { key: `band ${name}`, class: name === null ? "swatch none" : `swatch ${shadeOf(name)}` },
      name === null ? NOBODY : h("bdi", null, name))));
}

/* The part that was absorbed leaves the line where the two lost each other, and comes back. */
function Branch({ view, scale }) {
  if (view.parents.length < 2 || view.apart_ms === null) {
    return null;
  }
  const [start, end] = [scale.x(view.at - view.apart_ms), scale.x(view.at)];
  const top = PAD.top - 12;
  const low = scale.y(view.members);
  const bend = Math.min(16, (end - start) / 2);
  return h("path", { class: "branch",
    d: `M${start} ${low}C${start} ${top} ${start} ${top} ${start + bend} ${top}H${end - bend}C${end} ${top} ${end} ${top} ${end} ${low}` });
}

function Mark({ view, scale }) {
  const mark = markOf(view);
  return mark && h("circle", { class: `mark ${mark.kind}`, cx: scale.x(view.at), cy: scale.y(view.members), r: mark.kind === "claim" ? 3.5 : 5 },
    h("title", null, wordsOf(view)));
}

function Axis({ scale, from, to, width }) {
  const wanted = (to - from) / Math.max(2, Math.floor(width / TICKS_PX));
  const step = STEPS_MS.find((ms) => ms >= wanted) ?? Math.ceil(wanted / 604800e3) * 604800e3;
  const ticks = [];
  const end = to - (to - from) * TICK_HALF_PX / width; /* so that the last one is not cut off */
  for (let at = Math.ceil(from / step) * step; at < end; at += step) {
    ticks.push(at);
  }
  const text = (at) => new Date(at).toISOString().slice(...(step >= 86400e3 ? [5, 10] : [11, step < 60e3 ? 19 : 16]));
  return [
    [0, scale.most].map((members) => h("text", { key: members, class: "tick", x: PAD.left - 8, y: scale.y(members), "text-anchor": "end", "dominant-baseline": "central" }, members)),
    ticks.map((at) => h("text", { key: at, class: "tick", x: scale.x(at), y: HEIGHT - 5, "text-anchor": "middle" }, text(at))),
    h("path", { key: "floor", class: "floor", d: `M${PAD.left} ${scale.floor}H${width - PAD.right}` }),
  ];
}

/* The narrowest range that shows a few views. */
function rangeFor(views, now) {
  const oldest = views.at(-Math.min(RANGE_VIEWS, views.length));
  return RANGES.findIndex(([, ms]) => now - oldest.at < ms * 0.95);
}

/* What is to be drawn: the views of the range, the first cut to where it begins. */
function shownOf(views, range, now) {
  const first = views[0].at;
  const from = RANGES[range][1] === Infinity ? first - (now - first) * 0.02 : Math.max(first - 1000, now - RANGES[range][1]);
  const inside = views.findIndex((view) => view.at >= from);
  const start = inside < 0 ? views.length - 1 : Math.max(0, inside - 1);
  return { from, shown: views.slice(start).map((view) => ({ ...view, at: Math.max(from, view.at), began: view.at })) };
}

/* Does a view come from before this node was started? Its events then have other tokens than it has now. */
function isKept(views, events, life) {
  const [now] = life.split("-");
  return events.some(({ cursor, at }) => cursor.split("-")[0] !== now && views[0].at <= at);
}

export class History extends Component {
  constructor() {
    super();
    this.state = { range: null, at: null, width: 0 };
  }

  componentDidMount() {
    this.observer = new ResizeObserver(([entry]) => this.setState({ width: Math.floor(entry.contentRect.width) }));
    this.observer.observe(this.box);
  }

  componentWillUnmount() {
    this.observer.disconnect();
  }

  drawing(views, range, width) {
    const { at } = this.state;
    const now = Math.max(this.props.now, views.at(-1).at + 1);
    const { from, shown } = shownOf(views, range, now);
    const scale = scaleOf(shown, from, now, width);
    const { line, area } = areaOf(shown, scale, now);
    const spans = spansOf(shown, lapsesOf(this.props.events), shown[0].at, now, scale);
    const chosen = shown.find((view) => view.id === at);
    const choose = (view) => this.setState({ at: view ? view.id : null });
    const nearest = (event) => {
      const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
      choose(shown.filter((view) => scale.x(view.at) <= x + 4).at(-1));
    };
    const onKey = (event) => {
      const i = shown.indexOf(chosen);
      const to = { ArrowLeft: i < 0 ? shown.length - 1 : i - 1, ArrowRight: i + 1, Home: 0, End: shown.length - 1 }[event.key];
      if (to !== undefined) {
        choose(shown[Math.max(0, Math.min(shown.length - 1, to))]);
        event.preventDefault();
      }
    };
    return [h("svg", { key: "drawing", class: "history", width, height: HEIGHT, tabindex: 0, role: "application", "aria-roledescription": "time line",
      "aria-label": `${count(shown.length, "view")} in the course of time. Left and Right go from view to view`, "aria-describedby": "view",
      onKeyDown: onKey, onPointerMove: nearest, onPointerLeave: () => choose(null), onBlur: () => choose(null) },
    h(Axis, { scale, from, to: now, width }),
    h("path", { class: "area", d: area }), h("path", { class: "line", d: line }),
    shown.map((view) => h(Branch, { key: view.id, view, scale })),
    h(Bands, { spans, scale }),
    chosen && h("path", { class: "cursor", d: `M${scale.x(chosen.at)} ${PAD.top - 14}V${scale.floor + PAD.band}` }),
    shown.map((view) => h(Mark, { key: view.id, view, scale }))), h(Legend, { key: "legend", views: shown, spans })];
  }

  /* A split that healed is over, and who looks wants to know of it all the same. */
  healed(views, now) {
    const merge = views.findLast((view) => view.parents.length > 1);
    return merge && now - merge.at < RECENT_MS && h("p", { class: "note healed" },
      `The cluster was split, and is one again since ${exactly(merge.at)}: ${markOf(merge).text}.`);
  }

  words(views) {
    const chosen = views.find((view) => view.id === this.state.at);
    const { events, life, uptime } = this.props;
    const kept = isKept(views, events, life) ? `; kept since before this node was started, ${duration(uptime)} ago` : "";
    return chosen ? wordsOf(chosen) : `members over time, and who coordinated${kept}; times are UTC`;
  }

  render({ views, now }, { width }) {
    const range = this.state.range ?? rangeFor(views, now);
    return h("section", { class: "card history-card", "aria-labelledby": "history" },
      h("header", null, h("h2", { id: "history" }, "Views, splits and merges"),
        h("p", { id: "view", "aria-live": "polite" }, this.words(views)),
        h("fieldset", { class: "ranges" }, h("legend", null, "how far back"), RANGES.map(([name], i) =>
          h("label", { key: name }, h("input", { type: "radio", name: "range", checked: i === range, onChange: () => this.setState({ range: i }) }),
            h("span", null, name))))),
      this.healed(views, now),
      h("div", { ref: (box) => { this.box = box ?? this.box; } },
        width > 0 && this.drawing(views, range, width)));
  }
}

/* --- The events in words --- */

/* As bad as a member that failed. */
function isBad({ kind, name, state, met }) {
  return ["split", "suspect", "mismatch"].includes(kind) || (kind === "gone" && state !== "left")
    || (kind === "coordinator" && !name) || (kind === "guard" && met === false);
}

export class Events extends Component {
  constructor() {
    super();
    this.state = { shown: EVENTS_SHOWN };
    this.more = () => this.setState(({ shown }) => ({ shown: shown + EVENTS_MORE }));
  }

  render({ events, onWhy }, { shown }) {
    const earlier = events.length - shown;
    return h("section", { class: "card log", "aria-labelledby": "events" },
      h("header", null, h("h2", { id: "events" }, "Events"), h("p", null, "newest first; times are UTC")),
      h("ol", { class: "events" }, events.slice(-shown).reverse().map((event) =>
        h("li", { key: event.cursor, class: `${event.kind}${isBad(event) ? " bad" : ""}` }, h("time", { dateTime: event.time }, exactly(event.at)), " ",
          event.name ? h("button", { type: "button", onClick: () => onWhy(event.name), "aria-haspopup": "dialog" }, event.text)
            : h("span", null, event.text)))),
      events.length === 0 && h("p", { class: "note" }, "None yet. They begin when this node is in; what keeps it out is said above."),
      earlier > 0 && h("button", { type: "button", class: "more", onClick: this.more }, `${earlier} earlier`));
  }
}
