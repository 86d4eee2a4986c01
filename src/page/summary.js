/* The line at the top: whose view this is, whether it is live, and what counts most. */
import { h } from "./preact.js";
import { clock, count, duration } from "./words.js";

export function Header({ feed }) {
  const { members } = feed.documents;
  return h("header", { class: "top" },
    h("img", { src: "/page/icon.svg", alt: "", width: 36, height: 36 }),
    h("div", null, h("h1", null, h("bdi", null, members.cluster)),
      h("p", null, "as ", h("bdi", null, members.self), " sees it, a ",
        members.phase === "member" ? "member" : `node in phase ${members.phase}`)),
    h("span", { class: feed.connected ? "link" : "link lost", role: "status" },
      feed.connected ? "live" : "lost"));
}

/* The notices of what the page is made of go with it. */
export function Footer({ version }) {
  return h("footer", null, `Doyen ${version}. What is shown here is at `, h("a", { href: "/v1/members" }, "/v1/members"),
    " and its neighbours. Made with Preact (", h("a", { href: "/page/preact-licence.txt" }, "licence"), ") and uPlot (",
    h("a", { href: "/page/uplot-licence.txt" }, "licence"), ").");
}

export function Alarm({ feed }) {
  return !feed.connected && h("p", { class: "alarm" },
    h("span", { role: "alert" }, h("bdi", null, feed.documents.members.self),
      ` does not answer. What is shown is from ${clock(feed.seenAt)} UTC. This page goes on by itself when it is back.`),
    ` It has been ${duration(Date.now() - feed.seenAt)}.`);
}

function Figure({ title, note, alarm, children }) {
  return h("div", { class: alarm ? "figure off" : "figure" }, h("dt", null, title),
    h("dd", null, children, h("small", null, note)));
}

/* The state of the whole, as the daemon says it, over the whole width. What is from before the daemon
 * fell silent has no colour. */
export function Whole({ feed }) {
  const { severity, sentence, next } = feed.documents.status.whole;
  return h("div", { class: `whole ${feed.connected ? severity : "stale"}`, id: "whole", role: "status" },
    h("strong", null, sentence), severity !== "good" && " ", severity !== "good" && h("span", null, next));
}

/* Another coordinator was looked at by this node, unless others watch it. */
function acting(members, unheard) {
  if (members.coordinator === null) {
    return "there is none to be named";
  }
  if (members.coordinator !== members.self) {
    const member = members.members.find(({ name }) => name === members.coordinator);
    if (unheard !== null) {
      return `not heard for ${duration(unheard)}${member?.state === "suspect" ? ": suspected" : ""}`;
    }
    if (member?.state === "suspect") {
      return "suspected by this node";
    }
    return member?.heard_ms == null ? "not heard by this node itself" : `heard ${duration(member.heard_ms)} ago`;
  }
  return members.acting ? "this node, which acts" : "this node, which does not act";
}

function guard({ policy, needed, fresh, met }, voters) {
  if (voters) {
    const count = Math.min(fresh, voters.heard - voters.lacking);
    return `${count} of ${voters.count} voters, ${needed} needed${met && count <= needed ? ": none can be spared" : ""}`;
  }
  return policy === "none" ? "each part may act" : `${policy}: ${fresh} heard of ${needed} needed${met ? "" : ", not met"}`;
}

function isCoordinatorLost(members, status) {
  const member = members.members.find(({ name }) => name === members.coordinator);
  return members.coordinator === null || status.coordinator_unheard_ms !== null || member?.state === "suspect"
    || (members.coordinator === members.self && !members.acting);
}

function linksOf({ bad, down }) {
  return bad.length > 0 ? `${bad.length} bad` : down.length > 0 ? `${down.length} down` : "none bad";
}

export function Summary({ documents: { members, status }, onWhy }) {
  const { counts } = status;
  const isIn = members.members.length > 0;
  const lost = [counts.suspect && `${counts.suspect} suspected`, counts.failed && `${counts.failed} failed`].filter(Boolean);
  return h("dl", { class: "figures" },
    h(Figure, { title: "Coordinator", note: acting(members, status.coordinator_unheard_ms), alarm: isCoordinatorLost(members, status) },
      h("button", { type: "button", "aria-haspopup": "dialog", onClick: () => onWhy(null) }, h("bdi", null, members.coordinator ?? "none"))),
    h(Figure, { title: "Members", note: lost.join(", ") || "none suspected", alarm: counts.suspect > 0 || (counts.failed > 0 && status.whole.severity !== "good") }, counts.members),
    h(Figure, { title: "Epoch", note: isIn ? `view ${members.view.version}, held by ${members.view.acked}` : "no view" }, isIn ? members.epoch : "none"),
    h(Figure, { title: "Guard", note: isIn ? guard(members.guard, status.voters) : "this node is not in", alarm: isIn && !members.guard.met },
      members.guard.policy === "none" ? "none" : members.guard.met ? "met" : "not met"),
    h(Figure, { title: "Links", note: `${status.links.up} of ${count(status.links.up + status.links.down.length, "connection")} open`,
      alarm: status.links.bad.length + status.links.down.length > 0 }, isIn ? linksOf(status.links) : "none"));
}
