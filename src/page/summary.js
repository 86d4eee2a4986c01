/* The line at the top: whose view this is, whether it is live, and what counts most. */
import { h } from "./preact.js";
import { awayOf, pageOf } from "./members.js";
import { clock, count, duration } from "./words.js";

const PAGES_NAMED = 6;

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

/* Where to look instead. */
function OtherPages({ members }) {
  const pages = members.members.map((member) => ({ name: member.name, page: pageOf(member, members) })).filter(({ page }) => page !== null);
  return pages.length > 0 && [" Another node may tell more: ", pages.slice(0, PAGES_NAMED).map(({ name, page }, i) =>
    [i > 0 && ", ", h("a", { href: page }, h("bdi", null, name))]), "."];
}

/* The notices of what the page is made of go with it. */
export function Footer({ version }) {
  return h("footer", null, `Doyen ${version}. What is shown here is at `, h("a", { href: "/v1/members" }, "/v1/members"),
    " and its neighbours. Made with Preact (", h("a", { href: "/page/preact-licence.txt" }, "licence"), ") and uPlot (",
    h("a", { href: "/page/uplot-licence.txt" }, "licence"), ").");
}

export function Alarm({ feed }) {
  return !feed.connected && h("section", { class: "alarm", "aria-label": "this node does not answer" },
    h("span", { role: "alert" }, h("bdi", null, feed.documents.members.self),
      ` does not answer. All below is as of ${clock(feed.seenAt)} UTC. This page goes on by itself when it is back.`),
    ` It has been ${duration(Date.now() - feed.seenAt)}.`, h(OtherPages, { members: feed.documents.members }));
}

/* What is wrong has the colour of the whole: the daemon alone judges how bad it is. */
function Figure({ title, note, alarm, children }) {
  return h("div", { class: alarm ? `figure ${alarm}` : "figure" }, h("dt", null, title),
    h("dd", null, children, h("small", null, note)));
}

/* The state of the whole, as the daemon says it, over the whole width. What is from before the daemon
 * fell silent has no colour. */
export function Whole({ feed }) {
  const { severity, sentence, next } = feed.documents.status.whole;
  return h("div", { class: `whole ${feed.connected ? severity : "stale"}`, id: "whole", role: "status" },
    !feed.connected && h("span", null, `It was at ${clock(feed.seenAt)} UTC: `),
    h("strong", null, sentence), severity !== "good" && " ", severity !== "good" && h("span", null, next));
}

/* Another coordinator has said itself whether it acts. */
function acting(members, unheard) {
  if (members.coordinator === null) {
    return "there is none to be named";
  }
  if (members.coordinator === members.self) {
    return members.acting ? "this node, which acts" : "this node, which does not act";
  }
  const isSuspect = members.members.some(({ name, state }) => name === members.coordinator && state === "suspect");
  if (unheard !== null) {
    return `not heard for ${duration(unheard)}${isSuspect ? ": suspected" : ""}`;
  }
  return isSuspect ? "suspected by this node"
    : members.acting_said_ms === null ? "whether it acts is not known here" : `acts, said ${duration(members.acting_said_ms)} ago`;
}

function guard({ policy, needed, fresh, met }, voters) {
  if (voters) {
    const count = Math.min(fresh, voters.heard - voters.lacking);
    const more = met ? (count <= needed ? ": none can be spared" : "") : count < needed ? "" : ", and none of them has said that it acts";
    return `${count} of ${voters.count} voters, ${needed} needed${more}`;
  }
  return policy === "none" ? "each part may act" : `${policy}: ${fresh} heard of ${needed} needed${met ? "" : ", not met"}`;
}

function isCoordinatorLost(members, status) {
  const member = members.members.find(({ name }) => name === members.coordinator);
  return members.coordinator === null || status.coordinator_unheard_ms !== null || member?.state === "suspect"
    || (members.coordinator === members.self && !members.acting);
}

export function heldBy({ view, members }) {
  return view.acked < members.length ? `held by ${view.acked} of ${members.length} so far` : `held by all ${members.length}`;
}

function linksOf({ up, bad, down }, away) {
  return bad.length > 0 ? `${bad.length} bad` : down.length > 0 ? `${down.length} down` : away > 0 ? `${up} open` : "none bad";
}

/* A node that is not in knows nothing of all this, and the band says so. */
export function Summary({ documents: { members, status }, onWhy }) {
  if (members.members.length === 0) {
    return null;
  }
  const { counts, links } = status;
  const { severity } = status.whole;
  const away = awayOf(members).length;
  const silent = members.members.filter(({ state, silent }) => silent && state === "alive").length;
  const lost = [silent && `${silent} silent`, counts.suspect && `${counts.suspect} suspected`, away && `${away} failed`].filter(Boolean);
  const alarm = (holds) => holds && severity !== "good" && severity;
  return h("dl", { class: "figures" },
    h(Figure, { title: "Coordinator", note: acting(members, status.coordinator_unheard_ms), alarm: alarm(isCoordinatorLost(members, status)) },
      h("button", { type: "button", "aria-haspopup": "dialog", onClick: () => onWhy(null) }, h("bdi", null, members.coordinator ?? "none"))),
    h(Figure, { title: "Members", note: lost.join(", ") || "none suspected", alarm: alarm(lost.length > 0) }, counts.members),
    h(Figure, { title: "View", note: `epoch ${members.epoch}, ${heldBy(members)}` }, `${members.epoch}.${members.view.version}`),
    h(Figure, { title: "Guard", note: guard(members.guard, status.voters), alarm: alarm(!members.guard.met) },
      members.guard.policy === "none" ? "none" : members.guard.met ? "met" : "not met"),
    h(Figure, { title: "Links", note: `${links.up} of ${count(links.up + links.down.length, "connection")} open${away > 0 ? `, none to the ${away} away` : ""}`,
      alarm: alarm(links.bad.length + links.down.length > 0) }, linksOf(links, away)));
}
