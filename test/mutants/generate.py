"""Mutants that nobody wrote: conditions negated and calls dropped where the core cites a clause.

A line cites one with a comment at its end or before it, a function with the comment above it. The
file `equivalent` lists those that no test can notice, and why; they are left out."""

import re

CITES = re.compile(r"\b[AIVFJUDRCLEMGZKB]\d{1,2}[a-z]?\b")
# The suites of the core and what it is made of, then its stories; the quickest first.
KILLERS = ["unit @(core*|voter*|view|ring|quorum|timing|book|agreed|strangers|replay)/*", "sim *"]
NO_CALLS = {"if", "for", "while", "switch", "return", "sizeof", "assert", "REACHED", "refuse"}
OPENING, CLOSING = "([{", ")]}"


def cited_spans(text, begin, end, body):
    """The parts of one function that cite a clause; it begins with the comment above it."""
    if CITES.search(text, begin, body):
        return [(body, end)]
    spans = []
    for comment in re.compile(r"/\*.*?\*/", re.S).finditer(text, body, end):
        if CITES.search(comment.group()):
            first = text.rfind("\n", 0, comment.start()) + 1
            if text[first:comment.start()].strip():
                spans.append((first, comment.start()))
            else:
                code = re.compile(r"\S").search(text, comment.end()).start()
                spans.append((code, text.find("\n", code)))
    return spans


def match(found, at):
    """The token that closes what opens at one."""
    depth = 0
    for i in range(at, len(found)):
        depth += (found[i][0] in OPENING) - (found[i][0] in CLOSING)
        if depth == 0:
            return i
    return len(found) - 1


def operands(found, first, last):
    """What && and || join between two tokens, as ranges of tokens; none where ? chooses."""
    ranges, depth, start = [], 0, first
    for i in range(first, last):
        token = found[i][0]
        depth += (token in OPENING) - (token in CLOSING)
        if depth == 0 and token == "?":
            return []
        if depth == 0 and token in ("&&", "||"):
            ranges.append((start, i))
            start = i + 1
    return ranges + [(start, last)]


def changes(found):
    """Ranges of tokens of a function, and what each is replaced by."""
    for i, (token, _, _) in enumerate(found):
        following = found[i + 1][0] if i + 1 < len(found) else ""
        if token == "if" and following == "(":
            yield from ((a, b, "!") for a, b in operands(found, i + 2, match(found, i + 1)))
        elif token in ("return", "="):
            end = next(k for k in range(i, len(found)) if found[k][0] == ";" or k + 1 == len(found))
            ranges = operands(found, i + 1, end)
            yield from ((a, b, "!") for a, b in ranges if len(ranges) > 1)
        elif following == "(" and re.match("[a-z]", token) and token not in NO_CALLS and i > 0 \
                and found[i - 1][0] in (";", "{", "}"):
            end = match(found, i + 1)
            if end + 1 < len(found) and found[end + 1][0] == ";":
                yield i, end + 2, ";"


def unique(found, first, last):
    """So much of what follows a range of tokens that it is there once; the range's new end."""
    names = [token for token, _, _ in found]
    for end in range(last, min(last + 40, len(names)) + 1):
        count = sum(names[i:i + end - first] == names[first:end]
                    for i in range(len(names) - (end - first) + 1))
        if count == 1:
            return end
    return None


def generate(root, tokens, functions):
    """Place, FROM and TO of each, in the order of the files."""
    for path in sorted((root / "src/core").rglob("*.c")):
        text = path.read_text()
        names = [name for name, _, _ in functions(text)]
        for name, begin, end in functions(text):
            body = text.index("\n{", begin) + 1
            spans = cited_spans(text, begin, end, body)
            if names.count(name) > 1 or not spans:
                continue
            there = [token for token in tokens(text) if begin <= token[1] and token[2] <= end]
            for first, last, how in changes(there):
                if not any(a <= there[first][1] < b for a, b in spans):
                    continue
                wide = unique(there, first, last)
                if wide is None:
                    continue
                old = text[there[first][1]:there[last - 1][2]]
                rest = text[there[last - 1][2]:there[wide - 1][2]]
                yield (f"{path.relative_to(root / 'src')}:{name}", one_line(old + rest),
                       one_line((f"!({old})" if how == "!" else how) + rest))


def one_line(code):
    return " ".join(re.sub(r"/\*.*?\*/", " ", code, flags=re.S).split())
