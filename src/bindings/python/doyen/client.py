"""Asks the doyend of this host, and waits for the answer."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing, contextmanager
from typing import Any, Callable, Iterator, Mapping, Optional, TypeVar, Union

from . import given, target
from .errors import REFUSED, TIMED_OUT, UNREACHABLE, Error
from .lease import REQUEST as LEASE_REQUEST
from .lease import ASK_AGAIN_S, Lead, Link, Right, Watcher, doze, try_to_lead
from .model import Conditions, Event, Leader, Replacement, View, Voters
from .role import Holding, RoleLink, campaign_request, over, unfit, waited_for
from .roles import ROLES_PAUSE_S, Roles, Survey
from .story import QUIET_S, Story
from .wire import Response, Stream, post, request
from .wish import Mark, TagChanges, Transfer, Wish, post_about, told

REQUEST_S = 5.0  # within which an answer is there
LEASE_S = 0.5  # within which the lease page is there
PAUSE_S = 0.1  # before a daemon that is away is tried again
VOTERS_S = 0.5  # within which voters say how they stand
VOTERS_PAUSE_S = 0.02
_LOOK_AGAIN_S = 1.0

AnyLead = TypeVar("AnyLead", bound=Lead)


NOT_ACTING = "this node does not act"
NOT_TOLD = "the role was not given, and why is not known: doyen roles says who has it"
REASON_S = 0.5  # within which is found why a role is not held


def silent(path: str, seconds: float) -> Error:
    """A daemon that took the question and gives no answer."""
    return Error(
        TIMED_OUT,
        f"the daemon at {path} did not answer within {seconds:g} s: it may be stopped or overloaded",
    )


def end(timeout: float) -> float:
    """When it has to be over."""
    given.timeout("timeout", timeout)
    return time.monotonic() + timeout


def answer_within(until: float) -> float:
    """For how long to wait for an answer where all has to be over by then."""
    return max(0.001, min(REQUEST_S, until - time.monotonic()))


def still_missing(missing: str, error: Error, until: float) -> str:
    """What to say is missing: what the last view lacked, unless the daemon went away since, or did
    not answer when there was time."""
    in_time = time.monotonic() < until
    return missing if missing and error.code == TIMED_OUT and not in_time else str(error)


def too_late(timeout: float, missing: str) -> Error:
    """What Client.wait ends with when the time is over."""
    return Error(TIMED_OUT, f"timed out after {timeout:g} s: {missing}")


def check_lead(grace: Optional[float], timeout: Optional[float]) -> Optional[float]:
    """Refuses what is no grace and no time-out; when the lead has to have begun."""
    given.optional(given.seconds, "grace", grace)
    return None if timeout is None else end(timeout)


def may_pass(error: Error, first: bool) -> bool:
    """Is it worth another try? What stands in the way at the very first is told, but for a daemon
    that is there and lends no page now."""
    return error.passing and not (first and error.code != REFUSED)


class Client:
    """The doyend of this host.

    `control` is the path of its control socket; without it DOYEN_CONTROL names it, else it is the
    only one in $XDG_RUNTIME_DIR/doyen and /run/doyen, as for the command `doyen`. A process of
    another account than root, one's own, the owner of /run/doyen for a socket in there, and
    `expect_user` is not asked.

    Methods raise Error. A client may be used by several threads.
    """

    def __init__(self, control: Optional[str] = None, *, expect_user: Union[str, int, None] = None) -> None:
        self.control = target.find(control)
        self._expected = target.account(expect_user)
        self._link: Optional[Link] = None  # for acting()
        self._linking = threading.Lock()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives back what the client holds: the lease page. It may be used again."""
        with self._linking:
            if self._link is not None:
                self._link.close()
                self._link = None

    def get(self, path: str) -> dict[str, Any]:
        """The document of any resource that proto/control.md lists, such as /v1/status."""
        return self._ask(request(path))

    def _ask(self, asked: bytes, seconds: float = REQUEST_S) -> dict[str, Any]:
        until = time.monotonic() + seconds
        response = Response(self.control)
        body = b""
        with closing(self._connect(seconds)) as connection:
            self._send(connection, asked)
            while not response.ended:
                body += response.feed(self._read(connection, until, seconds))
        return response.document(body)

    def view(self) -> View:
        """Who is in, oldest first, who coordinates, and who is gone."""
        return View.of(self.get("/v1/members"))

    def leader(self) -> Optional[Leader]:
        """Whom an election found (doyend --election), or None while there is no leader; without
        elections the best member of the view. To act, see leading()."""
        return Leader.of(self.get("/v1/leader"))

    def watch(self, resume: Optional[str] = None) -> Iterator[Event]:
        """What happens, for ever: a snapshot first, then each change.

        Keep `resume` of the last event and give it back to go on after it. The watch goes on over
        restarts of the daemon: it says `away`, and later either goes on without a gap or says `gap`,
        with the difference, before the new snapshot. Raises Error where the daemon cannot be
        reached at the very first, unless with `resume`, and where it refuses.
        """
        return self._watch(Story(resume))

    def _watch(self, story: Story) -> Iterator[Event]:
        while True:
            try:
                yield from self._follow(story)
            except Error as error:
                events, pause_s = story.away(error)
            yield from events
            time.sleep(pause_s)

    def _follow(self, story: Story, until: Optional[float] = None) -> Iterator[Event]:
        """One stream to its end, which is an Error."""
        response = Response(self.control)
        stream = Stream(self.control)
        body = b""
        with closing(self._connect(REQUEST_S)) as connection:
            self._send(connection, story.request())
            while not response.ended:
                quiet_s = REQUEST_S if response.status == 0 else QUIET_S
                data = self._read(connection, time.monotonic() + quiet_s, quiet_s)
                if not data and response.status == 200:
                    break
                piece = response.feed(data)
                if response.status == 200:
                    for told in stream.feed(piece):
                        yield from story.take(told)
                else:
                    body += piece
        if response.status != 200:
            story.refused(response.status)
            response.document(body)
        raise Error(UNREACHABLE, f"the daemon at {self.control} went away")

    def wait(
        self,
        *,
        members: Optional[int] = None,
        at_least: bool = False,
        name: Optional[str] = None,
        gone: Optional[str] = None,
        coordinator: Optional[str] = None,
        acting: bool = False,
        guard_met: bool = False,
        tag: Optional[str] = None,
        timeout: float,
    ) -> View:
        """Waits until all of this holds, of which one has to be given, also for a daemon that is
        not there yet: the node is a member; it has so many `members` (`at_least`: or more); `name`
        is one of them and `gone` is not; `coordinator` coordinates; this node acts; its guard is
        met. With a `tag`, "key" or "key=value", only who has it counts for `members` and `name`;
        alone, one member has it. Returns the view that shows it. Raises Error with TIMED_OUT when `timeout`
        seconds are over, saying what is missing.
        """
        conditions = Conditions(members, at_least, name, gone, coordinator, acting, guard_met, tag)
        until = end(timeout)
        missing = ""
        while True:
            try:
                view = View.of(self._ask(request("/v1/members"), answer_within(until)))
                missing = conditions.missing(view)
                if not missing:
                    return view
                self._sleep_until_event(view.resume, until)
            except Error as error:
                if not error.passing:
                    raise
                missing = still_missing(missing, error, until)
                time.sleep(max(0.0, min(0.1, until - time.monotonic())))
            if time.monotonic() >= until:
                raise too_late(timeout, missing)

    def _sleep_until_event(self, resume: str, until: float) -> None:
        """Sleeps until something happens after `resume`, for a second at the most: the right to act
        and the freshness of a guard also end by the clock."""
        until = min(until, time.monotonic() + _LOOK_AGAIN_S)
        response = Response(self.control)
        stream = Stream(self.control)
        with closing(self._connect(answer_within(until))) as connection:
            self._send(connection, Story(resume).request())
            while not response.ended:
                try:
                    data = self._read(connection, until)
                except Error as error:
                    if error.code != TIMED_OUT:
                        raise
                    return
                if not data or stream.feed(response.feed(data)):
                    return

    def set_tags(self, changes: Mapping[str, Optional[str]], *, timeout: float) -> View:
        """Changes tags of this node at run time: each key gets its value, in the place of the one
        that it had, or goes where that is None. Returns the view that shows it; all members do. It
        is not kept when the daemon starts again. Raises Error where a tag is refused, and with
        TIMED_OUT when `timeout` seconds are over.
        """
        return self._bring_about(TagChanges(changes), timeout)

    def transfer(self, name: Optional[str] = None, *, timeout: float) -> View:
        """Has another member coordinate: `name`, or without it the oldest other one that can.
        Returns the view that shows it. Nobody leaves: the former coordinator becomes one of the
        youngest. Raises Error with REFUSED where that member cannot coordinate, or is none, and
        with TIMED_OUT when `timeout` seconds are over.
        """
        return self._bring_about(Transfer(name), timeout)

    def drain(self, name: Optional[str] = None, *, timeout: float) -> View:
        """Keeps the member `name`, without it this node, from coordinating while any other can; if
        it coordinates it hands over. Returns the view that shows the mark, which is gone when the
        member starts again. Raises Error with REFUSED where there is no such member, and with
        TIMED_OUT when `timeout` seconds are over.
        """
        return self._bring_about(Mark(name, True), timeout)

    def undrain(self, name: Optional[str] = None, *, timeout: float) -> View:
        """Lets the member `name`, without it this node, coordinate again. Returns the view that
        shows it, and raises Error as `drain` does.
        """
        return self._bring_about(Mark(name, False), timeout)

    def _bring_about(self, wish: Wish, timeout: float) -> View:
        until = end(timeout)
        while True:
            if wish.due(time.monotonic()):
                wish.answered(self._ask(wish.request(), answer_within(until)))
            view = View.of(self._ask(request("/v1/members"), answer_within(until)))
            if wish.shown(view):
                return view
            self._sleep_until_event(view.resume, until)
            if time.monotonic() >= until:
                raise too_late(timeout, wish.missing)

    def roles(self) -> Roles:
        """Who holds which role and who waits for it: all members are asked, and what has come
        within a second is told. Who did not say is in `unanswered`."""
        asked = Survey()
        while True:
            roles = Roles.of(self.get(asked.path))
            if asked.ended(roles):
                return roles
            time.sleep(ROLES_PAUSE_S)

    def resign(self, role: str) -> int:
        """Has the clients of this node that stand for the role, in whatever program, stand for it
        no more; returns how many they are. Who holds it lets go when it has stopped. Raises Error
        with REFUSED where there is none.
        """
        given.named("role", role)
        return int(told(self._ask(post_about("/v1/resign", "role", role)), "resigning"))

    def voters(self) -> Voters:
        """Who votes under guard strict: they are asked how they stand, and what has come within
        half a second is told."""
        until = time.monotonic() + VOTERS_S
        while True:
            voters = Voters.of(self.get("/v1/voters"))
            if voters.waiting == 0 or time.monotonic() >= until:
                return voters
            time.sleep(VOTERS_PAUSE_S)

    def replace_voter(self, name: str, by: Optional[str] = None, *, timeout: float) -> Voters:
        """Has the node `by` vote in the place of the voter `name`. Without `by`, `name` votes on
        under a new record, for it has lost its disk. Returns the voters when that is settled.
        Raises Error with REFUSED where it cannot be done, or nobody acts, and with TIMED_OUT when
        `timeout` seconds are over; a change that has begun goes on.
        """
        asked = Replacement(name, by)
        until = end(timeout)
        asked.begin(self.voters())
        self._ask(post("/v1/voters", asked.body()), answer_within(until))
        missing = "the voter is not replaced"
        while True:
            voters = Voters.of(self._ask(request("/v1/voters"), answer_within(until)))
            if asked.shown(voters):
                return voters
            if time.monotonic() >= until:
                raise too_late(timeout, missing)
            if asked.due(time.monotonic(), voters):
                try:
                    self._ask(post("/v1/voters", asked.body()), answer_within(until))
                except Error as error:
                    missing = str(error)
            time.sleep(VOTERS_PAUSE_S)

    # --- The right to act ---

    def acting(self) -> Optional[Right]:
        """The right of this node to act now, or None. A look into memory: the daemon is not asked,
        and the answer is right also when it is dead or stopped.

        The first call gets the page, and raises Error where it cannot. Later a daemon that is away
        means None; one that is back lends another page. A planned hand-over waits for the next
        call that says None, or for close(), but no longer than `left_s` of the last right.
        """
        with self._linking:
            if self._link is None:
                self._link, _ = self._reopen_link(self._open_link, first=True)
            if self._link is None:
                return None
            self._link.pump()
            right = self._link.page.right()
            if right is None:
                self._link.stopped()
                if not self._link.open:
                    right = self._relink()
            return right

    def _relink(self) -> Optional[Right]:
        """The daemon that lent the page is gone: is there another?"""
        try:
            link = self._open_link()
        except Error:
            return None
        if self._link is not None:
            self._link.close()
        self._link = link
        return link.page.right()

    @contextmanager
    def leading(
        self,
        grace: Optional[float] = None,
        timeout: Optional[float] = None,
        on_lost: Optional[Callable[[], object]] = None,
    ) -> Iterator[Lead]:
        """Waits until this node acts, and gives a Lead to the block of `with`.

        The block has to end when the lead is lost: `lead.held()` turns false, `lead.check()` and
        `lead.sleep()` raise LeadLost, and `on_lost` is called in a thread of its own. That is `grace`
        seconds before the right to act ends, at the latest; without it as long as `doyen run`
        takes. A planned hand-over waits for the end of the block.

        Raises Error with TIMED_OUT when it takes longer than `timeout` seconds, with USAGE where the
        lease is too short for `grace`, and where the daemon cannot be reached at the very first.
        """
        given.optional(given.function, "on_lost", on_lost)
        begun = self._begin_lead(Lead, self._open_link, lambda: NOT_ACTING, grace, timeout)
        with self._lead(begun, on_lost) as lead:
            yield lead

    @contextmanager
    def campaign(
        self,
        role: str,
        *,
        policy: Optional[str] = None,
        value: Optional[str] = None,
        holders: Optional[int] = None,
        priority: Optional[int] = None,
        preempt: Optional[bool] = None,
        preempt_after: Optional[float] = None,
        need: Optional[str] = None,
        grace: Optional[float] = None,
        timeout: Optional[float] = None,
        on_lost: Optional[Callable[[], object]] = None,
    ) -> Iterator[Holding]:
        """Stands for the role, waits until this process holds it, and gives a Holding to the block
        of `with`; the role is let go at its end.

        The block has to end when the role is lost, as with leading(), of which there are `grace`,
        `timeout` and `on_lost`. The others are those of POST /v1/campaign in proto/control.md, with
        `preempt_after` in seconds. What is None is as it has it there; all candidates of a role have
        to say the same, but for `priority` and `value`. Raises Error also where the campaign is
        refused, or `doyen resign` ends it.
        """
        request_bytes = campaign_request(
            role, policy, value, holders, priority, preempt, grace, need, preempt_after
        )

        given.optional(given.function, "on_lost", on_lost)

        def open_link() -> Link:
            return self._open_link(RoleLink, request_bytes)

        def reason() -> str:
            return self._not_held(role, need)

        begun = self._begin_lead(Holding, open_link, reason, grace, timeout)
        with self._lead(begun, on_lost) as holding:
            holding.role = role
            yield holding

    @contextmanager
    def _lead(self, lead: AnyLead, on_lost: Optional[Callable[[], object]]) -> Iterator[AnyLead]:
        watcher = None if on_lost is None else Watcher(lead, on_lost)
        try:
            yield lead
        finally:
            if watcher is not None:
                watcher.end()
            lead.end()

    def _begin_lead(
        self,
        kind: type[AnyLead],
        open_link: Callable[[], Link],
        reason: Callable[[], str],
        grace: Optional[float],
        timeout: Optional[float],
    ) -> AnyLead:
        until = check_lead(grace, timeout)
        link, missing = self._reopen_link(open_link, first=True)
        try:
            while True:
                pause: Optional[float] = PAUSE_S
                if link is not None:
                    found, pause = try_to_lead(link, grace)
                    if found is not None:
                        lead, link = kind(link, *found), None
                        return lead
                    refused = over(link)
                    if refused is not None:
                        raise refused
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    raise too_late(timeout or 0.0, missing or reason())
                seconds = min(s for s in (pause, left, ASK_AGAIN_S) if s is not None)
                link, missing = self._await_link(open_link, link, seconds, missing)
        finally:
            if link is not None:
                link.close()

    def _not_held(self, role: str, need: Optional[str]) -> str:
        """Why a campaign has not come to hold its role, as far as that is told soon."""
        until = time.monotonic() + REASON_S
        asked = Survey()
        roles: Optional[Roles] = None
        try:
            why = unfit(View.of(self._ask(request("/v1/members"), REASON_S)), role, need)
            if why:
                return why
            while (roles is None or not asked.ended(roles)) and time.monotonic() < until:
                roles = Roles.of(self._ask(request(asked.path), answer_within(until)))
                time.sleep(ROLES_PAUSE_S)
        except Error:
            pass  # What was told before is what there is to say.
        return NOT_TOLD if roles is None else waited_for(roles, role)

    def _await_link(
        self, open_link: Callable[[], Link], link: Optional[Link], seconds: float, missing: str
    ) -> tuple[Optional[Link], str]:
        """Sleeps until the daemon says something, so long at the most; gets its page again when it
        was away, or may be. With the second value says what is missing."""
        if link is not None and link.open and not link.is_to_be_renewed():
            doze(seconds, link.connection)
            return link, missing
        if link is not None:
            link.close()
        link, missing = self._reopen_link(open_link)
        if link is None:
            time.sleep(min(seconds, PAUSE_S))
        return link, missing

    def _reopen_link(
        self, open_link: Callable[[], Link], first: bool = False
    ) -> tuple[Optional[Link], str]:
        try:
            return open_link(), ""
        except Error as error:
            if not may_pass(error, first):
                raise
            return None, str(error)

    def _open_link(self, kind: type[Link] = Link, asked: bytes = LEASE_REQUEST) -> Link:
        until = time.monotonic() + LEASE_S
        link = kind(self._connect(LEASE_S), self.control)
        try:
            self._send(link.connection, asked)
            while True:
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                link.connection.settimeout(left)
                if link.take_page():
                    return link
        except OSError as error:
            link.close()
            raise target.unreachable(self.control, error) from error
        except Error:
            link.close()
            raise

    # --- The connection ---

    def _connect(self, seconds: float) -> socket.socket:
        """A connection to a daemon that may be asked."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(seconds)
            connection.connect(self.control)
            target.check(connection, self.control, self._expected)
        except OSError as error:
            connection.close()
            raise target.unreachable(self.control, error) from error
        except Error:
            connection.close()
            raise
        return connection

    def _send(self, connection: socket.socket, data: bytes) -> None:
        try:
            connection.sendall(data)
        except OSError as error:
            raise target.unreachable(self.control, error) from error

    def _read(
        self, connection: socket.socket, until: float, seconds: float = REQUEST_S
    ) -> bytes:
        """What is there next, b"" at the end. `seconds` are how long it was waited for then."""
        left = until - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            connection.settimeout(left)
            return connection.recv(65536)
        except TimeoutError as error:
            raise silent(self.control, seconds) from error
        except OSError as error:
            raise target.unreachable(self.control, error) from error
