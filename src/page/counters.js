/* Counters as rates over the time that the page has been open, drawn by uPlot. */
import { Component, h } from "./preact.js";
import { amount } from "./words.js";

const HEIGHT = 150;
const SECONDS = 300; /* shown at first; the chart grows until it holds as much */
const CHARTS = [
  { title: "Datagrams a second", lines: [["in", (c) => c.datagrams_in], ["out", (c) => c.datagrams_out]] },
  { title: "Bytes a second", lines: [["in", (c) => c.bytes_in], ["out", (c) => c.bytes_out]] },
  { title: "Refused a second", lines: [["messages", (c) => total(c.refused)],
    ["frames", (c) => total(c.malformed) + total(c.not_opened) + c.without_key]] },
];
const COLOURS = ["--accent", "--good"];

function total(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/* What a counter grew by, each second. */
function ratesOf(samples, read) {
  return samples.slice(1).map(({ at, counters }, i) =>
    Math.max(0, read(counters) - read(samples[i].counters)) / (at - samples[i].at));
}

function dataOf(samples, lines) {
  return [samples.slice(1).map(({ at }) => at), ...lines.map(([, read]) => ratesOf(samples, read))];
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/* uPlot is a script of its own, which nobody needs who does not see the charts. */
let loading = null;
function load() {
  loading ??= new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/page/uplot.css" }));
    document.head.append(Object.assign(document.createElement("script"),
      { src: "/page/uplot.js", onload: () => resolve(window.uPlot), onerror: reject }));
  });
  return loading;
}

function optionsOf({ lines }, width) {
  const axis = { stroke: colour("--faint"), font: "12px system-ui, sans-serif", ticks: { show: false }, grid: { stroke: colour("--line"), width: 1 } };
  return {
    width, height: HEIGHT, legend: { show: false }, cursor: { drag: { x: false, y: false }, points: { size: 7 }, y: false },
    scales: { x: { range: (plot, min, max) => [Math.min(min, max - 60), max] }, y: { range: (plot, min, max) => [0, Math.max(1, max * 1.15)] } },
    axes: [{ ...axis, grid: { show: false }, size: 26, space: 70, values: (plot, ticks) => ticks.map((at) => new Date(at * 1000).toTimeString().slice(0, 8)) },
      { ...axis, size: 46, space: 32, values: (plot, ticks) => ticks.map((value) => amount(value)) }],
    series: [{}, ...lines.map(([label], i) => ({ label, stroke: colour(COLOURS[i]), width: 1.75, points: { show: false },
      fill: i === 0 ? `${colour(COLOURS[i])}14` : undefined }))],
  };
}

class Chart extends Component {
  async componentDidMount() {
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.box);
    this.theme = matchMedia("(prefers-color-scheme: dark)");
    this.onTheme = () => { this.clear(); this.draw(); };
    this.theme.addEventListener("change", this.onTheme);
    this.uPlot = await load().catch(() => null); /* Then the figures stand alone. */
    this.draw();
  }

  componentWillUnmount() {
    this.observer.disconnect();
    this.theme.removeEventListener("change", this.onTheme);
    this.clear();
  }

  componentDidUpdate() {
    this.draw();
  }

  clear() {
    this.plot?.destroy();
    this.plot = null;
  }

  draw() {
    const width = Math.floor(this.box.clientWidth);
    const data = dataOf(this.props.samples.slice(-SECONDS), this.props.chart.lines);
    if (!this.uPlot || width === 0 || data[0].length < 2) {
      return;
    }
    if (!this.plot) {
      this.plot = new this.uPlot(optionsOf(this.props.chart, width), data, this.box);
    } else {
      if (this.plot.width !== width) {
        this.plot.setSize({ width, height: HEIGHT });
      }
      this.plot.setData(data);
    }
  }

  render({ chart, samples }) {
    const last = samples.slice(-2);
    return h("figure", null,
      h("figcaption", null, h("span", null, chart.title), chart.lines.map(([name, read], i) =>
        h("span", { key: name, class: `key key${i}` }, `${name} ${last.length > 1 ? amount(ratesOf(last, read)[0]) : "–"}`))),
      h("div", { class: "plot", ref: (box) => { this.box = box ?? this.box; } }));
  }
}

export function Counters({ samples }) {
  return h("section", { class: "card", "aria-labelledby": "counters" },
    h("header", null, h("h2", { id: "counters" }, "Counters"), h("p", null, "of this node, since the page was opened")),
    h("div", { class: "charts" }, CHARTS.map((chart) => h(Chart, { key: chart.title, chart, samples }))));
}
