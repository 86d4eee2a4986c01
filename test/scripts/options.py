#!/usr/bin/python3
"""Whether --help, the manual and the completions agree about the options of each program and of each verb.

    test/scripts/options.py BUILD

What --help lists the manual describes, and the manual names no other: doyen(1) in the part of the verb. The
completions ask --help for the options; the words that an option takes, and which take files, they know by themselves.
No line of --help ends in blanks.
"""

import os
import re
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PROGRAMS = ("doyend", "doyen-witness", "doyen-replay", "doyen-lab")
ANYWHERE = {"control", "url", "expect-user", "json", "help"}  # described once in doyen(1)
ANOTHERS = {"doyend": {"ready"}, "doyen-witness": {"cluster", "guard", "witness"}, "doyen-replay": {"record"}}


def help_of(build, *words, form="rmargin=2000"):
    return subprocess.run([os.path.join(build, words[0]), *words[1:], "--help"], capture_output=True, text=True,
                          check=True, env={**os.environ, "ARGP_HELP_FMT": form}).stdout


def has_blanks(build, *words):
    """Does a line end in blanks? argp writes such a one below a text that just fits the width."""
    return re.search(r" $", help_of(build, *words, form=""), re.M) is not None


def options_of(text):
    """Each option that a --help lists, and what its value is called, or None."""
    return dict(re.findall(r"^ +(?:-\w, )?--([a-z][a-z-]*)(?:=(\S+))?", text, re.M))


def manual(name):
    """The text of a page without the words of the formatter, and each option as --NAME."""
    with open(os.path.join(TOP, "docs", "man", name), encoding="utf-8") as file:
        text = re.sub(r"\\f.|\\&|\"|^\.[BI]\w* ", "", file.read().replace("\\-", "-"), flags=re.M)
    return re.sub(r"(Fl|[,|]) (?=-[a-z][a-z])", "-", text)  # mdoc: "Fl h , -help"


def named(text):
    return set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", text))


def of_verbs(text, verbs):
    """The parts of doyen(1), by verb."""
    parts = dict.fromkeys(verbs, "")
    for part in re.split(r"\n\.TP\n|\n\.SH", text):
        verb = part.split()[0] if part.split() else ""
        if verb in parts:
            parts[verb] += part
    return parts


def compare(what, listed, described, faults):
    faults += [f"{what}: --help lists --{name}, and the manual does not" for name in sorted(listed - described)]
    faults += [f"{what}: the manual has --{name}, and --help does not" for name in sorted(described - listed)]


def completed(shell):
    with open(os.path.join(TOP, "packaging", "completions", f"doyen.{shell}"), encoding="utf-8") as file:
        return file.read()


def values_of(text):
    """The words behind an option, and the options that take files, in bash's or zsh's completion."""
    words = {name: found.split() for name, found in
             re.findall(r"^ *--([a-z-]+)\) (?:words='|compadd )([a-z -]+?)(?:'| &&)", text, re.M)}
    files = re.search(r"-c \| --control \| --config.*?\)", text)
    return words, named(files.group()) if files else set()


def main():
    build = os.path.abspath(sys.argv[1])
    faults = []
    top = help_of(build, "doyen")
    verbs = re.findall(r"^  ([a-z][a-z-]*)  +", top, re.M)
    parts = of_verbs(manual("doyen.1"), verbs)
    options = {}
    faults += [f"{' '.join(words)}: a line of --help ends in blanks: say it in other words" for words in
               [(program,) for program in PROGRAMS] + [("doyen", verb) for verb in verbs] if has_blanks(build, *words)]
    for verb in verbs:
        listed = options_of(help_of(build, "doyen", verb))
        options.update(listed)
        if not parts[verb]:
            faults.append(f"doyen {verb}: the manual has no part of it")
        missing = set(listed) - ANYWHERE - named(parts[verb])
        faults += [f"doyen {verb}: --help lists --{name}, and the manual does not" for name in sorted(missing)]
        head = named(parts[verb].split("\n")[0]) - set(listed)
        faults += [f"doyen {verb}: the manual has --{name}, and --help does not" for name in sorted(head)]
    everywhere = set().union(*map(named, [top, *map(lambda verb: help_of(build, "doyen", verb), verbs)]))
    unknown = named(manual("doyen.1")) - everywhere - {name for program in PROGRAMS for name in
                                                       options_of(help_of(build, program))} - {"unbuffered"}  # jq's
    faults += [f"doyen(1) has --{name}, which no --help does" for name in sorted(unknown)]
    for program in PROGRAMS:
        listed = options_of(help_of(build, program))
        options.update(listed)
        page = program + (".8" if os.path.exists(os.path.join(TOP, "docs", "man", program + ".8")) else ".1")
        compare(program, set(listed), named(manual(page)) - ANOTHERS.get(program, set()), faults)
    paths = {name for name, value in options.items() if value in ("FILE", "DIR", "PATH")}
    for shell in ("bash", "zsh"):
        words, files = values_of(completed(shell))
        compare(f"files in {shell}", paths, files, faults)
        for name, value in options.items():
            choice = [word for word in (value or "").split("|") if word.islower()]
            if "|" in (value or "") and choice != words.get(name, [])[:len(choice)]:
                faults.append(f"{shell}: --{name} is completed by {words.get(name)}, and --help has {choice}")
        if words != values_of(completed("bash"))[0]:
            faults.append(f"{shell}: other words than bash completes")
    print("\n".join(faults + [f"{len(verbs)} verbs and {len(options)} options, {len(faults)} differences"]))
    sys.exit(1 if faults else 0)


main()
