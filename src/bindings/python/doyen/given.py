"""Whether what a caller gives is what is wanted: looked at in here alone, before anything is sent."""

from __future__ import annotations

import math
import os
import re
import sys
from typing import Any, Mapping, Optional

from .errors import USAGE, Error

_SHOWN_MAX = 80
_MEMBER = re.compile(r"[A-Za-z0-9._-]{1,63}")
_TOKEN = re.compile(r"[\x20-\x7e]{1,63}")
_TAG = re.compile(r"[^=\s]+(=.*)?", re.DOTALL)


def wrong(name: str, value: object, wanted: str) -> Error:
    """What is wrong with an argument."""
    try:
        shown = repr(value)
    except Exception:  # Of whatever class: of a number with too many digits, for one.
        shown = f"a {type(value).__name__}"
    shown = shown if len(shown) <= _SHOWN_MAX else shown[: _SHOWN_MAX - 3] + "..."
    return Error(USAGE, f"{name} is {shown}: {wanted}")


def _is_text(value: object) -> bool:
    """Half of a surrogate pair, which a str may have, is none."""
    return isinstance(value, str) and value == value.encode("utf-8", "ignore").decode()


def _is_number(value: object, most: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most


def text(name: str, value: object, wanted: str = "give a text") -> None:
    """Any text."""
    if not _is_text(value):
        raise wrong(name, value, wanted)


def named(name: str, value: object) -> None:
    """What somebody or something is called; the daemon knows whether there is such a one."""
    if not (_is_text(value) and value):
        raise wrong(name, value, "give a name")


def path(name: str, value: object) -> None:
    """Where a file is."""
    if not (isinstance(value, str) and value and "\0" not in value and _is_path(value)):
        raise wrong(name, value, "give the path of the daemon's socket, or leave it out")


def _is_path(value: str) -> bool:
    try:
        return bool(os.fsencode(value))
    except UnicodeError:
        return False


def account(name: str, value: object) -> None:
    """What an account is called, or its number."""
    is_name = _is_text(value) and value and "\0" not in str(value)
    if not (is_name or isinstance(value, int) and _is_number(value, 2**32 - 2)):
        raise wrong(name, value, "give the account that doyend runs as, by its name or number")


def member(name: str, value: object) -> None:
    """What a member can be called."""
    if not (isinstance(value, str) and _MEMBER.fullmatch(value)):
        raise wrong(name, value, "give the name of a member")


def tag(name: str, value: object) -> None:
    """What a member can have."""
    if not (_is_text(value) and _TAG.fullmatch(str(value))):
        raise wrong(name, value, "give KEY or KEY=VALUE, and no blank in the key")


def no_token(name: str, value: object) -> Error:
    """What is wrong with what is no token, or none that the daemon knows."""
    return wrong(name, value, "give the token that an earlier event has as its resume")


def token(name: str, value: object) -> None:
    """Where a watch goes on."""
    if not (isinstance(value, str) and _TOKEN.fullmatch(value)):
        raise no_token(name, value)


def word(name: str, value: object, *known: str) -> None:
    """One of those that are known."""
    if not (isinstance(value, str) and value in known):
        raise wrong(name, value, f"give {', '.join(known[:-1])} or {known[-1]}")


def flag(name: str, value: object) -> None:
    """Yes or no."""
    if not isinstance(value, bool):
        raise wrong(name, value, "give True or False")


def whole(name: str, value: object, least: int, most: int, of: str = "") -> None:
    """A number of things."""
    if not (_is_number(value, most) and isinstance(value, int) and value >= least):
        raise wrong(name, value, f"give a number{of}, {least} to {most}")


def seconds(name: str, value: object, most: Optional[float] = None) -> None:
    """How long something lasts."""
    if not _is_number(value, sys.float_info.max if most is None else most):
        raise wrong(name, value, f"give seconds, 0 {'or more' if most is None else f'to {most:g}'}")


def timeout(name: str, value: object) -> None:
    """How long this process is to wait: for ever, too, if that is what is said."""
    if not (_is_number(value, sys.float_info.max) or value == math.inf):
        raise wrong(name, value, "give the time in seconds within which it has to be done")


def function(name: str, value: object) -> None:
    """What can be called."""
    if not callable(value):
        raise wrong(name, value, "give a function that takes no argument")


def socket(name: str, value: object) -> None:
    """What can be waited on."""
    if not (hasattr(value, "fileno") or _is_number(value, math.inf) and isinstance(value, int)):
        raise wrong(name, value, "give a socket")


def tags(name: str, value: object) -> None:
    """Tags that change, and those that go."""
    if not isinstance(value, Mapping):
        raise wrong(name, value, 'give a dict of tags, as in {"zone": "a"}')
    for key, told in value.items():
        if not (_is_text(key) and (told is None or _is_text(told))):
            raise wrong(f"{name}[{key!r}]", told, "give texts, or None for a tag that goes")


def optional(check: Any, name: str, value: object, *more: Any) -> None:
    """The same of what may be left out."""
    if value is not None:
        check(name, value, *more)


def apart(one: str, value: Optional[str], other: str, told: Optional[str], wanted: str) -> None:
    """Two that cannot be the same."""
    if value is not None and value == told:
        raise Error(USAGE, f"{one} and {other} are {value!r}, which {wanted}: leave one of them out")
