"""May this node act now? Answered from a page of memory that doyend lends.

include/doyen/lease.h says what may be relied on, and proto/control.md what the page looks like.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import select
import socket
import struct
import threading
import time
from typing import Callable, NamedTuple, Optional

from . import given
from .errors import REFUSED, USAGE, Error, LeadLost

REQUEST = (
    b"GET /v1/lease HTTP/1.1\r\nHost: doyen\r\nConnection: Upgrade\r\nUpgrade: doyen-lease\r\n\r\n"
)

_MAGIC = 0x61654C6E65796F44
_LAYOUT = 2
_BYTES = 4096
_SEQUENCE = 2  # the word
_CONTENT = 3  # the first word of it
_WORDS = 18
_CLOCK = 39  # the first of its words
_LONGEST_NS = 7200 * 1_000_000_000  # no lease is longer
_TRIES = 1000
_ADVISORY = 1
_WITHDRAWN = 2

_STOP = b"w"
_STOPPED = b"s"

_NS = 1_000_000_000

GRACE_S_MAX = 600.0

ASK_AGAIN_S = 5.0  # a page that says nothing for so long is asked for anew: its daemon may be stopped


class Content(NamedTuple):
    """What the page says. Times are nanoseconds of CLOCK_BOOTTIME."""

    epoch: int
    deadline_ns: int
    span_ns: int
    renewal_ns: int
    advisory: bool
    withdrawn: bool
    node: str


class Right(NamedTuple):
    """The right to act as it was at one moment.

    What is acted on has to refuse an epoch below the highest that it has seen: no process can rule
    out that it is stopped between looking and acting.
    """

    epoch: int
    left_s: float  # from the moment of the question
    deadline_ns: int  # of CLOCK_BOOTTIME; the right ends before it unless it is renewed
    advisory: bool  # the guard cannot rule out that another node acts as well
    node: str


def now_ns() -> int:
    """The clock of the page, which goes on while the host sleeps."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def clock_words() -> tuple[int, int, int]:
    """Which clock is CLOCK_BOOTTIME here? The boot, and the time namespace, 0 where the kernel has none.
    Raises OSError and ValueError where /proc does not tell."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = int(file.read().replace("-", ""), 16)
    try:
        namespace = os.stat("/proc/self/ns/time").st_ino
    except FileNotFoundError:
        namespace = 0
    return boot >> 64, boot & 0xFFFF_FFFF_FFFF_FFFF, namespace


class Page:
    """The page, mapped for reading. It is one daemon's; when that dies, the deadline passes."""

    def __init__(self, fd: int, where: str) -> None:
        # A page that could shrink could take its reader with it (SIGBUS).
        try:
            fit = fcntl.fcntl(fd, fcntl.F_GET_SEALS) & fcntl.F_SEAL_SHRINK and os.fstat(fd).st_size >= _BYTES
            self._map = mmap.mmap(fd, _BYTES, mmap.MAP_SHARED, mmap.PROT_READ) if fit else None
        except OSError:
            self._map = None
        if self._map is None:
            raise _senseless(where)
        self._bytes = memoryview(self._map)
        self._words = self._bytes.cast("Q")
        self._barrier = threading.Lock()
        self._last: Optional[Content] = None
        if (self._words[0], self._words[1]) != (_MAGIC, _LAYOUT):
            self.close()
            raise _senseless(where)
        try:
            same = tuple(self._words[_CLOCK : _CLOCK + 3]) == clock_words()
        except (OSError, ValueError):
            same = False
        if not same:
            self.close()
            raise Error(
                REFUSED,
                f"the lease page of {where} is of another clock, by which this process cannot tell its"
                " end: run both in one time namespace of one host, with /proc",
            )

    def close(self) -> None:
        self._words.release()
        self._bytes.release()
        if self._map is not None:
            self._map.close()

    def read(self) -> Optional[Content]:
        """All of it, of one moment. There are two copies, of which one is whole at any time. When it
        was written anew during each of many tries, what was read before, which still holds: a right
        is never taken back before its deadline without a word on the connection."""
        for _ in range(_TRIES):
            with self._barrier:
                before = self._words[_SEQUENCE]
                self._order()
                whole = _CONTENT + before % 2 * _WORDS
                content = bytes(self._bytes[whole * 8 : (whole + _WORDS) * 8])
                self._order()
                if before == self._words[_SEQUENCE]:
                    self._last = _content_of(content)
                    break
        return self._last

    def _order(self) -> None:
        """Keeps reads before it from those behind it: a release followed by an acquire, and on x86
        an instruction with a lock prefix. Nothing is guarded by the lock itself."""
        self._barrier.release()
        self._barrier.acquire()

    def right(self) -> Optional[Right]:
        """The right to act, or None."""
        content = self.read()
        with self._barrier:
            self._order()  # The clock is read after the page.
        left_ns = 0 if content is None else content.deadline_ns - now_ns()
        if content is None or not 0 < left_ns <= _LONGEST_NS:
            return None
        return Right(content.epoch, left_ns / _NS, content.deadline_ns, content.advisory, content.node)


def _content_of(content: bytes) -> Content:
    epoch, deadline_ns, span_ns, renewal_ns, flags = struct.unpack_from("=5Q", content)
    node = content[64:128].split(b"\0")[0].decode("utf-8", "replace")
    advisory, withdrawn = bool(flags & _ADVISORY), bool(flags & _WITHDRAWN)
    return Content(epoch, deadline_ns, span_ns, renewal_ns, advisory, withdrawn, node)


def _senseless(where: str) -> Error:
    return Error(REFUSED, f"{where} lends no lease page that this module can read: is doyend of another version?")


def _refusal(head: bytes, where: str) -> Optional[Error]:
    """What an answer other than 101 means."""
    status = head[9:12]
    if head.startswith(b"HTTP/1.1 ") and status == b"101":
        return None
    if status == b"404":
        return Error(REFUSED, f"the doyend at {where} is too old: it lends no lease page")
    if status == b"503":
        return Error(
            REFUSED,
            f"the doyend at {where} lends no lease page now: it gives its right up, has as many"
            " readers as it allows, or its system has no sealed memory (Linux 5.1); try again",
            passing=True,
        )
    return Error(REFUSED, f"the answer of {where} makes no sense: is it doyend?")


class Link:
    """The connection on which the page came, and the page. It never blocks once it is complete."""

    def __init__(self, connection: socket.socket, where: str) -> None:
        self.connection = connection
        self.open = True
        self.page: Page
        self._where = where
        self._stop_asked = False
        self._guard = threading.Lock()
        self._since = time.monotonic()

    def is_to_be_renewed(self) -> bool:
        """Has the daemon said nothing for so long that it may be stopped, as nothing tells?"""
        return time.monotonic() - self._since >= ASK_AGAIN_S

    def take_page(self) -> bool:
        """Takes the page if it is there; to be called when the connection is readable, and again
        until it is. Raises Error, ConnectionResetError and BlockingIOError."""
        head = self.connection.recv(1024, socket.MSG_PEEK)
        if not head:
            raise ConnectionResetError(104, "connection closed")
        if head.startswith(b"HTTP/1.1 "):
            refusal = _refusal(head, self._where)
            if refusal is not None:
                raise refusal
        _, fds, _, _ = socket.recv_fds(self.connection, 1024, 1, socket.MSG_CMSG_CLOEXEC)
        if not fds:
            return False  # The head of the answer; the page comes behind it.
        try:
            self.page = Page(fds[0], self._where)
        finally:
            for fd in fds:
                os.close(fd)  # The mapping stays.
        self.connection.setblocking(False)
        return True

    def pump(self) -> None:
        """Takes what the daemon has said. It may close the connection and be gone."""
        with self._guard:
            while self.open:
                try:
                    words = self.connection.recv(64)
                except (BlockingIOError, InterruptedError):
                    return
                except OSError:
                    words = b""
                self._heard(words)
                self.open = bool(words)

    def _heard(self, words: bytes) -> None:
        self._stop_asked = self._stop_asked or _STOP in words

    def stopped(self) -> None:
        """Says that this client acts no more, if it was asked to stop."""
        with self._guard:
            if self._stop_asked and self.open:
                self._stop_asked = False
                try:
                    self.connection.send(_STOPPED)
                except OSError:
                    self.open = False

    def close(self) -> None:
        self.connection.close()
        if hasattr(self, "page"):
            self.page.close()


def doze(seconds: float, *connections: socket.socket) -> None:
    """Sleeps until one of them says something, or so long."""
    poll = select.poll()
    for connection in connections:
        poll.register(connection, select.POLLIN)
    poll.poll(int(seconds * 1000) + 1)


class Times(NamedTuple):
    """How a lead has to keep house with the lease; as src/cli/run/run_times.c."""

    grace_ns: int  # between the word that the lead is lost and the moment to have stopped
    margin_ns: int  # between that moment and the end of the right
    start_ns: int  # so much has to be left for a lead to begin

    @staticmethod
    def of(content: Content, grace: Optional[float]) -> Times:
        margin_ns = max(content.span_ns // 16, 2_000_000)
        most_ns = max(0, content.span_ns - content.renewal_ns * 5 // 4 - margin_ns)
        grace_ns = most_ns // 2 if grace is None else int(grace * _NS)
        if grace_ns > most_ns:
            raise Error(
                USAGE,
                f"a grace of {grace:g} s does not fit into the lease of {content.span_ns / _NS:g} s:"
                f" give {most_ns / _NS:g} s at the most, or start doyend with --profile wan",
            )
        return Times(grace_ns, margin_ns, grace_ns + margin_ns + content.renewal_ns // 4)


def try_to_lead(link: Link, grace: Optional[float]) -> tuple[Optional[tuple[int, Times]], Optional[float]]:
    """The epoch to lead under and its times, if this node acts and for long enough; else None, and
    after how many seconds to look again (None: when the daemon says something)."""
    link.pump()
    content = link.page.read()
    if content is None:
        return None, 0.05
    if content.span_ns == 0:
        return None, None
    times = Times.of(content, grace)
    if content.deadline_ns == 0 or not link.open:
        link.stopped()
        return None, None
    if content.deadline_ns - now_ns() >= times.start_ns:
        return (content.epoch, times), None
    return None, max(content.renewal_ns / _NS / 8, 0.005)


class Lead:
    """This node acts: what Client.leading gives to its block.

    It is lost once and for all `grace` before the right to act ends. What was renewed in the
    meantime does not count: a renewal puts the end off as long as nothing is lost.
    """

    def __init__(self, link: Link, epoch: int, times: Times) -> None:
        self.epoch = epoch
        self._link = link
        self._times = times
        self._why = ""

    @property
    def grace(self) -> float:
        """So many seconds before the right to act ends the lead is lost, and some more."""
        return self._times.grace_ns / _NS

    @property
    def deadline_ns(self) -> int:
        """The moment of CLOCK_BOOTTIME before which all has to have stopped, if nothing is renewed."""
        content = self._link.page.read()
        if content is None or content.epoch != self.epoch:
            return 0
        return max(0, content.deadline_ns - self._times.margin_ns)

    def left_s(self) -> float:
        """For so many seconds the lead is certain; 0.0 when it is lost."""
        if self._why:
            return 0.0
        self._link.pump()
        content = self._link.page.read()
        if content is None or content.epoch != self.epoch or content.deadline_ns == 0:
            self._why = "it gave its right up, or another node acts"
            return 0.0
        left_ns = content.deadline_ns - now_ns() - self._times.grace_ns - self._times.margin_ns
        if left_ns <= 0:
            self._why = "the lease was not renewed: doyend is stopped or gone, or hears too few others"
            return 0.0
        return left_ns / _NS

    def held(self) -> bool:
        """Is it held still? Asks no daemon: call it as often as you like, and before each act."""
        return self.left_s() > 0

    def check(self) -> None:
        """Raises LeadLost where held() is false."""
        if not self.held():
            raise LeadLost(f"the lead of epoch {self.epoch} is lost ({self._why}): stop acting now")

    def sleep(self, seconds: float) -> None:
        """Sleeps so long; raises LeadLost at once when the lead is lost."""
        given.timeout("seconds", seconds)
        until = time.monotonic() + seconds
        while True:
            self.check()
            left = until - time.monotonic()
            if left <= 0:
                return
            self.doze(left)

    def doze(self, seconds: float, *others: socket.socket) -> None:
        """Sleeps until the lead may be lost, the daemon or one of `others` says something, or so
        long."""
        given.timeout("seconds", seconds)
        for other in others:
            given.socket("others", other)
        seconds = min(seconds, self.left_s())
        doze(seconds, *self.connections, *others)

    @property
    def connections(self) -> tuple[socket.socket, ...]:
        """Where the daemon says something, while it is there."""
        return (self._link.connection,) if self._link.open else ()

    def end(self) -> None:
        """Nothing acts any more: a hand-over that waits for it goes on."""
        self._why = self._why or "its block is over"
        self._link.pump()
        self._link.stopped()
        self._link.close()


class Watcher:
    """Calls `on_lost` in a thread of its own as soon as the lead is lost."""

    def __init__(self, lead: Lead, on_lost: Callable[[], object]) -> None:
        self._lead = lead
        self._on_lost = on_lost
        self._ours, self._other = socket.socketpair()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="doyen-lead", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while self._lead.held():
            self._lead.doze(60.0, self._other)
            if self._ended:
                return
        if not self._ended:
            self._on_lost()

    def end(self) -> None:
        """Returns when the thread is done; `on_lost` is not called after this."""
        self._ended = True
        self._ours.send(b".")
        if threading.current_thread() is not self._thread:
            self._thread.join()
        self._ours.close()
        self._other.close()
