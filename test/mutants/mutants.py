"""Changes of the code that tests have to notice; scripts/mutants says how to run it.

A mutant replaces one fragment of one file. It is made in a copy of the tree, which is built and
asked the tests that are said to kill it; afterwards the copy is as before."""

import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import generate

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "test/mutants/table"
EQUIVALENT = ROOT / "test/mutants/equivalent"
FOLDER = ROOT / "build/mutants"
PARTS = ["src", "proto", "include", "test", "CMakeLists.txt", "scripts", "docs", "packaging"]
ROWS_MAX = 200
TEST_S = 120  # What takes longer with a mutant does not end, and is killed by that.
SUITE_S = 300  # And so long for a whole suite.

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\w+|->|\+\+|--"""
                   r"""|<<=|>>=|[-+*/%&|^<>=!]=|&&|\|\||<<|>>|\S""", re.S)


class Fault(Exception):
    """What is wrong with a mutant, or with the code that it is for."""


# --- Code -----------------------------------------------------------------------------------------

def tokens(text):
    """The tokens of C, each with where it begins and ends; comments are none."""
    return [(m.group(), m.start(), m.end()) for m in TOKEN.finditer(text)
            if not m.group().startswith(("//", "/*"))]


def functions(text):
    """Name, begin and end of each function whose body has its braces in the first column."""
    found = []
    for body in re.finditer(r"^\{$.*?^\}", text, re.M | re.S):
        head = text.rfind("\n\n", 0, body.start()) + 1
        name = re.search(r"(\w+)\((?!.*\n\n)", re.sub(r"/\*.*?\*/", lambda m: " " * len(m.group()),
                                                     text[head:body.start()], flags=re.S), re.S)
        if name:
            found.append((name.group(1), head, body.end()))
    return found


def find_file(place):
    """A file is named by as much of the end of its path as tells it from others."""
    found = [path for top in ("src", "proto") for path in (ROOT / top).rglob("*.[ch]")
             if str(path).endswith("/" + place)]
    if len(found) != 1:
        raise Fault(f"{len(found)} files are called {place}")
    return found[0].relative_to(ROOT)


def find_fragment(text, begin, end, fragment):
    """The places between begin and end whose tokens are those of the fragment."""
    wanted = [token for token, _, _ in tokens(fragment)]
    there = [token for token in tokens(text) if begin <= token[1] and token[2] <= end]
    return [(there[i][1], there[i + len(wanted) - 1][2])
            for i in range(len(there) - len(wanted) + 1)
            if all(there[i + k][0] == wanted[k] for k in range(len(wanted)))]


# --- The table ------------------------------------------------------------------------------------

class Mutant:
    """One row: NAME | FILE:FUNCTION | KILLER; KILLER, and below it FROM -> TO."""

    def __init__(self, name, place, killers, old, new):
        self.name = name
        self.rule = re.match(r"(partition-|election-)?[A-Z]\d+[a-z]?", name)
        self.rule = self.rule.group() if self.rule else ""
        self.place = place
        self.killers = killers
        self.old = old
        self.new = new

    def locate(self):
        """The file, and its text with the mutant."""
        name, _, function = self.place.partition(":")
        path = find_file(name)
        text = (ROOT / path).read_text()
        spans = [(0, len(text))]
        if function:
            spans = [(begin, end) for name, begin, end in functions(text) if name == function]
            if len(spans) != 1:
                raise Fault(f"{len(spans)} functions of {path} are called {function}")
        places = find_fragment(text, *spans[0], self.old)
        if len(places) != 1:
            raise Fault(f"fits {len(places)} places of {self.place}")
        begin, end = places[0]
        return path, text[:begin] + self.new + text[end:]


def read_table(path):
    rows = []
    head = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            head = [part.strip() for part in line.split(" | ")]
            if len(head) != 3:
                raise Fault(f"{path.name}:{number}: wants NAME | FILE:FUNCTION | KILLER")
            continue
        old, arrow, new = (line + " ").partition(" -> ")
        if head is None or not arrow or not old.strip():
            raise Fault(f"{path.name}:{number}: wants FROM -> TO below a row")
        rows.append(Mutant(head[0], head[1], head[2].split("; "), old.strip(), new.strip()))
        head = None
    return rows


def check(rows):
    """What is wrong with the table, a line each."""
    faults = [f"{len(rows)} rows; the table holds {ROWS_MAX} at most"] if len(rows) > ROWS_MAX else []
    names = [row.name for row in rows]
    faults += [f"{name}: there are two of that name" for name in sorted(set(names))
               if names.count(name) > 1]
    for row in rows:
        try:
            if not row.rule:
                raise Fault("its name begins with no clause")
            row.locate()
        except Fault as fault:
            faults.append(f"{row.name}: {fault}")
    return faults


def check_equivalent():
    faults = []
    for row in read_table(EQUIVALENT):
        try:
            row.locate()
        except Fault as fault:
            faults.append(f"equivalent: {row.place}: {row.old}: {fault}")
    return faults


# --- Copies of the tree ---------------------------------------------------------------------------

running = set()  # Programs under way, each in a session of its own.


def stop(signum, _):
    for pid in running.copy():
        try:
            os.killpg(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    os._exit(128 + signum)


class Tree:
    """A copy of the tree, in which mutants are made, one after the other."""

    def __init__(self, job, processes):
        self.path = FOLDER / str(job)
        self.processes = processes

    def copy(self):
        """Makes it like this tree. What is alike already stays, so that a build does what is new."""
        self.path.mkdir(parents=True, exist_ok=True)
        for part in PARTS:
            here, there = ROOT / part, self.path / part
            files = [here] if here.is_file() else [f for f in here.rglob("*") if f.is_file()]
            for file in files:
                copied = self.path / file.relative_to(ROOT)
                copied.parent.mkdir(parents=True, exist_ok=True)
                if not copied.exists() or copied.read_bytes() != file.read_bytes():
                    shutil.copyfile(file, copied)
                    shutil.copymode(file, copied)
            for copied in there.rglob("*") if there.is_dir() else []:
                if copied.is_file() and not (ROOT / copied.relative_to(self.path)).exists():
                    copied.unlink()

    def run(self, log, *command, timeout=None):
        """Whether the command ends with 0; what it says goes to a log."""
        with open(self.path / log, "wb") as out:
            child = subprocess.Popen(command, cwd=self.path, stdout=out, stderr=subprocess.STDOUT,
                                     stdin=subprocess.DEVNULL, start_new_session=True)
            running.add(child.pid)
            try:
                return child.wait(timeout) == 0
            except subprocess.TimeoutExpired:
                return False
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)  # A test that hangs has children, too.
                except ProcessLookupError:
                    pass
                child.wait()
                running.discard(child.pid)

    def said(self, log, pattern):
        """What of a log fits a pattern first; nothing if there is no log, as of a run that hung."""
        path = self.path / log
        found = re.search(pattern, path.read_text(errors="replace")) if path.exists() else None
        return found.group() if found else ""

    def build(self, programs):
        if not (self.path / "build/build.ninja").exists() and not self.run(
                "configure.log", "cmake", "-S", ".", "-B", "build", "-G", "Ninja",
                "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O0"):
            return False
        return self.run("build.log", "cmake", "--build", "build", "-j", str(self.processes),
                        "--target", *programs)

    def passes(self, killer, *options, timeout=TEST_S):
        """Whether unit SUITE/NAME, sim SUITE/NAME or swarm FROM..TO passes; None without a test."""
        kind, *words = killer.split()
        program = f"build/doyen_{kind}"
        if kind == "swarm":
            return self.run("test.log", program, "--no-shrink", "--stop", "--jobs",
                            str(self.processes), "--seeds", *words, timeout=timeout)
        tap = self.path / "test.tap"
        tap.unlink(missing_ok=True)
        passed = self.run("test.log", program, f"--tap={tap}", "--jobs", str(self.processes),
                          "--filter", words[0], *options, timeout=timeout)
        report = tap.read_text(errors="replace") if tap.exists() else ""
        if not passed or re.search("^not ok", report, re.M):
            return False
        # Criterion ends with 0 when nothing matches, so the report is what counts.
        return True if re.search("^ok - [^#]*$", report, re.M) else None

    def judge(self, mutant, killed_by):
        """What became of a mutant; killed_by(tree) says it of one that is built."""
        try:
            path, text = mutant.locate()
        except Fault as fault:
            return f"MISPLACED {fault}"
        try:
            (self.path / path).write_text(text)
            if not self.build(programs(mutant.killers)):
                error = self.said("build.log", ".*error:.*")
                return f"DOES NOT COMPILE: {error or 'see build.log'}"
            return killed_by(self)
        finally:
            shutil.copyfile(ROOT / path, self.path / path)


def programs(killers):
    return sorted({"doyen_" + killer.split()[0] for killer in killers})


# --- Many of them ---------------------------------------------------------------------------------

def grow_trees(mutants, jobs):
    """So many copies of the tree, with the programs that these mutants need; or none."""
    needed = programs([killer for mutant in mutants for killer in mutant.killers])
    trees = [Tree(job, (os.cpu_count() + jobs - 1) // jobs) for job in range(1, jobs + 1)]
    for tree in trees:
        tree.copy()
        if not tree.build(needed):
            print(f"the tree does not build without a mutant, see {tree.path}/build.log")
            return None
    return trees


def run_all(mutants, jobs, killed_by, before=lambda tree: []):
    """Judges each mutant in one of the trees, and prints what became of it. before(tree) is asked
    of the first tree, which is as the code is, for what makes the rest worthless."""
    trees = grow_trees(mutants, jobs)
    if trees is None:
        return None
    unsound = before(trees[0])
    width = min(60, max(len(mutant.name) for mutant in mutants))
    lock = threading.Lock()
    outcomes = {}

    def work(mutant):
        with lock:
            tree = trees.pop()
        outcome = tree.judge(mutant, lambda tree: killed_by(tree, mutant))
        with lock:
            trees.append(tree)
            outcomes[mutant.name] = outcome
            print(f"{mutant.name:{width}} {outcome}", flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(work, mutants))
    for line in unsound:
        print(line)
    killed = sum(outcome.startswith("killed") for outcome in outcomes.values())
    survived = sum(outcome.startswith("SURVIVED") for outcome in outcomes.values())
    print(f"{len(mutants)} mutants, {killed} killed, {survived} survived, "
          f"{len(mutants) - killed - survived} misplaced or not compiled")
    return None if unsound else outcomes


def killed_by_all(tree, mutant):
    spared = [killer for killer in mutant.killers if tree.passes(killer) is not False]
    return "SURVIVED " + "; ".join(spared) if spared else "killed by " + "; ".join(mutant.killers)


def killed_by_first(tree, mutant):
    """One killer is enough; each is a whole suite, which ends with the first test that fails."""
    for killer in mutant.killers:
        if tree.passes(killer, "--fail-fast", "--timeout=60", timeout=SUITE_S) is False:
            return f"killed by {tree.said('test.tap', '(?<=not ok - ).*?(?= )') or killer}"
    return "SURVIVED"


def unsound_killers(rows):
    def look(tree):
        lines = []
        for killer in sorted({killer for row in rows for killer in row.killers}):
            passed = tree.passes(killer)
            if not passed:
                lines.append(f"{killer}: " + ("there is no such test" if passed is None else
                                              "fails without a mutant"))
        return lines
    return look


def key(mutant):
    """Two are the same when they change the same code in the same way."""
    return (mutant.place.split("/")[-1], tuple(t for t, _, _ in tokens(mutant.old)),
            tuple(t for t, _, _ in tokens(mutant.new)))


def generated():
    listed = {key(row) for row in read_table(EQUIVALENT)}
    mutants = [Mutant(f"{place}: {old} -> {new}", place, generate.KILLERS, old, new)
               for place, old, new in generate.generate(ROOT, tokens, functions)]
    return [mutant for mutant in mutants if key(mutant) not in listed]


def run_generated(mutants, jobs):
    """A survivor is no failure: whoever changed something else may be the one who draws it."""
    outcomes = run_all(mutants, jobs, killed_by_first)
    survivors = [m for m in mutants if outcomes and outcomes[m.name] == "SURVIVED"]
    if survivors:
        print("\nTo be killed by a test, or listed in test/mutants/equivalent with the reason:")
    for mutant in survivors:
        print(f"{mutant.place}\n    {mutant.old} -> {mutant.new}")
    return 0 if outcomes else 1


def chosen(rows, names, sample, seed):
    if names:
        rows = [row for row in rows if any(name in row.name for name in names)]
    if sample and sample < len(rows):
        rows = random.Random(seed).sample(rows, sample)
        print(f"a sample of {sample} by seed {seed}")
    return rows


def positive(text):
    if not re.fullmatch("[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"wants a number above 0, not '{text}'")
    return int(text)


def main():
    parser = argparse.ArgumentParser(prog="scripts/mutants", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="those alone whose name contains NAME; C2c is every one of C2c")
    parser.add_argument("--sample", type=positive, metavar="N", help="N of them, drawn by chance")
    parser.add_argument("--seed", type=positive, metavar="S", default=random.randint(1, 32768),
                        help="the same N as the run that printed that seed")
    parser.add_argument("--jobs", type=positive, metavar="N", default=os.cpu_count(),
                        help="so many at a time (default: one for each processor)")
    parser.add_argument("--generate", action="store_true",
                        help="those that nobody wrote, in place of the table's; NAME is part of "
                        "FILE:FUNCTION or of the code; survivors are printed, and no failure")
    parser.add_argument("--prepare", action="store_true",
                        help="only builds what they need, for a run that comes later")
    parser.add_argument("--list", action="store_true", help="the rows, without running them")
    parser.add_argument("--check", "--clauses", action="store_true",
                        help="whether each row fits one place of the code; runs nothing")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        rows = chosen(generated() if asked.generate else read_table(TABLE), asked.names, asked.sample, asked.seed)
    except Fault as fault:
        sys.exit(f"mutants: {fault}")
    if not rows:
        sys.exit("mutants: no mutant is called so; see --list")
    if asked.list:
        for row in rows:
            print(row.name if asked.generate else
                  f"{row.name} | {row.place} | {'; '.join(row.killers)}")
        return 0
    if asked.check:
        faults = check(rows) + check_equivalent()
        print("\n".join(faults) if faults else f"{len(rows)} mutants, each fits one place")
        return 1 if faults else 0
    if asked.prepare:
        return 0 if grow_trees(rows, asked.jobs) else 1
    if asked.generate:
        return run_generated(rows, asked.jobs)
    outcomes = run_all(rows, asked.jobs, killed_by_all, unsound_killers(rows))
    return 0 if outcomes and all(o.startswith("killed") for o in outcomes.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
