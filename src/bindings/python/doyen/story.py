"""A watch as it goes on over restarts of the daemon: what to resume from, and what a gap hid."""

from __future__ import annotations

from types import MappingProxyType
from typing import Optional

from . import given
from .errors import Error
from .model import Diff, Event, Member, View
from .wire import Told, request

_PAUSE_S_MIN = 0.1
_PAUSE_S_MAX = 2.0

QUIET_S = 15.0  # three times the daemon's keep-alive: whoever says nothing for so long is gone


class Story:
    """One watch. Whoever reads the stream hands each event to `take`, and its end to `away`."""

    def __init__(self, resume: Optional[str]) -> None:
        given.optional(given.token, "resume", resume)
        self._resume = resume
        self._members: Optional[dict[str, Member]] = None  # by id; None: not known
        self._gap: Optional[Told] = None
        self._met = resume is not None  # the daemon was there before
        self._told = False  # that it is away
        self._pause_s = _PAUSE_S_MIN

    def request(self) -> bytes:
        """What to ask at the beginning of each stream."""
        self._gap = None
        headers = {"Accept": "text/event-stream"}
        if self._resume is not None:
            headers["Last_Event_ID"] = self._resume
        return request("/v1/events", **headers)

    def refused(self, status: int) -> None:
        """The daemon refuses with this status of HTTP: raises what it means, where that is known."""
        if status == 400 and self._resume is not None:
            raise given.no_token("resume", self._resume)

    def take(self, told: Told) -> list[Event]:
        """The events to hand on for one of the stream."""
        self._met = True
        self._told = False
        self._pause_s = _PAUSE_S_MIN
        if told.kind == "gap":
            self._gap = told  # Told together with the snapshot that comes next.
            return []
        if told.id:
            self._resume = told.id
        events = self._snapshot(told) if told.kind == "snapshot" else [self._event(told)]
        self._note(told)
        return events

    def away(self, error: Error) -> tuple[list[Event], float]:
        """The daemon went away: what to hand on, and for how long to pause. Raises what no other
        try can mend, and what stands in the way of the first one."""
        if not error.passing or not self._met:
            raise error
        pause_s, self._pause_s = self._pause_s, min(2 * self._pause_s, _PAUSE_S_MAX)
        events = [] if self._told else [Event("away", self._resume, str(error))]
        self._told = True
        return events, pause_s

    def _event(self, told: Told, view: Optional[View] = None) -> Event:
        data = MappingProxyType(told.data)
        name = told.data.get("name")
        return Event(told.kind, self._resume, told.data.get("text", ""), name, view, None, data)

    def _snapshot(self, told: Told) -> list[Event]:
        view = View.of(told.data)
        events = [self._event(told, view)]
        if self._gap is not None:
            diff = None if self._members is None else Diff.between(self._members, view)
            text = self._gap.data.get("text", "")
            data = MappingProxyType(self._gap.data)
            events.insert(0, Event("gap", self._resume, text, None, view, diff, data))
            self._gap = None
        self._members = {member.id: member for member in view.members}
        return events

    def _note(self, told: Told) -> None:
        if self._members is None:
            return
        if told.kind == "joined":
            self._members[told.data["id"]] = Member.of(
                {key: told.data[key] for key in ("name", "id", "address", "age")}
            )
        elif told.kind == "gone":
            self._members.pop(told.data["id"], None)
