/* The evidence about one member, or about who coordinates: what `doyen why` says. */
import { Component, h } from "./preact.js";
import { ask } from "./feed.js";
import { count, duration, exactly } from "./words.js";

const EVIDENCE_SHOWN = 40;

function Evidence({ evidence }) {
  return evidence.length > 0 && [
    h("h3", null, "What led to it"),
    h("ol", { class: "events" }, evidence.slice(-EVIDENCE_SHOWN).reverse().map((event) =>
      h("li", { key: event.cursor, class: event.kind }, h("time", { dateTime: event.time }, exactly(Date.parse(event.time))), " ",
        h("span", null, event.text)))),
  ];
}

function Refusals({ refusals }) {
  return refusals.length > 0 && [
    h("h3", null, "What was not acted on lately"),
    h("ul", { class: "events" }, refusals.map((refusal, i) =>
      h("li", { key: i }, h("time", null, `${duration(refusal.since_ms)} ago`), " ",
        h("span", null, `${refusal.type} from `, h("bdi", null, refusal.from), `: ${refusal.text} (${refusal.rule}, ${count(refusal.count, "time")})`)))),
  ];
}

export class Why extends Component {
  constructor() {
    super();
    this.state = { answer: null, problem: null };
  }

  componentDidMount() {
    this.dialog.showModal();
    this.fetch();
  }

  /* Anew when something has happened since. */
  componentDidUpdate({ name, newest }) {
    if (newest !== this.props.newest || name !== this.props.name) {
      this.fetch();
    }
  }

  fetch() {
    const { name } = this.props;
    ask(name === null ? "/v1/why" : `/v1/why?node=${encodeURIComponent(name)}`).then(
      (answer) => this.setState({ answer, problem: null }), ({ message }) => this.setState({ problem: message }));
  }

  render({ name, onClose }, { answer, problem }) {
    return h("dialog", { class: "why", "aria-labelledby": "why", ref: (dialog) => { this.dialog = dialog ?? this.dialog; },
      onClose, onClick: (event) => event.target === this.dialog && this.dialog.close() },
    h("div", null,
      h("header", null, h("h2", { id: "why" }, "Why ", h("bdi", null, name ?? "this coordinator"), "?"),
        h("button", { type: "button", class: "close", "aria-label": "close", onClick: () => this.dialog.close() }, "×")),
      problem && h("p", { class: "alarm" }, problem),
      answer && [h("p", { class: "answer" }, answer.text), h(Evidence, { evidence: answer.evidence }), h(Refusals, { refusals: answer.refusals })]));
  }
}
