"""Which daemon to ask, and whether it is the one that it should be. Follows the command `doyen`."""

from __future__ import annotations

import errno
import os
import pwd
import socket
import stat
import struct
from typing import Optional, Union

from . import given
from .errors import REFUSED, TIMED_OUT, UNREACHABLE, USAGE, Error

SYSTEM_DIRECTORY = "/run/doyen"
PATH_BYTES_MAX = 107
_REMEDY = "give its socket with control=... or DOYEN_CONTROL"


def _list(directory: str) -> list[str]:
    return sorted(
        os.path.join(directory, name)
        for name in os.listdir(directory)
        if name.endswith(".sock") and name != ".sock"
    )


def find(control: Optional[str]) -> str:
    """The path of the control socket: the one given, else DOYEN_CONTROL, else the only one there is."""
    given.optional(given.path, "control", control)
    told_by = "control"
    if control is None:
        told_by = "DOYEN_CONTROL"
        control = os.environ.get("DOYEN_CONTROL")
    if control == "":
        raise Error(USAGE, "DOYEN_CONTROL is empty: say which daemon is meant, or unset it")
    path = control or _search()
    if len(os.fsencode(path)) > PATH_BYTES_MAX:
        raise given.wrong(
            told_by,
            path,
            f"it is longer than the {PATH_BYTES_MAX} bytes that a Unix socket allows; use a shorter"
            " path, or one relative to its directory",
        )
    return path


def _search() -> str:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    directories = [os.path.join(runtime, "doyen")] if runtime else []
    directories.append(SYSTEM_DIRECTORY)
    found: list[str] = []
    closed = None
    for directory in directories:
        try:
            found += _list(directory)
        except PermissionError:
            closed = directory
        except OSError:
            pass
    if len(found) > 1:
        among = ", ".join(found)
        raise Error(
            USAGE, f"several daemons run here: choose one with control=... or DOYEN_CONTROL among {among}"
        )
    if found:
        return found[0]
    if closed:
        raise Error(
            UNREACHABLE,
            f"{closed} may not be read by this account: use the account that doyend runs as, or have"
            " doyend started with --control-group and a group that this account is in",
        )
    searched = " or ".join(directories)
    raise Error(UNREACHABLE, f"no control socket in {searched}: is doyend running? {_REMEDY}")


def account(user: Union[str, int, None]) -> Optional[int]:
    """The number of the account that doyend is expected to have, besides one's own and root's."""
    given.optional(given.account, "expect_user", user)
    named = os.environ.get("DOYEN_EXPECT_USER") if user is None else str(user)
    if named is None:
        return None
    if not named:
        raise Error(USAGE, "DOYEN_EXPECT_USER is empty: say which account the daemon runs as, or unset it")
    try:
        return pwd.getpwnam(named).pw_uid
    except KeyError:
        if named.isascii() and named.isdigit() and len(named) <= 10 and int(named) < 2**32 - 1:
            return int(named)
    raise given.wrong(
        "DOYEN_EXPECT_USER" if user is None else "expect_user",
        named,
        "there is no such account; give the one that doyend runs as, by its name or number",
    )


def _is_of_system_directory(path: str, owner: int) -> bool:
    """Is the socket in the directory that root gave to this account?"""
    try:
        here = os.stat(os.path.dirname(path))
        system = os.stat(SYSTEM_DIRECTORY)
    except OSError:
        return False
    return os.path.samestat(here, system) and system.st_uid == owner


def check(connection: socket.socket, path: str, expected: Optional[int]) -> None:
    """Refuses a daemon of a foreign account. To be called before anything is sent."""
    size = struct.calcsize("3i")
    answer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    uid = struct.unpack("iII", answer)[1]
    if uid in (0, os.geteuid(), expected) or _is_of_system_directory(path, uid):
        return
    try:
        named = f"{pwd.getpwuid(uid).pw_name} ({uid})"
    except KeyError:
        named = str(uid)
    raise Error(
        REFUSED,
        f"the process at {path} belongs to the account {named}, neither to this one nor to root: it"
        f" is not asked; if doyend runs as that account, say so with expect_user={uid}",
    )


def unreachable(path: str, error: OSError) -> Error:
    """What the system's error says about a socket, and what to do about it."""
    if isinstance(error, TimeoutError):
        return Error(TIMED_OUT, f"the daemon at {path} does not answer: it may be stopped or overloaded")
    if error.errno == errno.EAGAIN:
        return Error(TIMED_OUT, f"the daemon at {path} lets its queue fill up: it may be stopped")
    if error.errno == errno.ENOENT:
        hint = f"no such socket; is doyend running? {_REMEDY}"
    elif error.errno in (errno.EACCES, errno.EPERM):
        hint = (
            "permission denied; use the account that doyend runs as, or have doyend started with"
            " --control-group and a group that this account is in"
        )
    elif error.errno == errno.ECONNREFUSED:
        hint = f"nobody listens there; is doyend running? {_REMEDY}"
        if not _is_socket(path):
            hint = f"it is no socket; {_REMEDY}"
    else:
        return Error(UNREACHABLE, f"the daemon at {path} went away ({error.strerror or error})")
    return Error(UNREACHABLE, f"cannot reach the daemon at {path}: {hint}")


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return True
