#!/usr/bin/env python3
"""How figures grow with the number of members: real daemons with a key, each in a network namespace of its
own, on one machine; then hosts in the simulator.

    scripts/bench scale [--json FILE] [--svg FOLDER] [--documents] [--from FILE] [--members N,N...]
                        [--simulated N,N...] [--large N,N...] [--watchers N,N...] [--guards none,majority] [--runs N]

prints Markdown tables. --json keeps the figures in a file, from which --from shows them again without
measuring; --svg draws curves with gnuplot; --documents puts the tables between the marks of
docs/guide/sizing.md. What a figure means:

    form        all daemons start at once, until all hold the view of N
    bytes       what a member sends at rest, headers of Ethernet, IP and UDP included; packets likewise
    cpu         processor time of a member at rest, as the scheduler counts it; `bare` is that of a program
                which sends and reads the same beats at the same time and does nothing else (bare_beats.c),
                `lazy` of one that reads only before it sends; "times bare" compares what ran beside it
    rss, pss    resident memory of a member, and its own share of it; descriptors, how many it has open
    change      a tag of a member is set, until all others have been told
    kill        kill -9 of a member in the middle, until all others have been told
    work        processor time of this machine until then, of hosts in the simulator
    lost        the cable of a member is pulled, until all others have been told
    heal        the cable between two parts that have settled for five seconds is put in again, until all
                have been told: half of the members, and three of them, of five two
    product     bytes a second times seconds until a lost host is known

Without root or iproute2 it takes the loopback interface, where no cable can be pulled. Where the programs
`serf` or `memberlist-agent` are on PATH, their figures stand beside. The default takes more than half an hour.
"""

import argparse
import json
import math
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time

import scale_show
from scale_network import (Loopback, Network, descriptors, may_have_namespaces, memory_kb,
                           processor_ms)
from scale_systems import Bare, Doyen, Memberlist, Serf

SETTLE_S = 1
REST_S = 5  # until what the start brought is over
IDLE_S = 30.6  # forty-five heartbeats
BESIDE_S = 20.4
WATCHERS = 4        # of each member, the default
HEARTBEAT_MS = 680  # of the profile lan, to half of the neighbours at a time
SAMPLES = 3         # kills, and losses, for one row of the table where there are members enough
SIMULATED_BYTES = 850   # of the simulator at its most, for each pair of hosts,
SIMULATED_HOST_BYTES = 140000  # and for each host
REST = ["bytes", "packets", "cpu", "bare", "lazy", "pss", "descriptors", "bytes_first", "cpu_first"]
LOSSES = ["change", "kill", "lost"]
HEALS = ["heal_halves", "heal_few"]
CHANGES = ["form", *LOSSES, *HEALS]


class Progress:
    def __init__(self):
        self.began = time.monotonic()
        self.failed = 0

    def say(self, text):
        spent = time.monotonic() - self.began
        print(f"  {spent // 60:2.0f}:{spent % 60:04.1f}  {text}", file=sys.stderr, flush=True)


def median_of(samples):
    known = [sample for sample in samples if sample is not None and not math.isnan(sample)]
    return round(statistics.median(known), 4) if known else None


# --- Real processes ----------------------------------------------------------------------------------


def spans(before, after, seconds):
    return [((now[0] - was[0]) / seconds, (now[1] - was[1]) / seconds)
            for was, now in zip(before, after)]


def processor_shares(pids, seconds):
    """% of one processor that each takes while this waits, and how long that was."""
    began = time.monotonic()
    before = [processor_ms(pid) for pid in pids]
    time.sleep(seconds)
    seconds = time.monotonic() - began
    return [(processor_ms(pid) - was) / seconds / 10 for pid, was in zip(pids, before)], seconds


def measure_rest(cluster):
    first = cluster.coordinator()
    time.sleep(REST_S)
    pids = cluster.pids()
    sent = cluster.network.sent if cluster.network.can_cut else cluster.counted
    before = sent()
    shares, seconds = processor_shares(pids, IDLE_S)
    flows = spans(before, sent(), seconds) if before else []
    memory = [memory_kb(pid) for pid in pids]
    others = [i for i in range(len(pids)) if i != first]
    found = {"cpu": statistics.median(shares[i] for i in others), "cpu_first": shares[first],
             "rss": statistics.median(kb for kb, _ in memory),
             "pss": statistics.median(kb for _, kb in memory),
             "descriptors": statistics.median(descriptors(pid) for pid in pids)}
    if flows:
        found |= {"bytes": statistics.median(flows[i][0] for i in others),
                  "packets": statistics.median(flows[i][1] for i in others),
                  "bytes_first": flows[first][0]}
    return found


def measure_heals(cluster):
    cluster.watch()
    found = {}
    for name, size in zip(HEALS, (cluster.count // 2, min(3, cluster.count // 2))):
        time.sleep(SETTLE_S)
        found[name] = cluster.heal(set(random.sample(range(cluster.count), size)))
    return found


def measure_losses(cluster, samples, kinds):
    """Lists of them. Members in the middle go, one after the other."""
    cluster.watch()
    found = {name: [] for name in LOSSES}
    without = set()
    for sample in range(samples):
        victim = cluster.count // 2 + 2 * sample
        time.sleep(SETTLE_S)  # the next change would wait for company
        if sample == 0:
            found["change"].append(cluster.change(time.monotonic_ns()))
            time.sleep(SETTLE_S)
        if "kill" in kinds:
            found["kill"].append(cluster.kill(victim, without))
            without.add(victim)
        if "lost" in kinds and cluster.network.can_cut:
            time.sleep(SETTLE_S + random.random() * HEARTBEAT_MS / 1e3)  # at any moment between two heartbeats
            found["lost"].append(cluster.lose(victim + 1, without))
            without.add(victim + 1)
    return found


def measure_beside(cluster, make_bare):
    """Daemons and bare programs at the same time, so that both have the same machine."""
    found = {}
    for name, lazy in (("bare", False), ("lazy", True)):
        bare = make_bare(lazy)
        try:
            time.sleep(SETTLE_S)
            pids = bare.pids()
            shares, _ = processor_shares(pids + cluster.pids(), BESIDE_S)
            found[name] = statistics.median(shares[:len(pids)])
            found[f"cpu_beside_{name}"] = statistics.median(shares[len(pids):])
        finally:
            bare.close()
    return found


def measure(make, make_bare, network, count, runs, progress, label, samples=SAMPLES, heals=True):
    """One row. Few members bear one death at a time, and are not at rest after it, so that there they start
    again for each; and all start once more to be split."""
    at_once = max(1, min(samples, (count - 2) // 6))
    starts = [("kill", "lost")] * runs
    if at_once < min(2, samples):
        starts = [("kill",)] * runs + [("lost",)] * (samples * runs)
    found = {name: [] for name in CHANGES}
    for run, kinds in enumerate(starts):
        cluster = make(network, count)
        try:
            found["form"].append(cluster.form())
            if run < runs:
                rest = measure_rest(cluster) | (measure_beside(cluster, make_bare) if make_bare else {})
                for name, value in rest.items():
                    found.setdefault(name, []).append(value)
            else:
                time.sleep(REST_S)
            for name, values in measure_losses(cluster, at_once, kinds).items():
                found[name] += values
        finally:
            cluster.close()
    for _ in range(runs if heals and network.can_cut else 0):
        cluster = make(network, count)
        try:
            found["form"].append(cluster.form())
            for name, value in measure_heals(cluster).items():
                found[name].append(value)
        except RuntimeError as error:
            progress.failed += 1
            progress.say(f"{label}, {count} members, apart and together again: FAILED: {error}")
        finally:
            cluster.close()
    row = {name: median_of(values) for name, values in found.items()}
    row["kill_worst"] = max(found["kill"], default=None)
    row["lost_worst"] = max(found["lost"], default=None)
    if row.get("bytes") and row["lost"]:
        row["product"] = round(row["bytes"] * row["lost"] / 1e3, 1)
    progress.say(f"{label}, {count} members: " + ", ".join(
        f"{name} {row[name]:.4g}" for name in REST + CHANGES if row.get(name) is not None))
    return {"runs": runs, "simulated": False, "members": count, **row}


def attempt(progress, label, count, rows, row_of):
    """A row that cannot be measured is missing, and the rest goes on."""
    try:
        rows.append(row_of())
    except RuntimeError as error:
        progress.failed += 1
        progress.say(f"{label}, {count} members: FAILED: {error}")


def measure_count(count, options, peers, progress):
    network = (Network if may_have_namespaces() else Loopback)(count)
    rows = []
    try:
        for watchers in options.watchers:
            def make_bare(lazy, plan=watchers):
                return Bare(network, count, options.bare, plan, HEARTBEAT_MS,
                            ["--lazy"] if lazy else [])

            for guard in options.guards:
                label = f"doyen, watchers {watchers}, guard {guard}"
                attempt(progress, label, count, rows, lambda: {
                    "system": "doyen", "watchers": watchers, "guard": guard, **measure(
                        lambda net, n: Doyen(net, n, options.program, watchers, guard),
                        make_bare if guard == options.guards[0] else None, network, count,
                        options.runs, progress, label)})
        for kind, path in peers:
            attempt(progress, kind.name, count, rows, lambda: {
                "system": kind.name, **measure(lambda net, n: kind(net, n, path), None, network, count,
                                               1, progress, kind.name, samples=1, heals=False)})
    finally:
        network.close()
    return rows


def find_peers(progress):
    found = []
    for kind in (Serf, Memberlist):
        path = shutil.which(kind.program)
        if path and may_have_namespaces():
            found.append((kind, path))
        else:
            progress.say(f"{kind.name} is left out: {kind.program} is not on PATH" if not path else
                         f"{kind.name} is left out: it needs namespaces")
    return found


# --- The simulator -----------------------------------------------------------------------------------


SIMULATED = {
    "all start at once, until all agree": "form",
    "a member's tags change, until all agree": "change",
    "kill -9 of a member, until all others agree": "kill",
    "messages of all until then": "kill_sent",
    "kill -9 of the coordinator, until all others agree": "kill_first",
    "a host falls silent, until all others agree": "lost",
    "the coordinator's host falls silent, until all others agree": "lost_first",
    "two halves that can meet again, until all agree": "heal_halves",
    "three that were apart can come back, until all agree": "heal_few",
    "messages that a member sends in quiet, a second": "packets",
    "messages that the coordinator sends in quiet, a second": "packets_first",
}


SPREAD_RUNS = 5
FANOUTS = (4, 128, 4096)
SPREAD_LEAST = 8    # hosts: fewer are sent a change by the coordinator itself

LARGE = {
    "all start at once, until all agree": "form",
    "work for that": "form_work",
    "memory of a host when all are there": "memory",
    "a host falls silent, until all others agree": "lost",
    "the coordinator's host falls silent, until all others agree": "lost_first",
    "both are back, until all agree": "back",
    "work for ten seconds in two halves": "split_work",
    "views of a half in that time": "split_views",
    "the two halves can meet again, until all agree": "heal",
    "work for that merge": "heal_work",
    "half of the hosts fall silent, until all others agree": "lost_half",
    "work for that half": "lost_half_work",
    "views for that half": "lost_half_views",
    "the same at its most": "memory_most",
}


def memory_free_bytes():
    with open("/proc/meminfo") as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["MemAvailable"].split()[0]) * 1024


def simulate(program, arguments, names, count, progress):
    """In virtual time; work costs none there. None where memory does not suffice."""
    needed = SIMULATED_BYTES * count * count + SIMULATED_HOST_BYTES * count
    if needed > memory_free_bytes():
        progress.say(f"{count} simulated hosts are left out: each keeps what it knows of all, "
                     f"{needed / 2**30:.0f} GiB in all")
        return None
    began = time.monotonic()
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{program} {count}: {done.stderr[-300:]}")
    found = {names[figure["case"]]: figure["median"]
             for figure in json.loads(done.stdout)["figures"] if figure["case"] in names}
    progress.say(f"simulated, watchers {WATCHERS}, {count} hosts ({time.monotonic() - began:.0f} s): "
                 + ", ".join(f"{name} {value:.4g}" for name, value in found.items()))
    return found


def simulate_changes(folder, count, progress):
    found = simulate(os.path.join(folder, "bench_growth"),
                     ["--watchers", str(WATCHERS), str(count), "1"], SIMULATED, count, progress)
    return [{"system": "doyen", "watchers": WATCHERS, "guard": "none", "members": count,
             "simulated": True, "runs": 1, **found}] if found else []


def simulate_large(folder, count, progress):
    found = simulate(os.path.join(folder, "bench_large"),
                     [str(count)], LARGE, count, progress)
    return [{"members": count, **found}] if found else []


def change_names():
    """What bench_change measures, by fan-out and loss, as it stands in a row of `changes`."""
    measures = {"until all have a change": "ms", "messages of the coordinator": "first",
                "messages of the busiest other": "busiest", "messages of all": "all",
                "bytes of the coordinator": "first_kb", "bytes of all": "all_kb"}
    return {f"fanout {way}, {loss}: {text}": f"{way} {kind} {short}" for way in FANOUTS
            for loss, kind in (("no loss", "0"), ("5 % loss", "5"), ("20 % loss", "20"))
            for text, short in measures.items()}


def simulate_spread(folder, count, progress):
    if count < SPREAD_LEAST:
        return []
    found = simulate(os.path.join(folder, "bench_change"), [str(count), str(SPREAD_RUNS)],
                     change_names(), count, progress)
    return [{"members": count, **found}] if found else []


# --- All of it ---------------------------------------------------------------------------------------


def numbers(text):
    return [int(part) for part in text.split(",") if part]


def words(*allowed):
    def parse(text):
        found = text.split(",")
        if not set(found) <= set(allowed):
            raise argparse.ArgumentTypeError(f"one or more of {', '.join(allowed)}")
        return found
    return parse


def parse_options():
    parser = argparse.ArgumentParser(prog="scripts/bench scale", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", metavar="FILE", help="keep the figures there")
    parser.add_argument("--svg", metavar="FOLDER", help="draw scale-cost.svg and scale-time.svg there")
    parser.add_argument("--documents", action="store_true", help="put the tables into the documents")
    parser.add_argument("--from", dest="source", metavar="FILE", help="show what --json kept")
    parser.add_argument("--members", type=numbers, default=[5, 10, 30, 100], metavar="N,N...")
    parser.add_argument("--simulated", type=numbers, default=[300], metavar="N,N...",
                        help="hosts; 1000 take minutes, and 1 GiB of memory")
    parser.add_argument("--large", type=numbers, default=[300], metavar="N,N...",
                        help="hosts of which some are lost, and half, and are split in halves, and how a change "
                             "spreads among them; 4096 take a quarter of an hour and 14 GiB")
    parser.add_argument("--watchers", type=numbers, default=[255, WATCHERS], metavar="N,N...",
                        help="of each member, 4 to 255")
    parser.add_argument("--guards", type=words("none", "majority"), default=["none", "majority"])
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    if options.members and min(options.members) < 5:
        parser.error("--members: at least 5 each, for two of them go")
    if not options.watchers or not 4 <= min(options.watchers) <= max(options.watchers) <= 255:
        parser.error("--watchers: 4 to 255 each")
    for name, counts in (("simulated", options.simulated), ("large", options.large)):
        if counts and not 5 <= min(counts) <= max(counts) <= 4096:
            parser.error(f"--{name}: 5 to 4096 each")
    if options.svg and not shutil.which("gnuplot"):
        parser.error("--svg needs gnuplot: apt-get install gnuplot-nox")
    return options


def measure_all(options):
    progress = Progress()
    folder = os.path.dirname(os.environ["DOYEND_PATH"])
    options.program = os.environ["DOYEND_PATH"]
    options.bare = os.path.join(folder, "bare_beats")
    peers = find_peers(progress)
    if not may_have_namespaces():
        progress.say("no root, or no iproute2: on the loopback interface, where no host can be lost")
    rows = []
    for count in options.members:
        rows += measure_count(count, options, peers, progress)
    for count in options.simulated:
        rows += simulate_changes(folder, count, progress)
    large = []
    for count in options.large:
        large += simulate_large(folder, count, progress)
    changes = []
    for count in options.large:
        changes += simulate_spread(folder, count, progress)
    progress.say("done")
    return {"bench": "scale", "processors": os.cpu_count(), "namespaces": may_have_namespaces(),
            "failed": progress.failed, "figures": rows, "large": large, "changes": changes}


def main():
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # what it made goes, too
    options = parse_options()
    if options.source:
        with open(options.source) as file:
            found = json.load(file)
    else:
        found = measure_all(options)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(found, file, indent=1)
            file.write("\n")
    if options.svg:
        scale_show.draw(options.svg, found["figures"])
    if options.documents:
        scale_show.put_into_document(found)
    elif options.table:
        print(scale_show.text(found))
    else:
        print(json.dumps(found))
    return 1 if found.get("failed") else 0


sys.exit(main())
