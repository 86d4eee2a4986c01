"""The same as `doyen.Client`, for asyncio: same names, same meaning, `await` before what waits.

    async with doyen.aio.Client() as d:
        async with d.leading() as lead:  # cancels the block when the lead is lost
            await work(epoch=lead.epoch)
        async with d.campaign("backup") as holding:  # cancels the block when the role is lost
            await back_up(token=holding.token)
"""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import asynccontextmanager
from typing import Any, AsyncIterator, Awaitable, Callable, Mapping, Optional, TypeVar, Union

from . import given, target
from .client import (
    LEASE_S,
    NOT_ACTING,
    NOT_TOLD,
    PAUSE_S,
    REASON_S,
    REQUEST_S,
    VOTERS_PAUSE_S,
    VOTERS_S,
    AnyLead,
    answer_within,
    check_lead,
    end,
    may_pass,
    silent,
    still_missing,
    too_late,
)
from .errors import TIMED_OUT, UNREACHABLE, Error
from .lease import REQUEST as LEASE_REQUEST
from .lease import ASK_AGAIN_S, Lead, Link, Right, try_to_lead
from .model import Conditions, Event, Leader, Replacement, View, Voters
from .role import Holding, RoleLink, campaign_request, over, unfit, waited_for
from .roles import ROLES_PAUSE_S, Roles, Survey
from .story import QUIET_S, Story
from .wire import Response, Stream, post, request
from .wish import Mark, TagChanges, Transfer, Wish, post_about, told

__all__ = ["Client", "Holding", "Lead"]

_LOOK_AGAIN_S = 1.0
_T = TypeVar("_T")
_Opening = Callable[[], Awaitable[Link]]
_Reason = Callable[[], Awaitable[str]]


async def _doze(seconds: float, *connections: socket.socket) -> None:
    """Sleeps until one of them says something, or so long."""
    loop = asyncio.get_running_loop()
    woken = asyncio.Event()
    descriptors = [connection.fileno() for connection in connections]
    for descriptor in descriptors:
        loop.add_reader(descriptor, woken.set)
    try:
        async with asyncio.timeout(seconds):
            await woken.wait()
    except TimeoutError:
        pass
    finally:
        for descriptor in descriptors:
            loop.remove_reader(descriptor)


async def _not_acting() -> str:
    return NOT_ACTING


class Client:
    """The doyend of this host, as `doyen.Client`, for one event loop."""

    def __init__(self, control: Optional[str] = None, *, expect_user: Union[str, int, None] = None) -> None:
        self.control = target.find(control)
        self._expected = target.account(expect_user)
        self._link: Optional[Link] = None  # for acting()
        self._linking = asyncio.Lock()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Gives back what the client holds: the lease page. It may be used again."""
        async with self._linking:
            if self._link is not None:
                self._link.close()
                self._link = None

    async def get(self, path: str) -> dict[str, Any]:
        """The document of any resource that proto/control.md lists, such as /v1/status."""
        return await self._ask(request(path))

    async def _ask(self, asked: bytes, seconds: float = REQUEST_S) -> dict[str, Any]:
        response = Response(self.control)
        body = b""
        connection = self._connect()
        try:
            async with asyncio.timeout(seconds):
                await self._send(connection, asked)
                while not response.ended:
                    body += response.feed(await self._read(connection, seconds))
        except TimeoutError as error:
            raise silent(self.control, seconds) from error
        finally:
            connection.close()
        return response.document(body)

    async def view(self) -> View:
        """Who is in, oldest first, who coordinates, and who is gone."""
        return View.of(await self.get("/v1/members"))

    async def leader(self) -> Optional[Leader]:
        """Whom an election found, or None; see `doyen.Client.leader`."""
        return Leader.of(await self.get("/v1/leader"))

    def watch(self, resume: Optional[str] = None) -> AsyncIterator[Event]:
        """What happens, for ever, for `async for`; see `doyen.Client.watch`."""
        return self._watch(Story(resume))

    async def _watch(self, story: Story) -> AsyncIterator[Event]:
        while True:
            try:
                async for event in self._follow(story):
                    yield event
            except Error as error:
                events, pause_s = story.away(error)
            for event in events:
                yield event
            await asyncio.sleep(pause_s)

    async def _follow(self, story: Story) -> AsyncIterator[Event]:
        """One stream to its end, which is an Error."""
        response = Response(self.control)
        stream = Stream(self.control)
        body = b""
        connection = self._connect()
        try:
            await self._send(connection, story.request())
            while not response.ended:
                data = await self._read(connection, REQUEST_S if response.status == 0 else QUIET_S)
                if not data and response.status == 200:
                    break
                piece = response.feed(data)
                if response.status == 200:
                    for told in stream.feed(piece):
                        for event in story.take(told):
                            yield event
                else:
                    body += piece
        finally:
            connection.close()
        if response.status != 200:
            story.refused(response.status)
            response.document(body)
        raise Error(UNREACHABLE, f"the daemon at {self.control} went away")

    async def wait(
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
        """Waits until all of this holds; see `doyen.Client.wait`."""
        conditions = Conditions(members, at_least, name, gone, coordinator, acting, guard_met, tag)
        until = end(timeout)
        missing = ""
        while True:
            try:
                view = View.of(await self._ask(request("/v1/members"), answer_within(until)))
                missing = conditions.missing(view)
                if not missing:
                    return view
                await self._sleep_until_event(view.resume, until)
            except Error as error:
                if not error.passing:
                    raise
                missing = still_missing(missing, error, until)
                await asyncio.sleep(max(0.0, min(0.1, until - time.monotonic())))
            if time.monotonic() >= until:
                raise too_late(timeout, missing)

    async def _sleep_until_event(self, resume: str, until: float) -> None:
        """Sleeps until something happens after `resume`, for a second at the most."""
        until = min(until, time.monotonic() + _LOOK_AGAIN_S)
        response = Response(self.control)
        stream = Stream(self.control)
        connection = self._connect()
        try:
            await self._send(connection, Story(resume).request())
            while not response.ended:
                data = await self._read(connection, max(0.0, until - time.monotonic()))
                if not data or stream.feed(response.feed(data)):
                    return
        except Error as error:
            if error.code != TIMED_OUT:
                raise
        finally:
            connection.close()

    async def set_tags(self, changes: Mapping[str, Optional[str]], *, timeout: float) -> View:
        """Changes tags of this node at run time; see `doyen.Client.set_tags`."""
        return await self._bring_about(TagChanges(changes), timeout)

    async def transfer(self, name: Optional[str] = None, *, timeout: float) -> View:
        """Has another member coordinate; see `doyen.Client.transfer`."""
        return await self._bring_about(Transfer(name), timeout)

    async def drain(self, name: Optional[str] = None, *, timeout: float) -> View:
        """Keeps a member from coordinating while any other can; see `doyen.Client.drain`."""
        return await self._bring_about(Mark(name, True), timeout)

    async def undrain(self, name: Optional[str] = None, *, timeout: float) -> View:
        """Ends what `drain` began; see `doyen.Client.undrain`."""
        return await self._bring_about(Mark(name, False), timeout)

    async def _bring_about(self, wish: Wish, timeout: float) -> View:
        until = end(timeout)
        while True:
            if wish.due(time.monotonic()):
                wish.answered(await self._ask(wish.request(), answer_within(until)))
            view = View.of(await self._ask(request("/v1/members"), answer_within(until)))
            if wish.shown(view):
                return view
            await self._sleep_until_event(view.resume, until)
            if time.monotonic() >= until:
                raise too_late(timeout, wish.missing)

    async def roles(self) -> Roles:
        """Who holds which role and who waits for it; see `doyen.Client.roles`."""
        asked = Survey()
        while True:
            roles = Roles.of(await self.get(asked.path))
            if asked.ended(roles):
                return roles
            await asyncio.sleep(ROLES_PAUSE_S)

    async def resign(self, role: str) -> int:
        """Has the clients of this node stand for the role no more; see `doyen.Client.resign`."""
        given.named("role", role)
        return int(told(await self._ask(post_about("/v1/resign", "role", role)), "resigning"))

    async def voters(self) -> Voters:
        """Who votes under guard strict; see `doyen.Client.voters`."""
        until = time.monotonic() + VOTERS_S
        while True:
            voters = Voters.of(await self.get("/v1/voters"))
            if voters.waiting == 0 or time.monotonic() >= until:
                return voters
            await asyncio.sleep(VOTERS_PAUSE_S)

    async def replace_voter(self, name: str, by: Optional[str] = None, *, timeout: float) -> Voters:
        """Has another node, or another record, vote; see `doyen.Client.replace_voter`."""
        asked = Replacement(name, by)
        until = end(timeout)
        asked.begin(await self.voters())
        await self._ask(post("/v1/voters", asked.body()), answer_within(until))
        missing = "the voter is not replaced"
        while True:
            voters = Voters.of(await self._ask(request("/v1/voters"), answer_within(until)))
            if asked.shown(voters):
                return voters
            if time.monotonic() >= until:
                raise too_late(timeout, missing)
            if asked.due(time.monotonic(), voters):
                try:
                    await self._ask(post("/v1/voters", asked.body()), answer_within(until))
                except Error as error:
                    missing = str(error)
            await asyncio.sleep(VOTERS_PAUSE_S)

    # --- The right to act ---

    async def acting(self) -> Optional[Right]:
        """The right of this node to act now, or None; see `doyen.Client.acting`."""
        async with self._linking:
            if self._link is None:
                self._link, _ = await self._reopen_link(self._open_link, first=True)
            if self._link is None:
                return None
            self._link.pump()
            right = self._link.page.right()
            if right is None:
                self._link.stopped()
                if not self._link.open:
                    right = await self._relink()
            return right

    async def _relink(self) -> Optional[Right]:
        try:
            link = await self._open_link()
        except Error:
            return None
        if self._link is not None:
            self._link.close()
        self._link = link
        return link.page.right()

    @asynccontextmanager
    async def leading(
        self, grace: Optional[float] = None, timeout: Optional[float] = None
    ) -> AsyncIterator[Lead]:
        """Waits until this node acts, and gives a Lead to the block of `async with`.

        The block is cancelled when the lead is lost, and LeadLost is raised behind it; it has `grace`
        seconds to come to its end, and then the right to act may end. `lead.held()` and
        `lead.check()` are as in `doyen.Lead`; do not call `lead.sleep()`, which blocks the loop.
        """
        lead = await self._begin_lead(Lead, self._open_link, _not_acting, grace, timeout)
        async with self._lead(lead):
            yield lead

    @asynccontextmanager
    async def campaign(
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
    ) -> AsyncIterator[Holding]:
        """Stands for the role, waits until this process holds it, and gives a Holding to the block
        of `async with`, which is cancelled when the role is lost, as with leading(). See
        `doyen.Client.campaign`.
        """
        asked = campaign_request(
            role, policy, value, holders, priority, preempt, grace, need, preempt_after
        )
        holding = await self._begin_lead(
            Holding,
            lambda: self._open_link(RoleLink, asked),
            lambda: self._not_held(role, need),
            grace,
            timeout,
        )
        holding.role = role
        async with self._lead(holding):
            yield holding

    @asynccontextmanager
    async def _lead(self, lead: Lead) -> AsyncIterator[None]:
        """Cancels the block when the lead is lost, and ends the lead behind the block."""
        block = asyncio.current_task()
        assert block is not None
        cancelled_before = block.cancelling()
        lost = False

        async def look_after() -> None:
            nonlocal lost
            while lead.held():
                await _doze(min(60.0, lead.left_s()), *lead.connections)
            lost = True
            block.cancel()

        watcher = asyncio.create_task(look_after())
        try:
            yield
        except asyncio.CancelledError:
            if lost and block.uncancel() <= cancelled_before:
                lead.check()
            raise
        finally:
            watcher.cancel()
            try:
                await asyncio.wait([watcher])
            finally:
                lead.end()

    async def _begin_lead(
        self,
        kind: type[AnyLead],
        open_link: _Opening,
        reason: _Reason,
        grace: Optional[float],
        timeout: Optional[float],
    ) -> AnyLead:
        until = check_lead(grace, timeout)
        link, missing = await self._reopen_link(open_link, first=True)
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
                    raise too_late(timeout or 0.0, missing or await reason())
                seconds = min(s for s in (pause, left, ASK_AGAIN_S) if s is not None)
                link, missing = await self._await_link(open_link, link, seconds, missing)
        finally:
            if link is not None:
                link.close()

    async def _not_held(self, role: str, need: Optional[str]) -> str:
        """Why a campaign has not come to hold its role, as far as that is told soon."""
        until = time.monotonic() + REASON_S
        asked = Survey()
        roles: Optional[Roles] = None
        try:
            why = unfit(View.of(await self._ask(request("/v1/members"), REASON_S)), role, need)
            if why:
                return why
            while (roles is None or not asked.ended(roles)) and time.monotonic() < until:
                roles = Roles.of(await self._ask(request(asked.path), answer_within(until)))
                await asyncio.sleep(ROLES_PAUSE_S)
        except Error:
            pass  # What was told before is what there is to say.
        return NOT_TOLD if roles is None else waited_for(roles, role)

    async def _await_link(
        self, open_link: _Opening, link: Optional[Link], seconds: float, missing: str
    ) -> tuple[Optional[Link], str]:
        if link is not None and link.open and not link.is_to_be_renewed():
            await _doze(seconds, link.connection)
            return link, missing
        if link is not None:
            link.close()
        link, missing = await self._reopen_link(open_link)
        if link is None:
            await asyncio.sleep(min(seconds, PAUSE_S))
        return link, missing

    async def _reopen_link(
        self, open_link: _Opening, first: bool = False
    ) -> tuple[Optional[Link], str]:
        try:
            return await open_link(), ""
        except Error as error:
            if not may_pass(error, first):
                raise
            return None, str(error)

    async def _open_link(self, kind: type[Link] = Link, asked: bytes = LEASE_REQUEST) -> Link:
        until = time.monotonic() + LEASE_S
        link = kind(self._connect(), self.control)
        try:
            await self._send(link.connection, asked)
            while True:
                await _doze(max(0.0, until - time.monotonic()), link.connection)
                try:
                    if link.take_page():
                        return link
                except BlockingIOError:
                    if time.monotonic() >= until:
                        raise TimeoutError from None
        except OSError as error:
            link.close()
            raise target.unreachable(self.control, error) from error
        except BaseException:
            link.close()
            raise

    # --- The connection ---

    async def _within(self, seconds: float, waiting: Awaitable[_T]) -> _T:
        """Not by asyncio.wait_for: that of Python 3.11 loses a cancellation, as of a block whose
        lead is lost, when it comes together with the answer."""
        try:
            async with asyncio.timeout(seconds):
                return await waiting
        except TimeoutError as error:
            raise silent(self.control, seconds) from error
        except OSError as error:
            raise target.unreachable(self.control, error) from error

    def _connect(self) -> socket.socket:
        """A connection to a daemon that may be asked. It waits for nothing: a socket of this kind
        takes a connection at once or not at all, of which the loop's sock_connect knows nothing."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.setblocking(False)
        try:
            connection.connect(self.control)
            target.check(connection, self.control, self._expected)
        except OSError as error:
            connection.close()
            raise target.unreachable(self.control, error) from error
        except Error:
            connection.close()
            raise
        return connection

    async def _send(self, connection: socket.socket, data: bytes) -> None:
        loop = asyncio.get_running_loop()
        await self._within(REQUEST_S, loop.sock_sendall(connection, data))

    async def _read(self, connection: socket.socket, seconds: float) -> bytes:
        """What is there next, b"" at the end."""
        loop = asyncio.get_running_loop()
        return await self._within(seconds, loop.sock_recv(connection, 65536))
