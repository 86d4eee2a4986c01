/* The live page: takes the place of the table that the daemon sent, once there is something to show. */
import { Component, h, render } from "./preact.js";
import { Counters } from "./counters.js";
import { Away, Partitions, ThisNode, Voters } from "./electorate.js";
import { Feed } from "./feed.js";
import { Events, History } from "./history.js";
import { Links } from "./links.js";
import { CROWD_FROM, Members } from "./members.js";
import { Roles } from "./roles.js";
import { Alarm, Footer, Header, Summary, Whole } from "./summary.js";
import { Why } from "./why.js";

const FULL_FROM = 60; /* members */

class Page extends Component {
  constructor() {
    super();
    this.state = { asked: undefined }; /* of whom it is asked why; null: of the coordinator */
    this.onWhy = (name) => this.setState({ asked: name });
    this.onClose = () => this.setState({ asked: undefined });
  }

  render({ feed }, { asked }) {
    const { members, status } = feed.documents;
    const { onWhy } = this;
    const node = h(ThisNode, { members, status });
    const history = feed.views.length > 0 && h(History, { views: feed.views, events: feed.events, now: feed.now(), life: members.cursor, uptime: status.uptime_ms });
    const crowded = members.members.length >= CROWD_FROM; /* Then the left column is long without the one, */
    const full = members.members.length >= FULL_FROM; /* or without both. */
    return [
      h(Header, { feed }),
      h(Alarm, { feed }),
      h(Whole, { feed }),
      h("main", null,
        h(Summary, { documents: feed.documents, onWhy }),
        h("div", { class: "column wider" },
          status.whole.state !== "not in" && h(Away, { members, onWhy }),
          h(Members, { document: members, voters: feed.voters, asOf: feed.connected ? null : feed.seenAt, onWhy }),
          h(Roles, { document: feed.roles, onWhy }),
          h(Partitions, { document: feed.partitions, onWhy }),
          !full && history,
          !crowded && node),
        h("div", { class: "column" },
          h(Voters, { document: feed.voters, onWhy }),
          members.members.length > 0 && h(Links, { document: members, links: status.links, onWhy }),
          full && history,
          h(Events, { events: feed.events, onWhy }),
          crowded && node),
        h(Counters, { samples: feed.samples, uptime: status.uptime_ms })),
      h(Footer, { version: feed.documents.status.version }),
      asked !== undefined && h(Why, { name: asked, newest: feed.events.at(-1)?.cursor, onClose: this.onClose }),
    ];
  }
}

const root = document.getElementById("page");
let mounted = false;

const feed = new Feed(() => {
  if (feed.documents === null) {
    return; /* The table that came with the page stays. */
  }
  if (!mounted) {
    root.replaceChildren();
    mounted = true;
  }
  document.body.classList.toggle("stale", !feed.connected);
  render(h(Page, { feed }), root);
});
feed.start();
