/* The live page: takes the place of the table that the daemon sent, once there is something to show. */
import { Component, h, render } from "./preact.js";
import { Feed } from "./feed.js";
import { Members } from "./members.js";
import { Alarm, Header, Summary } from "./summary.js";

class Page extends Component {
  render({ feed }) {
    const { documents } = feed;
    return [
      h(Header, { feed }),
      h(Alarm, { feed }),
      h("main", null,
        h(Summary, { documents }),
        h(Members, { document: documents.members, onWhy: () => {} })),
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
