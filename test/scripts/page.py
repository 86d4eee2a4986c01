#!/usr/bin/python3
"""The page of doyend in a headless Chromium, against a cluster of real daemons that is split, healed,
and whose node goes away and comes back.

    test/scripts/page.py URL CHROMIUM CLUSTER FOLDER STORY [PICTURES]

URL is that of athens' page, CLUSTER the path of scripts/cluster, FOLDER for the browser's files; STORY is
one that page.sh lists. Pictures are taken into the folder PICTURES, if one is given.
"""

import json
import os
import subprocess
import sys
import time

from browser import Browser

MEMBERS = "[...document.querySelectorAll('.members tbody tr:not(.gone) th bdi')].map(x => x.textContent).join(' ')"
TILE = "[...document.querySelectorAll('.figure')].find(x => x.querySelector('dt').textContent === %r).querySelector('small').textContent"
HEADING = "document.querySelector('.%s header p').textContent"
GONE = "[...document.querySelectorAll('.members tr.gone th bdi')].map(x => x.textContent).join(' ')"
COORDINATOR = "document.querySelector('.badge.coordinator')?.closest('th').querySelector('bdi').textContent"
ROLES = ("[...document.querySelectorAll('.roles tbody tr')].map(x => [0, 1, 2, 4].map(i => x.children[i].textContent).join(' ')).join('; ')")
PAINT = "performance.getEntriesByName('first-contentful-paint')"
ALL = "athens byzantium cyrene delphi ephesus"

# Many members where there are five: what the daemon answers is changed on its way to the page, so that all of it is of
# one cluster. Of "cuts", pairs of places, the first does not hear the second.
MANY = """
const real = window.fetch, {count, silent, cuts} = %s;
const names = Array.from({length: count}, (_, i) => `node${String(i).padStart(3, "0")}.example`);
const founded = Date.now() - 250e3, self = names[0], view = {epoch: "1", version: String(count), acked: count, members: count};
const joined = (i) => new Date(founded + i / count * 100e3).toISOString();
const portOf = (address, i) => address.replace(/[0-9]+$/, (port) => Number(port) + i);
const whole = cuts.length === 0 ? {state: "healthy", severity: "good", sentence: `healthy: ${count} of ${count}`, next: "nothing; doyen watch shows changes"}
  : {state: "bad link", severity: "warning", sentence: cuts.length === 1 ? `a link is bad: ${names[cuts[0][0]]} does not hear ${names[cuts[0][1]]}` : `${cuts.length} links are bad`, next: "doyen matrix shows the links that are bad"};
const counters = (at) => {
  const s = Math.max(0, at - founded) / 1000, beats = Math.floor(s * 18 + 40 * Math.sin(s / 20));
  return {datagrams_in: beats, datagrams_out: beats, bytes_in: beats * 90, bytes_out: beats * 95};
};
const change = {
  "/v1/counters": (d) => ({...d, samples: Array.from({length: 48}, (_, i) => ({...counters(Date.now() - (48 - i) * 5000),
    ago_ms: (48 - i) * 5000, messages_refused: 0, frames_refused: 0}))}),
  "/v1/members": (d) => ({...d, cursor: "f-0", self, coordinator: self, epoch: "1", view, gone: [], members: names.map((name, i) => ({...d.members[0],
    name, id: String(i), age: i + 1, address: portOf(d.members[0].address, i), coordinator: i === 0, silent: i === silent,
    heard_ms: i === silent ? 2600 : i %% 3 ? null : Math.floor(Math.random() * 250), tags: {zone: "abc"[i %% 3], rack: String(i %% 7)}}))}),
  "/v1/status": (d) => ({...d, self, coordinator: self, whole, view, epoch: "1", uptime_ms: Date.now() - founded,
    last_change: {...d.last_change, time: joined(count - 1), since_ms: Date.now() - Date.parse(joined(count - 1))},
    counters: {...d.counters, ...counters(Date.now()), refused: {}, malformed: {}, not_opened: {}, without_key: 0}, counts: {members: count, suspect: 0, failed: 0, left: 0}, links: {up: count - 1, down: [],
    bad: cuts.map(([to, from]) => ({from: names[from], to: names[to], kind: "one-way",
      detail: `messages from ${names[from]} to ${names[to]} are lost: ${names[to]} does not hear ${names[from]}`}))}}),
  "/v1/history": (d) => ({...d, views: names.map((_, i) => ({...d.views[0], epoch: "1", version: String(i + 1), time: joined(i), members: i + 1,
    coordinator: self, change: `+${names[i]}`}))}),
  "/v1/journal": (d) => ({...d, events: names.flatMap((name, i) => [
    {kind: "joined", cursor: `f-${2 * i}`, time: joined(i), name, age: i + 1, text: `${name} joined with age ${i + 1}`},
    {kind: "view", cursor: `f-${2 * i + 1}`, time: joined(i), text: `view 1.${i + 1} with ${i + 1} member${i ? "s" : ""} holds (cause: ${i ? "change" : "found"})`}])}),
};
window.fetch = async (path, options) => {
  const answer = await real(path, options);
  return change[path] ? new Response(JSON.stringify(change[path](await answer.json()))) : answer;
};
"""


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


class Story:
    def __init__(self, browser, url, cluster, pictures):
        self.browser = browser
        self.url = url
        self.script = cluster
        self.pictures = pictures

    def cluster(self, *words):
        subprocess.run([self.script, *words], check=True, stdout=subprocess.DEVNULL)

    def picture(self, name, whole=True):
        if self.pictures:
            self.browser.value("document.activeElement.blur()")
            self.browser.picture(os.path.join(self.pictures, f"{name}.png"), whole)

    def is_shown(self, script, expected):
        """Waits until the page shows it; says what it shows instead."""
        try:
            self.browser.wait(f"({script}) === {expected!r}")
        except TimeoutError:
            raise AssertionError(f"the page shows {self.browser.value(script)!r}, not {expected!r}") from None

    def says(self, script, part):
        """Waits until the text that the expression is worth has this in it."""
        try:
            self.browser.wait(f"({script}).includes({part!r})")
        except TimeoutError:
            raise AssertionError(f"the page shows {self.browser.value(script)!r}, without {part!r}") from None

    def no_faults(self):
        expect(not self.browser.faults, f"the console says: {self.browser.faults}")

    def live(self):
        browser = self.browser
        browser.show(1280, 800)
        self.first_paint()
        browser.wait("document.querySelector('.link')?.textContent === 'live'")
        self.is_shown(MEMBERS, ALL)
        self.is_shown(COORDINATOR, "athens")
        self.band("good", "healthy: 5 of 5")
        browser.wait("document.querySelectorAll('.plot canvas').length === 3")
        expect("kept since" not in browser.value(HEADING % "history-card"), "views of before the start of a node that is new")
        self.no_faults()
        self.accessible()
        self.picture("page")
        self.by_keyboard()
        self.with_roles()
        self.split_and_healed()
        self.on_a_phone()
        self.no_faults()
        self.away_and_back()

    def band(self, severity, sentence):
        """The state of the whole, in its colour and over the whole width, has one place."""
        band = "document.querySelectorAll('.whole')"
        self.browser.wait(f"{band}.length === 1 && {band}[0].classList.contains({severity!r})"
                          f" && {band}[0].textContent.startsWith({sentence!r})")
        self.browser.wait(f"{band}[0].getBoundingClientRect().width"
                          " >= document.querySelector('main').getBoundingClientRect().width")
        self.browser.wait(f"parseFloat(getComputedStyle({band}[0]).paddingLeft) >= 12"
                          f" && parseFloat(getComputedStyle({band}[0]).marginBottom) >= 12")

    def first_paint(self):
        """How soon it is there, is told and not judged: the machine may be busy."""
        browser = self.browser
        browser.call("Network.setCacheDisabled", cacheDisabled=True)
        times = []
        for _ in range(9):
            browser.open("about:blank")
            browser.wait("location.href === 'about:blank'")
            browser.open(self.url)
            browser.wait(f"{PAINT}.length === 1")
            times.append(browser.value(f"{PAINT}[0].startTime"))
        browser.call("Network.setCacheDisabled", cacheDisabled=False)
        times.sort()
        print(f"first paint after {times[len(times) // 2]:.0f} ms, the longest of {len(times)} {times[-1]:.0f} ms")

    def without_scripts(self):
        """The table is there, and is loaded anew by itself."""
        browser = self.browser
        browser.call("Emulation.setScriptExecutionDisabled", value=True)
        browser.show(1280, 800)
        browser.open(self.url)
        self.is_shown(MEMBERS, ALL)
        self.is_shown(COORDINATOR, "athens")
        expect(browser.value("document.querySelectorAll('canvas, .link, .history').length") == 0, "a script has run")
        self.says("document.querySelector('.top p').textContent", " UTC")  # An answer that is an old one can be told from a new one.
        self.says("document.querySelector('.summary').textContent", "athens coordinates, and acts. 5 members, view 1.5. Guard none: each part may act.")
        self.is_shown("document.querySelectorAll('.members td.address a').length", 4)
        self.picture("without-scripts")
        self.cluster("kill", "delphi")
        self.is_shown(MEMBERS, "athens byzantium cyrene ephesus")
        self.is_shown(GONE, "delphi")
        self.is_shown("document.querySelector('.members tr.gone .tags').textContent", "not known")
        browser.show(390, 844)
        browser.wait("document.documentElement.scrollWidth <= 390")
        self.no_faults()

    def by_keyboard(self):
        """From name to name, to the evidence and back; from view to view."""
        browser = self.browser
        browser.value("document.querySelector('.members tbody button').focus()")
        browser.press("ArrowDown", 40)
        self.is_shown("document.activeElement.textContent", "byzantium")
        browser.press("Enter", 13)
        browser.wait("document.querySelector('dialog[open] .answer')?.textContent.includes('byzantium')")
        browser.press("Escape", 27)
        browser.wait("!document.querySelector('dialog')")
        self.is_shown("document.activeElement.textContent", "byzantium")
        browser.value("document.querySelector('.history').focus({preventScroll: true})")
        browser.press("ArrowLeft", 37)
        browser.wait("document.getElementById('view').textContent.includes('athens coordinates')")

    def with_roles(self):
        """There is no table of roles before anybody stands for one. Markup in a value is text."""
        browser = self.browser
        expect(browser.value("document.querySelectorAll('.roles').length") == 0, "roles, where nobody stands for any")
        program = os.path.join(os.environ["DOYEN_BUILD"], "doyen")
        campaigns = []
        for name in ["cyrene", "delphi"]:
            socket = os.path.join(os.environ["DOYEN_CLUSTER_DIR"], f"{name}.sock")
            campaigns.append(subprocess.Popen([program, "-c", socket, "campaign", "backup", "--value", "<b>:5432"],
                                              stdout=subprocess.PIPE, text=True))
            expect("candidate backup" in campaigns[-1].stdout.readline(), f"{name} is no candidate")
        self.is_shown(ROLES, "backup cyrene holds <b>:5432; backup delphi waits <b>:5432")
        self.picture("roles")
        for campaign in campaigns:
            campaign.terminate()
            campaign.wait()
        browser.wait("document.querySelectorAll('.roles').length === 0")

    def leads(self, name):
        program = os.path.join(os.environ["DOYEN_BUILD"], "doyen")
        socket = os.path.join(os.environ["DOYEN_CLUSTER_DIR"], f"{name}.sock")
        for _ in range(300):
            told = subprocess.run([program, "-c", socket, "coordinator"], stdout=subprocess.PIPE, text=True)
            if told.stdout.startswith(name):
                return
            time.sleep(0.1)
        raise AssertionError(f"{name} does not come to coordinate")

    def split_and_healed(self):
        browser = self.browser
        self.cluster("partition", "athens,byzantium", "cyrene,delphi,ephesus")
        self.is_shown(MEMBERS, "athens byzantium")
        self.is_shown(f"{GONE}.split(' ').sort().join(' ')", "cyrene delphi ephesus")
        browser.wait("document.querySelector('.history .mark.split')")
        self.band("bad", "may have split: 3 of 5 were lost at once")
        self.says("document.querySelector('.whole').textContent", "3 faults are in force here on purpose doyen fault clear")
        self.is_shown(GONE, "cyrene delphi ephesus")  # Oldest first, and with the tags that they had.
        self.is_shown("[...document.querySelectorAll('.members tr.gone .tag')].map(x => x.textContent.trim()).join(' ')", "zone=b zone=c zone=c")
        self.is_shown("[...document.querySelectorAll('.away button')].map(x => x.textContent).join(' ')", "cyrene delphi ephesus")
        self.is_shown("[...document.querySelectorAll('.figure.bad dt')].map(x => x.textContent).join(' ')", "Members")
        self.says(TILE % "Links", "none to the 3 away")
        self.says("document.querySelector('.history-card .legend').textContent", "split")
        self.no_scroll_within()
        self.accessible()
        self.picture("page-split")
        self.leads("cyrene")  # Or it would be let in anew, and nothing merged.
        browser.open(os.environ["OTHER_PAGE"])
        self.is_shown(MEMBERS, "cyrene delphi ephesus")
        self.is_shown("document.querySelector('.away button')?.textContent", "athens")
        self.is_shown("document.querySelector('.members tr.gone .tags').textContent", "not known")  # Opened when it was gone.
        self.band("warning", "3 of 5 are here: ")
        self.is_shown("[...document.querySelectorAll('.figure.warning dt')].map(x => x.textContent).join(' ')", "Members")  # As severe as the band.
        expect(browser.value("document.querySelectorAll('.figure.bad').length") == 0, "a figure is more severe than the band")
        self.picture("page-split-other")
        browser.open(self.url)
        self.is_shown(MEMBERS, "athens byzantium")
        self.cluster("heal")
        self.is_shown(MEMBERS, "cyrene delphi ephesus athens byzantium")
        self.is_shown(COORDINATOR, "cyrene")
        browser.wait("document.querySelector('.history .mark.merge')")
        self.band("good", "healthy: 5 of 5")
        browser.wait("[...document.querySelectorAll('.events .merge')].some(x => x.textContent.includes('absorbed'))")
        self.says("document.querySelector('.healed').textContent", "one again since")
        self.says("document.querySelector('.healed').textContent", "merge with cyrene's part after")
        self.says("document.querySelector('.history-card .legend').textContent", "mergethe other part was away")
        self.says(TILE % "Coordinator", "acts, said ")  # Another one: by its own word.
        self.is_shown("document.querySelector('.badge.acting').closest('th').querySelector('bdi').textContent", "cyrene")
        self.says(TILE % "View", "held by ")
        self.says(HEADING % "counters", "up for")
        self.picture("healed")

    def on_a_phone(self):
        browser = self.browser
        browser.show(390, 844, scale=1)
        browser.wait("document.documentElement.scrollWidth <= 390")
        for what in ["address", "tags", "heard"]:
            expect(self.browser.value(f"document.querySelector('.members td.{what}').getBoundingClientRect().height") > 0, f"no {what} on a phone")
        rows = self.browser.value("[...document.querySelectorAll('.members tbody tr')].map(x => Math.round(x.querySelector('.state').getBoundingClientRect().top"
                                  " - x.getBoundingClientRect().top)).join(' ')")
        expect(len(set(rows.split())) == 1, f"the states stand out of line: {rows}")
        top = "document.querySelector('.%s').getBoundingClientRect().top"
        expect(browser.value(f"Math.max({top % 'links'}, {top % 'history-card'}) < {top % 'log'}"), "links and the course of time are below the events")
        self.picture("page-phone")
        browser.show(1280, 800, dark=True)
        self.accessible()
        self.picture("page-dark")

    def away_and_back(self):
        """The console then tells of connections that were refused, which it should."""
        browser = self.browser
        self.cluster("kill", "athens")
        browser.wait("document.querySelector('[role=alert]')?.textContent.includes('does not answer')")
        self.band("stale", "It was at ")
        self.is_shown("[...document.querySelectorAll('.alarm a')].map(x => x.textContent).join(' ')", "cyrene delphi ephesus byzantium")
        expect(browser.value("document.querySelector('.alarm a').href") == os.environ["OTHER_PAGE"], "the link leads elsewhere than to cyrene's page")
        self.says(HEADING % "members", "as of ")
        self.says("getComputedStyle(document.querySelector('main')).filter", "grayscale")  # No green of an hour ago.
        self.accessible()
        self.picture("away", whole=False)
        self.cluster("restart", "athens")
        browser.wait("document.querySelector('.link').textContent === 'live' && !document.querySelector('[role=alert]')")
        self.is_shown(MEMBERS, "cyrene delphi ephesus byzantium athens")

    def fake(self, count, silent=-1, cuts=()):
        """Opens the page with so many members."""
        browser = self.browser
        made = browser.call("Page.addScriptToEvaluateOnNewDocument",
                            source=MANY % json.dumps({"count": count, "silent": silent, "cuts": cuts}))
        browser.open("about:blank")
        browser.open(self.url)
        browser.wait("document.querySelectorAll('.members tbody tr').length > 0")
        browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=made["identifier"])

    def no_scroll_within(self):
        """The page scrolls, and nothing in it; all names can be read, and nothing hangs over its side."""
        boxes = self.browser.value("[...document.querySelectorAll('#page *')].filter((x) => x.scrollHeight > x.clientHeight + 1"
                                   " && ['auto', 'scroll'].includes(getComputedStyle(x).overflowY) && x.tagName !== 'DIV').length")
        expect(boxes == 0, f"{boxes} parts of the page scroll by themselves")
        expect(self.browser.value("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window")
        cut = self.browser.value("[...document.querySelectorAll('.ring text')].filter((x) => { const [a, b] = [x, x.ownerSVGElement]"
                                 ".map((y) => y.getBoundingClientRect()); return a.left < b.left || a.right > b.right || a.top < b.top"
                                 " || a.bottom > b.bottom; }).map((x) => x.textContent).join(' ')")
        expect(cut == "", f"names in the ring are cut off: {cut}")

    def many(self):
        """Who is well is one of a crowd of names; who needs a look has a row. How smooth it is, is told and not judged: the
        machine may be busy."""
        browser = self.browser
        browser.show(1280, 800)
        self.fake(30)
        browser.wait("document.querySelectorAll('.crowd button').length === 29")
        self.band("good", "healthy: 30 of 30")
        self.is_shown(TILE % "View", "epoch 1, held by all 30")
        self.is_shown("[...document.querySelectorAll('.members h3')].map(x => x.textContent).join(' ')", "zone=a: 10, 1 above zone=b: 10 zone=c: 10")
        self.no_scroll_within()
        self.accessible()
        expect("kept since" not in browser.value(HEADING % "history-card"), "views of before the start of a node that is new")
        self.picture("thirty")
        browser.show(2200, 1200)
        expect(browser.value("document.querySelector('main').getBoundingClientRect().width") > 2100, "the page leaves the sides free")
        self.picture("wide")
        browser.show(1280, 800)
        self.one_bad_link()
        self.fake(100, silent=40, cuts=[[0, 40], [50, 60]])
        browser.wait("document.querySelectorAll('.crowd button').length === 98")
        browser.wait("document.querySelectorAll('.links li').length === 2")
        self.is_shown("[...document.querySelectorAll('.members tbody tr')].map(x => x.querySelector('th bdi').textContent + ' ' + x.className).join('; ')",
                      "node000.example alive; node040.example silent")
        self.band("warning", "2 links are bad")
        self.is_shown(TILE % "Members", "1 silent")
        self.no_faults()
        self.no_scroll_within()
        frames = browser.value("""new Promise((done) => {
            const times = []; let last = performance.now();
            const look = (now) => { times.push(now - last); last = now; times.length < 180 ? requestAnimationFrame(look) : done(times); };
            requestAnimationFrame(look);
        })""")
        frames.sort()
        print(f"100 members: a frame takes {frames[len(frames) // 2]:.0f} ms, the longest of 180 {frames[-1]:.0f} ms")
        self.picture("page-hundred")
        browser.value("document.querySelector('.filter').focus()")
        browser.call("Input.insertText", text="NODE04")
        browser.wait("document.querySelectorAll('.members tbody tr').length === 10")
        browser.show(390, 844)
        browser.wait("document.documentElement.scrollWidth <= 390")
        self.no_faults()

    def one_bad_link(self):
        """Among few members it is drawn: an arrow from the sender, on the one way on which messages are lost."""
        self.fake(5, cuts=[[3, 1]])
        self.band("warning", "a link is bad: node003.example does not hear node001.example")
        self.says(HEADING % "links", "1 bad link")
        self.is_shown("document.querySelector('.links .bad').textContent", "one way messages from node001.example to node003.example"
                      " are lost: node003.example does not hear node001.example")
        self.is_shown("[...document.querySelectorAll('.ring line.lost')].map(x => `${x.getAttribute('marker-start')} ${x.getAttribute('marker-end')}`).join('; ')",
                      "null url(#arrow)")
        self.is_shown("[...document.querySelectorAll('.figure.warning dt')].map(x => x.textContent).join(' ')", "Links")
        self.no_faults()
        self.no_scroll_within()
        self.accessible()
        self.picture("bad-link")

    def strict(self):
        """The voters and their records, and what is said when too few of them are left."""
        browser = self.browser
        browser.show(1280, 800)
        browser.open(self.url)
        self.is_shown("[...document.querySelectorAll('.voters tbody tr')].map(x => x.querySelector('th bdi').textContent + ' ' + x.querySelector('.state').textContent).join('; ')",
                      "athens votes; byzantium votes; cyrene votes")
        self.band("good", "healthy: 4 of 4")
        self.says(HEADING % "history-card", "kept since before this node was started")
        self.accessible()
        self.picture("voters")
        self.cluster("kill", "byzantium")
        self.cluster("kill", "cyrene")
        self.band("bad", "nobody acts")
        browser.wait("[...document.querySelectorAll('.voters .state')].filter(x => x.textContent === 'not heard').length === 2")
        browser.wait("document.querySelector('.figure.bad')")
        self.says(HEADING % "voters", "1 of 3 vote: 1 more needed")
        self.is_shown("[...document.querySelectorAll('.away button')].map(x => x.textContent).sort().join(' ')", "byzantium cyrene")
        self.is_shown("[...document.querySelectorAll('.members tr')].filter(x => x.textContent.includes('voter')).map(x => x.querySelector('bdi').textContent).sort().join(' ')",
                      "athens byzantium cyrene")  # Also who failed.
        expect("act" not in browser.value("document.querySelector('.other').textContent"), "the band alone says who may act under strict")
        expect("no bad" not in browser.value(HEADING % "links"), "no bad link is known, and no connection is there")
        browser.wait("document.querySelector('.way.down').getAttribute('d') !== ''")
        browser.wait("document.querySelector('.band.none')")
        self.says("document.querySelector('.history-card').textContent", "no coordinator")
        browser.wait("[...document.querySelectorAll('.events .bad')].some(x => x.textContent.includes('there is no coordinator now'))")
        expect(browser.value("document.querySelectorAll('.acting').length") == 0, "somebody acts, without a quorum")
        self.accessible()
        self.picture("page-no-quorum")
        self.no_faults()

    def outsider(self):
        """A node whom nobody lets in says why, and claims nothing of a cluster."""
        browser = self.browser
        browser.show(1280, 800)
        browser.open(self.url)
        self.band("bad", "this node is not in: ")
        browser.wait("document.querySelector('.link') && document.querySelector('.whole').textContent.includes('key')")
        expect(browser.value("document.querySelectorAll('.figure').length") == 0, "figures of a cluster that it is not in")
        expect("This node is in no view" in browser.value("document.querySelector('.members').textContent"), "it knows of members")
        self.accessible()
        self.picture("page-outsider")
        self.no_faults()

    def accessible(self):
        """By the rules of axe-core, where that is at hand."""
        path = os.environ.get("AXE_CORE")
        if not path:
            return
        with open(path, encoding="utf-8") as file:
            self.browser.value(file.read() + "; 0")
        found = json.loads(self.browser.value(
            "axe.run(document).then(({violations}) => JSON.stringify(violations.map(({id, help, nodes}) => "
            "({id, help, at: nodes.slice(0, 3).map((x) => x.target.join(' ') + ' ' + (x.any[0]?.message ?? ''))}))))"))
        expect(found == [], f"axe-core has found: {json.dumps(found, indent=1)}")


def main():
    url, program, cluster, folder, story = sys.argv[1:6]
    browser = Browser(program, folder)
    try:
        getattr(Story(browser, url, cluster, sys.argv[6] if len(sys.argv) > 6 else None), story)()
    except (AssertionError, TimeoutError, RuntimeError) as error:
        sys.exit(f"page: {error}{''.join(f'; the console says: {fault}' for fault in browser.faults)}")
    finally:
        browser.close()


main()
