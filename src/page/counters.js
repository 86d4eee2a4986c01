/* Counters as rates, from five minutes before the page was opened on, drawn by uPlot. */
import { Component, h } from "./preact.js";
import { amount, clock, duration } from "./words.js";

const HEIGHT = 110;
const SECONDS = 300; /* shown; the chart grows until it holds as much */
const TICKS = [1, 2, 5, 10, 15, 30, 60, 120]; /* seconds: the times below a chart tell no parts of one */
const CHARTS = [
  { title: "Datagrams a second", lines: [["in", "datagrams_in"], ["out", "datagrams_out"]] },
  { title: "Bytes a second", lines: [["in", "bytes_in"], ["out", "bytes_out"]] },
  { title: "Refused a second", lines: [["messages", "messages_refused"], ["frames", "frames_refused"]] },
];
/* Of the last seconds. Those of before the page was opened are five seconds apart. */
function since(samples, seconds) {
  return samples.filter(({ at }) => at > (samples.at(-1)?.at ?? 0) - seconds);
}

const COLOURS = ["--accent", "--good"];

/* What a counter grew by, each second. */
function ratesOf(samples, key) {
  return samples.slice(1).map((sample, i) => Math.max(0, sample[key] - samples[i][key]) / (sample.at - samples[i].at));
}

function dataOf(samples, lines) {
  return [samples.slice(1).map(({ at }) => at), ...lines.map(([, key]) => ratesOf(samples, key))];
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
    scales: { x: { range: (plot, min, max) => [min, max] }, y: { range: (plot, min, max) => [0, Math.max(1, max * 1.15)] } },
    axes: [{ ...axis, grid: { show: false }, size: 26, space: 70, incrs: TICKS, values: (plot, ticks) => ticks.map((at) => clock(at * 1000)) },
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
    const data = dataOf(since(this.props.samples, SECONDS), this.props.chart.lines);
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

  /* Now, and the most of what is drawn. */
  words(key) {
    const rates = ratesOf(since(this.props.samples, SECONDS), key);
    return `${amount(rates.at(-1))}, most ${amount(Math.max(...rates))}`;
  }

  render({ chart, samples }) {
    return h("figure", null,
      h("figcaption", null, h("span", null, chart.title), chart.lines.map(([name, key], i) =>
        h("span", { key: name, class: `key key${i}` }, `${name} ${this.words(key)}`))),
      h("div", { class: "plot", ref: (box) => { this.box = box ?? this.box; } }));
  }
}

export function Counters({ samples, uptime }) {
  return h("section", { class: "card counters", "aria-labelledby": "counters" },
    h("header", null, h("h2", { id: "counters" }, "Counters"),
      h("p", null, `of this node, ${uptime < SECONDS * 1000 ? `which is up for ${duration(uptime)}` : "in the last five minutes"}; times are UTC`)),
    samples.length < 3 ? h("p", { class: "note" }, "They are drawn as soon as there are a few.") : h("div", { class: "charts" }, CHARTS.map((chart) => h(Chart, { key: chart.title, chart, samples }))));
}
