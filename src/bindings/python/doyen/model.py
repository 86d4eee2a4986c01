"""What a node knows, as values that do not change."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Mapping, Optional

from . import given
from .errors import USAGE, Error, expected

_WISH_AGAIN_S = 1.0  # a coordinator that was asked for other voters may have gone
_MEMBERS_MAX = 4096


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


def number(text: Optional[str]) -> Optional[int]:
    """Numbers of 64 bits come as text."""
    return None if text is None else int(text)


@dataclass(frozen=True)
class Member:
    """One life of a member. Who starts again is another one, with another `id` and age.

    Of members that are told by an event alone only name, id, address and age are known.
    """

    name: str
    id: str
    address: str
    age: int
    incarnation: int = 0
    state: str = "alive"  # or "suspect"
    silent: bool = False
    behind: bool = False  # it does not get the view that the others hold
    coordinator: bool = False
    drained: bool = False
    heard_ms: Optional[int] = None  # since its last sign of life; None: none yet
    tags: Mapping[str, str] = field(default_factory=_nothing, hash=False)

    @staticmethod
    def of(entry: Mapping[str, Any]) -> Member:
        return Member(
            name=entry["name"],
            id=entry["id"],
            address=entry["address"],
            age=entry["age"],
            incarnation=int(entry.get("incarnation", 0)),
            state=entry.get("state", "alive"),
            silent=entry.get("silent", False),
            behind=entry.get("behind", False),
            coordinator=entry.get("coordinator", False),
            drained=entry.get("drained", False),
            heard_ms=entry.get("heard_ms"),
            tags=MappingProxyType(dict(entry.get("tags", {}))),
        )


@dataclass(frozen=True)
class Gone:
    """A former member that is still remembered."""

    name: str
    id: str
    address: str
    age: int
    state: str  # "left" or "failed"
    reason: str  # "failed", "left", "moved", "replaced" or "behind"
    verdict: Optional[str]  # "dead", "lost", "stalled" or None
    since_ms: int


@dataclass(frozen=True)
class Guard:
    """How many members have to be there, and are they?"""

    policy: str
    needed: int
    fresh: int
    met: bool


@dataclass(frozen=True)
class View:
    """Who is in, oldest first, and who coordinates, as one node knew it at one moment."""

    cluster: str
    node: str  # the name of the node that was asked
    phase: str  # "joining", "member", "leaving" or "stopped"
    epoch: int
    version: Optional[int]  # None: the node holds no view yet
    coordinator: Optional[Member]
    acting: bool  # this node acted then; to act, see Client.acting and Client.leading
    acting_ms: int
    acting_is: str  # "advisory" or "exclusive"
    guard: Guard
    members: tuple[Member, ...]
    gone: tuple[Gone, ...]
    resume: str  # Client.watch(resume=...) goes on from here
    acting_said_ms: Optional[int] = None  # how long ago the coordinator last said that it acts

    def member(self, name: str) -> Optional[Member]:
        """The member of this name, or None."""
        return next((member for member in self.members if member.name == name), None)

    @staticmethod
    @expected("its view")
    def of(document: Mapping[str, Any]) -> View:
        """The view in a document of /v1/members, or in a snapshot."""
        members = tuple(Member.of(entry) for entry in document["members"])
        held = document.get("view") or {}
        guard = document["guard"]
        return View(
            cluster=document["cluster"],
            node=document["self"],
            phase=document["phase"],
            epoch=int(document["epoch"]),
            version=number(held.get("version")),
            coordinator=next((m for m in members if m.name == document["coordinator"]), None),
            acting=document["acting"],
            acting_ms=document["acting_ms"],
            acting_is=document["acting_is"],
            guard=Guard(guard["policy"], guard["needed"], guard["fresh"], guard["met"]),
            members=members,
            gone=tuple(_gone(entry) for entry in document["gone"]),
            resume=document["cursor"],
            acting_said_ms=document.get("acting_said_ms"),
        )


def _gone(entry: Mapping[str, Any]) -> Gone:
    keys = ("name", "id", "address", "age", "state", "reason", "verdict", "since_ms")
    return Gone(*(entry[key] for key in keys))


@dataclass(frozen=True)
class Leader:
    """Whom an election found, as one node knew it at one moment. It is advice: two parts of a
    network have a leader each."""

    name: str
    id: str
    address: str
    algorithm: str  # "oldest", "bully", "ring", "token-ring" or "sequential"
    is_self: bool  # the node that was asked

    @staticmethod
    @expected("its leader")
    def of(document: Mapping[str, Any]) -> Optional[Leader]:
        """The leader in a document of /v1/leader; None: that node knows none."""
        if document["leader"] is None:
            return None
        return Leader(
            name=document["leader"],
            id=document["leader_id"],
            address=document["leader_address"],
            algorithm=document["algorithm"],
            is_self=document["leader"] == document["self"],
        )


@dataclass(frozen=True)
class Diff:
    """What changed while nobody told: between the last event before a gap and the snapshot after it."""

    joined: tuple[Member, ...]  # names that are new
    gone: tuple[Member, ...]  # names that are not there any more, as they were last known
    restarted: tuple[Member, ...]  # names that are there still, in another life

    @staticmethod
    def between(before: Mapping[str, Member], after: View) -> Diff:
        """`before` has the former members by id."""
        former = {member.name: member for member in before.values()}
        present = {member.name for member in after.members}
        others = [member for member in after.members if member.id not in before]
        return Diff(
            joined=tuple(m for m in others if m.name not in former),
            gone=tuple(m for m in former.values() if m.name not in present),
            restarted=tuple(m for m in others if m.name in former),
        )


@dataclass(frozen=True)
class Event:
    """Something that happened; proto/control.md lists the kinds.

    Two kinds differ from there. A `gap` has in `diff` what changed meanwhile (None where nothing was
    known before), and is followed by its snapshot. `away` is made here: the daemon cannot be
    reached, what was told may be out of date, and `text` says why; the watch goes on by itself.
    """

    kind: str
    resume: Optional[str]  # Client.watch(resume=...) goes on after this event
    text: str
    name: Optional[str] = None  # of the member that it is about
    view: Optional[View] = None  # with `snapshot` and `gap`
    diff: Optional[Diff] = None  # with `gap`
    data: Mapping[str, Any] = field(default_factory=_nothing, hash=False)  # all that the daemon told


@dataclass(frozen=True)
class Voter:
    """One of those who vote under guard strict."""

    name: str
    state: Optional[str]  # "votes", "no record" and others of GET /v1/voters; None: it has not said
    record_id: Optional[str]  # of the record on its disk; None: none is known
    heard: bool  # by the node that was asked
    member: bool  # of the view
    witness: bool  # a doyen-witness, which is no member


@dataclass(frozen=True)
class Voters:
    """Who votes under guard strict, as one node knew it at one moment.

    While the voters are being changed, the numbers are of the list that lacks more.
    """

    voters: tuple[Voter, ...]
    changing: bool  # they are being changed: `voters` has the old and the new ones
    voting: int  # how many are heard and have not said that they cannot vote
    needed: Optional[int]  # how many it takes for anybody to act; None: the guard is another one
    spare: Optional[int]  # how many may be lost
    waiting: int  # how many have not said yet how they stand

    def voter(self, name: str) -> Optional[Voter]:
        """The voter of this name, or None."""
        return next((voter for voter in self.voters if voter.name == name), None)

    @staticmethod
    @expected("its voters")
    def of(document: Mapping[str, Any]) -> Voters:
        """The voters in a document of /v1/voters."""
        return Voters(
            voters=tuple(_voter(entry) for entry in document["voters"]),
            changing=document["change"] is not None,
            voting=document["voting"],
            needed=document["needed"],
            spare=document["spare"],
            waiting=document["waiting"],
        )


def _voter(entry: Mapping[str, Any]) -> Voter:
    keys = ("name", "voter", "record_id", "heard", "member", "witness")
    return Voter(*(entry[key] for key in keys))


class Replacement:
    """What Client.replace_voter asks for, and whether the voters show it."""

    def __init__(self, name: str, by: Optional[str]) -> None:
        given.named("name", name)
        given.optional(given.named, "by", by)
        self._name = name
        self._by = name if by is None else by
        self._before: Optional[Voter] = None
        self._ask_at = 0.0

    def begin(self, before: Voters) -> None:
        """It is asked for now, when these vote."""
        self._before = before.voter(self._name)
        self._ask_at = time.monotonic() + _WISH_AGAIN_S

    def body(self) -> dict[str, Any]:
        """The document of POST /v1/voters."""
        asked = {"replace": self._name}
        return asked if self._by == self._name else {**asked, "with": self._by}

    def due(self, now: float, voters: Voters) -> bool:
        """Is it time to ask again, for whom it was told may have gone?"""
        if now < self._ask_at or voters.changing:
            return False
        self._ask_at = now + _WISH_AGAIN_S
        return True

    def shown(self, voters: Voters) -> bool:
        """Is it settled?"""
        present = voters.voter(self._by)
        if voters.changing or present is None or present.record_id is None:
            return False
        if self._by != self._name:
            return voters.voter(self._name) is None
        return self._before is None or present.record_id != self._before.record_id


def has_tag(member: Member, tag: str) -> bool:
    """Has it this "key" or "key=value"?"""
    key, equals, value = tag.partition("=")
    return key in member.tags and (not equals or member.tags[key] == value)


class Conditions:
    """What Client.wait waits for."""

    def __init__(
        self,
        members: Optional[int] = None,
        at_least: bool = False,
        name: Optional[str] = None,
        gone: Optional[str] = None,
        coordinator: Optional[str] = None,
        acting: bool = False,
        guard_met: bool = False,
        tag: Optional[str] = None,
    ) -> None:
        given.optional(given.whole, "members", members, 1, _MEMBERS_MAX, " of members")
        for key, told in {"name": name, "gone": gone, "coordinator": coordinator}.items():
            given.optional(given.member, key, told)
        for key, flag in {"at_least": at_least, "acting": acting, "guard_met": guard_met}.items():
            given.flag(key, flag)
        given.optional(given.tag, "tag", tag)
        given.apart("name", name, "gone", gone, "cannot be a member and gone at once")
        given.apart("coordinator", coordinator, "gone", gone, "cannot coordinate and be gone at once")
        if at_least and members is None:
            raise given.wrong("at_least", at_least, "it goes with members")
        asked = any(told is not None for told in (members, name, gone, coordinator, tag))
        if not (asked or acting or guard_met):
            raise Error(USAGE, "say what to wait for, as in members=3 or acting=True")
        self._tag = tag
        self._members = members
        self._at_least = at_least
        self._name = name
        self._gone = gone
        self._coordinator = coordinator
        self._acting = acting
        self._guard_met = guard_met

    def _counts(self, member: Member) -> bool:
        """Has it the tag, if there is one?"""
        return self._tag is None or has_tag(member, self._tag)

    def missing(self, view: View) -> str:
        """What does not hold yet, for a message; empty when everything does."""
        count = sum(self._counts(member) for member in view.members)
        chosen = view.member(self._name) if self._name is not None else None
        alone = self._tag is not None and self._members is None and self._name is None
        having = "" if self._tag is None else f" with {self._tag}"
        named = view.coordinator.name if view.coordinator else None
        wanted = self._members
        few = wanted is not None and (count < wanted if self._at_least else count != wanted)
        more = " or more" if self._at_least else ""
        faults = {
            f"{view.node} is in phase {view.phase}": view.phase != "member",
            f"{count} members{having} where {wanted}{more} are waited for": few,
            f"no member has the tag {self._tag}": alone and count == 0,
            f"{self._name} has not the tag {self._tag}": chosen and not self._counts(chosen),
            f"{self._name} is not a member": self._name is not None and not view.member(self._name),
            f"{self._gone} is a member": self._gone is not None and view.member(self._gone),
            f"the coordinator is {named or 'not known'}": self._coordinator not in (None, named),
            f"{view.node} is not acting": self._acting and not view.acting,
            "the guard is not met": self._guard_met and not view.guard.met,
        }
        return ", ".join(text for text, holds in faults.items() if holds)
