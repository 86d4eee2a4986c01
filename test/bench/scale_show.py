"""What scripts/bench scale found, as Markdown and as curves."""

import os
import subprocess

COLUMNS = [
    ("bytes/s", "bytes"), ("packets/s", "packets"), ("CPU", "cpu"), ("times bare", "ratio"),
    ("memory", "rss"), ("descriptors", "descriptors"), ("form", "form"), ("change", "change"),
    ("kill -9", "kill"), ("host lost", "lost"), ("halves heal", "heal_halves"), ("few heal", "heal_few"),
    ("bytes/s · s", "product"),
]
UNITS = {"cpu": " %", "form": " ms", "change": " ms", "kill": " ms", "lost": " ms",
         "heal_halves": " ms", "heal_few": " ms", "rss": " MB"}
DOCUMENT = "docs/guide/sizing.md"


def number(value, name=""):
    if value is None:
        return "–"
    if name == "rss":
        value = value * 1024 / 1e6
    text = f"{value:,.0f}" if value >= 99.5 else f"{value:.3g}" if value >= 1 else f"{value:.2g}"
    return text + UNITS.get(name, "")


def value_of(row, name):
    if name == "ratio":
        return row["cpu_beside_bare"] / row["bare"] if row.get("bare") else None
    return row.get(name)


def title(row):
    if row["system"] != "doyen":
        return row["system"]
    return f"`{row['watchers']}`" + (", guard `majority`" if row["guard"] == "majority" else "")


def main_table(rows):
    lines = ["| members | watchers | " + " | ".join(head for head, _ in COLUMNS) + " |",
             "| ---: | --- |" + " ---: |" * len(COLUMNS)]
    for row in rows:
        if not row["simulated"]:
            lines.append(f"| {row['members']} | {title(row)} | " + " | ".join(
                number(value_of(row, name), name) for _, name in COLUMNS) + " |")
    return "\n".join(lines)


def first_table(rows):
    """What the coordinator sends, which a guard makes a neighbour of all."""
    lines = ["| members | watchers | bytes/s of the coordinator | its CPU |", "| ---: | --- | ---: | ---: |"]
    for row in rows:
        if row["system"] == "doyen" and not row["simulated"]:
            lines.append(f"| {row['members']} | {title(row)} | {number(row['bytes_first'])} | "
                         f"{number(row['cpu_first'], 'cpu')} |")
    return "\n".join(lines)


def simulated_table(rows):
    names = [("form", "form"), ("change", "change"), ("kill -9", "kill"), ("of the coordinator", "kill_first"),
             ("host lost", "lost"), ("the coordinator's", "lost_first"), ("halves heal", "heal_halves"),
             ("three come back", "heal_few")]
    chosen = [row for row in rows if row["simulated"]]
    if not chosen:
        return ""
    lines = ["| simulated hosts | " + " | ".join(head for head, _ in names) + " | packets/s |",
             "| ---: |" + " ---: |" * (len(names) + 1)]
    for row in chosen:
        lines.append(f"| {row['members']} | " + " | ".join(
            f"{row[name]:,.0f} ms" for _, name in names) + f" | {number(row['packets'])} |")
    return "\n".join(lines)


def large_table(rows):
    """How much this machine had to work for it stands beside what it took in the cluster's own time."""
    if not rows:
        return ""
    names = [("form", "form"), ("host lost", "lost"), ("the coordinator's", "lost_first"),
             ("halves heal", "heal"), ("half lost", "lost_half")]
    lines = ["| simulated hosts | " + " | ".join(head for head, _ in names)
             + " | views for that | work for form, half lost | memory of a host, at its most |",
             "| ---: |" + " ---: |" * (len(names) + 3)]
    for row in rows:
        times = [f"{row[name]:,.0f} ms" if name in row else "–" for _, name in names]
        work = ", ".join(f"{row[name]:,.1f} s" if name in row else "–"
                         for name in ("form_work", "lost_half_work"))
        lines.append(f"| {row['members']} | " + " | ".join(times) + f" | {number(row.get('lost_half_views'))} | "
                     f"{work} | {row['memory'] / 1e3:.1f}, {row['memory_most'] / 1e3:.1f} MB |")
    return "\n".join(lines)


def changes_table(rows):
    """By the fan-out of the coordinator: how long, and what is sent."""
    if not rows:
        return ""
    lines = ["| simulated hosts | fan-out | no loss | 5 % loss | 20 % loss | messages of the coordinator "
             "| of the busiest other | of all | kB of the coordinator | of all |",
             "| ---: | ---: |" + " ---: |" * 8]
    for row in sorted(rows, key=lambda row: row["members"]):
        for way in (4, 128, 4096):
            times = " | ".join(f"{row[f'{way} {loss} ms']:,.0f} ms" for loss in (0, 5, 20))
            sent = " | ".join(f"{row[f'{way} 0 {what}']:,.{digits}f}" for what, digits in
                              (("first", 0), ("busiest", 0), ("all", 0), ("first_kb", 1), ("all_kb", 0)))
            lines.append(f"| {row['members']} | {way} | {times} | {sent} |")
    return "\n".join(lines)


def line_fit(points):
    """The straight line a + b·x through them that is nearest; None for fewer than two."""
    if len({x for x, _ in points}) < 2:
        return None
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in points)
             / sum((x - mean_x) ** 2 for x, _ in points))
    return mean_y - slope * mean_x, slope


def memory_sentence(rows):
    said = []
    for watchers in (255, 4):
        chosen = [row for row in rows if row.get("watchers") == watchers and not row["simulated"]]
        fit = line_fit([(row["members"], row["rss"] * 1024) for row in chosen])
        own = line_fit([(row["members"], row["pss"] * 1024) for row in chosen])
        if fit:
            said.append(f"`{watchers}` {fit[0] / 1e6:.1f} MB and {fit[1] / 1e3:.0f} kB for each member (PSS, with "
                        f"what is shared with the others divided: {own[0] / 1e6:.1f} MB and {own[1] / 1e3:.0f} kB)")
    return "Memory of a node, as a line through these rows: " + "; ".join(said) + "." if said else ""


def text(found):
    rows = found["figures"]
    return "\n\n".join(part for part in (main_table(rows), memory_sentence(rows), first_table(rows),
                                         simulated_table(rows),
                                         large_table(found.get("large", [])),
                                         changes_table(found.get("changes", []))) if part)


def put_into_document(found):
    """Between the marks <!-- scale: NAME --> and <!-- /scale -->."""
    rows = found["figures"]
    parts = {"full": main_table(rows), "memory": memory_sentence(rows), "first": first_table(rows),
             "simulated": simulated_table(rows), "large": large_table(found.get("large", [])),
             "changes": changes_table(found.get("changes", []))}
    with open(DOCUMENT) as file:
        document = file.read()
    for name, part in parts.items():
        head, end = f"<!-- scale: {name} -->\n", "<!-- /scale -->"
        before, mark, rest = document.partition(head)
        if mark:
            document = before + head + part + "\n" + end + rest.split(end, 1)[1]
    with open(DOCUMENT, "w") as file:
        file.write(document)


# --- Curves ------------------------------------------------------------------------------------------


PANELS = {
    "scale-cost": [("bytes", "sent per member at rest, bytes/s"), ("cpu", "processor per member at rest, %"),
                   ("rss", "resident memory per member, KiB"), ("descriptors", "descriptors per member")],
    "scale-time": [("form", "start of all, until all agree, ms"), ("change", "a change, until all know, ms"),
                   ("kill", "kill -9, until all others know, ms"),
                   ("lost", "host lost, until all others know, ms")],
}
# Title, colour, dash, which rows, and under which name they have the figure.
CURVES = [
    ("watchers 255", "#0b62a4", 1, lambda row: row.get("watchers") == 255 and row["guard"] == "none"),
    ("watchers 4", "#15803d", 1, lambda row: row.get("watchers") == 4
     and row["guard"] == "none" and not row["simulated"]),
    ("4, guard majority", "#7c3aed", 2, lambda row: row.get("watchers") == 4
     and row["guard"] == "majority"),
    ("4, simulated", "#15803d", 3, lambda row: row["simulated"]),
    ("serf", "#c2410c", 1, lambda row: row["system"] == "serf"),
    ("memberlist", "#a16207", 1, lambda row: row["system"] == "memberlist"),
]


def points(rows, name, chosen):
    return [(row["members"], row[name]) for row in rows if chosen(row) and row.get(name)]


def panel(rows, name, caption):
    curves = [(*curve[:3], points(rows, name, curve[3])) for curve in CURVES]
    if name == "cpu":
        for plan, dash in ((255, 4), (4, 5)):
            curves.append((f"bare program, {plan}", "#555555", dash, points(
                rows, "bare", lambda row: row.get("watchers") == plan and row["guard"] == "none")))
    curves = [curve for curve in curves if curve[3]]
    if not curves:
        return ""
    data = "".join(f"${name}{i} << EOD\n" + "".join(f"{x} {y}\n" for x, y in curve[3]) + "EOD\n"
                   for i, curve in enumerate(curves))
    plots = ", ".join(f"${name}{i} with linespoints lc rgb '{colour}' dt {dash} lw 1.6 pt 7 ps 0.4 "
                      f"title '{label}'" for i, (label, colour, dash, _) in enumerate(curves))
    return f"{data}set title '{caption}' font ',11'\nplot {plots}\n"


def draw(folder, rows):
    counts = sorted({row["members"] for row in rows})
    ticks = ", ".join(f"'{count}' {count}" for count in counts)
    for file, panels in PANELS.items():
        script = (f"set terminal svg size 860,640 dynamic background rgb 'white' font 'sans-serif,10'\n"
                  f"set output '{os.path.join(folder, file)}.svg'\n"
                  f"set logscale xy\nset xtics ({ticks})\nset grid lc rgb '#dddddd'\n"
                  "set key outside bottom center maxrows 3 samplen 2\nset border 3\nset tics nomirror\n"
                  f"set xrange [{counts[0] * 0.85}:{counts[-1] * 1.15}]\nset format y '%g'\n"
                  "set multiplot layout 2,2\n"
                  + "".join(panel(rows, name, caption) for name, caption in panels)
                  + "unset multiplot\n")
        subprocess.run(["gnuplot"], input=script, text=True, check=True)
