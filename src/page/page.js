/* The live page: takes the place of the table that the daemon sent, once there is something to show. */
import { Component, h, render } from "./preact.js";
import { Counters } from "./counters.js";
import { OtherPart, Partitions, ThisNode, Voters } from "./electorate.js";
import { Feed } from "./feed.js";
import { Events, History } from "./history.js";
import { Links } from "./links.js";
import { CROWD_FROM, Members } from "./members.js";
import { Roles } from "./roles.js";
import { Alarm, Footer, Header, Summary, Whole } from "./summary.js";
import { Why } from "./why.js";

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
    const crowded = members.members.length >= CROWD_FROM; /* Then the members take the wide column. */
    return [
      h(Header, { feed }),
      h(Alarm, { feed }),
      h(Whole, { feed }),
      h("main", null,
        h(Summary, { documents: feed.documents, onWhy }),
        h("div", { class: "column wider" },
          h(OtherPart, { members, status, onWhy }),
          h(Members, { document: members, voters: feed.voters, onWhy }),
          h(Roles, { document: feed.roles, onWhy }),
          h(Partitions, { document: feed.partitions, onWhy }),
          !crowded && h(Events, { events: feed.events, onWhy })),
        h("div", { class: "column" },
          h(Voters, { document: feed.voters, onWhy }),
          members.members.length > 0 && h(Links, { document: members, links: status.links, onWhy }),
          crowded && h(Events, { events: feed.events, onWhy }),
          h(ThisNode, { members, status })),
        h(History, { views: feed.views, events: feed.events, now: feed.now() }),
        h(Counters, { samples: feed.samples })),
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
