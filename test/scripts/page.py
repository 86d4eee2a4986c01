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
GONE = "[...document.querySelectorAll('.members tr.gone th bdi')].map(x => x.textContent).join(' ')"
COORDINATOR = "document.querySelector('.badge.coordinator')?.closest('th').querySelector('bdi').textContent"
ROLES = ("[...document.querySelectorAll('.roles tbody tr')].map(x => [0, 1, 2, 4].map(i => x.children[i].textContent).join(' ')).join('; ')")
PAINT = "performance.getEntriesByName('first-contentful-paint')"
ALL = "athens byzantium cyrene delphi ephesus"

# Many members where there are five: what the daemon answers is changed on its way to the page. Of "cuts",
# pairs of places, messages are lost on the way.
MANY = """
const real = window.fetch, {count, silent, cuts} = %s;
const names = Array.from({length: count}, (_, i) => `node${String(i).padStart(3, "0")}.example`);
const whole = (d) => cuts.length === 0 ? {...d.whole, severity: "good", sentence: `healthy: ${count} of ${count}`}
  : {...d.whole, state: "bad link", severity: "warning", sentence: `${cuts.length} links are bad`, next: "doyen matrix shows the links that are bad"};
const change = {
  "/v1/members": (d) => ({...d, self: names[0], coordinator: names[0], members: names.map((name, i) => ({...d.members[0],
    name, id: String(i), age: i + 1, coordinator: i === 0, silent: i === silent, heard_ms: i %% 3 ? null : Math.floor(Math.random() * 250),
    tags: {zone: "abc"[i %% 3], rack: String(i %% 7)}}))}),
  "/v1/status": (d) => ({...d, self: names[0], coordinator: names[0], whole: whole(d), counts: {...d.counts, members: count}, links: {...d.links,
    bad: cuts.map(([to, from]) => ({from: names[from], to: names[to], kind: "one-way", detail: `${names[to]} does not hear ${names[from]}`}))}}),
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
        self.picture("without-scripts")
        self.cluster("kill", "delphi")
        self.is_shown(MEMBERS, "athens byzantium cyrene ephesus")
        self.is_shown(GONE, "delphi")
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
        self.is_shown("document.querySelector('.other button')?.textContent", "cyrene")
        self.no_scroll_within()
        self.accessible()
        self.picture("page-split")
        self.leads("cyrene")  # Or it would be let in anew, and nothing merged.
        browser.open(os.environ["OTHER_PAGE"])
        self.is_shown(MEMBERS, "cyrene delphi ephesus")
        self.is_shown("document.querySelector('.other button')?.textContent", "athens")
        self.picture("page-split-other")
        browser.open(self.url)
        self.is_shown(MEMBERS, "athens byzantium")
        self.cluster("heal")
        self.is_shown(MEMBERS, "cyrene delphi ephesus athens byzantium")
        self.is_shown(COORDINATOR, "cyrene")
        browser.wait("document.querySelector('.history .mark.merge')")
        self.band("good", "healthy: 5 of 5")
        browser.wait("[...document.querySelectorAll('.events .merge')].some(x => x.textContent.includes('absorbed'))")
        self.picture("healed")

    def on_a_phone(self):
        browser = self.browser
        browser.show(390, 844, scale=1)
        browser.wait("document.documentElement.scrollWidth <= 390")
        for what in ["address", "tags", "heard"]:
            expect(self.browser.value(f"document.querySelector('.members td.{what}').getBoundingClientRect().height") > 0, f"no {what} on a phone")
        self.picture("page-phone")
        browser.show(1280, 800, dark=True)
        self.accessible()
        self.picture("page-dark")

    def away_and_back(self):
        """The console then tells of connections that were refused, which it should."""
        browser = self.browser
        self.cluster("kill", "athens")
        browser.wait("document.querySelector('[role=alert]')?.textContent.includes('does not answer')")
        self.band("stale", "healthy: 5 of 5")
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

    def many(self):
        """Who is well is one of a crowd of names; who needs a look has a row. How smooth it is, is told and not judged: the
        machine may be busy."""
        browser = self.browser
        browser.show(1280, 800)
        self.fake(30)
        browser.wait("document.querySelectorAll('.crowd button').length === 29")
        self.band("good", "healthy: 30 of 30")
        self.no_scroll_within()
        self.accessible()
        self.picture("thirty")
        browser.show(2200, 1200)
        expect(browser.value("document.querySelector('main').getBoundingClientRect().width") > 2100, "the page leaves the sides free")
        self.picture("wide")
        browser.show(1280, 800)
        self.fake(100, silent=40, cuts=[[3, 9], [50, 60]])
        browser.wait("document.querySelectorAll('.crowd button').length === 98")
        browser.wait("document.querySelectorAll('.links li').length === 2")
        self.is_shown("[...document.querySelectorAll('.members tbody tr')].map(x => x.querySelector('th bdi').textContent + ' ' + x.className).join('; ')",
                      "node000.example alive; node040.example silent")
        self.band("warning", "2 links are bad")
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

    def strict(self):
        """The voters and their records, and what is said when too few of them are left."""
        browser = self.browser
        browser.show(1280, 800)
        browser.open(self.url)
        self.is_shown("[...document.querySelectorAll('.voters tbody tr')].map(x => x.querySelector('th bdi').textContent + ' ' + x.querySelector('.state').textContent).join('; ')",
                      "athens votes; byzantium votes; cyrene votes")
        self.band("good", "healthy: 4 of 4")
        self.accessible()
        self.picture("voters")
        self.cluster("kill", "byzantium")
        self.cluster("kill", "cyrene")
        self.band("bad", "nobody acts")
        browser.wait("[...document.querySelectorAll('.voters .state')].filter(x => x.textContent === 'not heard').length === 2")
        browser.wait("document.querySelector('.figure.off')")
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
        sys.exit(f"page: {error}")
    finally:
        browser.close()


main()
