/* Who holds which role, and who is next. */
import { h } from "./preact.js";
import { count } from "./words.js";

const ROWS_MAX = 100;

function stateOf(candidate, holds) {
  if (!holds) {
    return candidate.eligible ? "waits" : candidate.lacks ? `lacks tag ${candidate.lacks}` : "is drained";
  }
  return candidate.stopping ? "stops" : "holds";
}

function Row({ role, candidate, holds, onWhy }) {
  return h("tr", { class: holds ? "holds" : "waits" },
    h("th", { scope: "row" }, h("bdi", null, role.role)),
    h("td", null, h("button", { type: "button", onClick: () => onWhy(candidate.member), "aria-haspopup": "dialog" }, h("bdi", null, candidate.member))),
    h("td", null, h("span", { class: "state" }, stateOf(candidate, holds))),
    h("td", { class: "token" }, candidate.token ?? ""),
    h("td", null, h("bdi", null, candidate.value)));
}

/* Nothing at all where nobody stands for a role. */
export function Roles({ document, onWhy }) {
  if (!document || document.roles.length === 0) {
    return null;
  }
  const rows = document.roles.flatMap((role) => [
    ...role.holders.map((candidate) => ({ role, candidate, holds: true })),
    ...role.candidates.map((candidate) => ({ role, candidate, holds: false }))]);
  const silent = document.unanswered.length > 0 && `${document.unanswered.join(", ")} did not answer: what stands there is not known`;
  return h("section", { class: "card roles", "aria-labelledby": "roles" },
    h("header", null, h("h2", { id: "roles" }, "Roles"),
      h("p", null, silent || `${count(document.roles.length, "role")}, each with its holders and who is next`)),
    h("div", { class: "wide" }, h("table", null,
      h("thead", null, h("tr", null, ["Role", "Member", "State", "Token", "Value"].map((title) => h("th", { scope: "col", key: title }, title)))),
      h("tbody", null, rows.slice(0, ROWS_MAX).map((row) =>
        h(Row, { key: `${row.role.role} ${row.candidate.request}`, ...row, onWhy }))))),
    rows.length > ROWS_MAX && h("p", { class: "note" }, `${rows.length - ROWS_MAX} more are at `, h("a", { href: "/v1/roles" }, "/v1/roles"), "."));
}
