"""Who stands for which role: GET /v1/roles of proto/control.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional

from .errors import REFUSED, Error
from .model import number


@dataclass(frozen=True)
class Candidate:
    """One client of a member that stands for a role."""

    member: str
    request: str  # the id of this candidature
    priority: int
    eligible: bool  # its member is not drained, and has the tag that the role needs
    lacks: Optional[str]  # that tag; None: it has it
    value: str
    token: Optional[int] = None  # of one that holds the role
    holding_ms: int = 0  # for which it holds the role for certain
    stopping: bool = False  # it has lost the role, and has not stopped yet

    @staticmethod
    def of(entry: Mapping[str, Any]) -> Candidate:
        return Candidate(
            member=entry["member"],
            request=entry["request"],
            priority=entry["priority"],
            eligible=entry["eligible"],
            lacks=entry["lacks"],
            value=entry["value"],
            token=number(entry.get("token")),
            holding_ms=entry.get("holding_ms", 0),
            stopping=entry.get("stopping", False),
        )


@dataclass(frozen=True)
class RoleState:
    """Who holds a role and who waits for it, in the order in which they would hold it."""

    name: str
    policy: str
    max_holders: int
    need: Optional[str]
    holders: tuple[Candidate, ...]
    candidates: tuple[Candidate, ...]

    @staticmethod
    def of(entry: Mapping[str, Any]) -> RoleState:
        return RoleState(
            name=entry["role"],
            policy=entry["policy"],
            max_holders=entry["max_holders"],
            need=entry["need"],
            holders=tuple(Candidate.of(holder) for holder in entry["holders"]),
            candidates=tuple(Candidate.of(candidate) for candidate in entry["candidates"]),
        )


@dataclass(frozen=True)
class Roles:
    """Who stands for which role, as each member says of its own clients."""

    roles: tuple[RoleState, ...]
    advisory: bool  # the guard does not rule out two holders
    stale: bool  # who stands at the members of `unanswered` is not known
    unanswered: tuple[str, ...]  # they have not said
    unasked: int

    def role(self, name: str) -> Optional[RoleState]:
        """The role of this name, or None: nobody stands for it."""
        return next((role for role in self.roles if role.name == name), None)

    @staticmethod
    def of(document: Mapping[str, Any]) -> Roles:
        """The roles in a document of /v1/roles."""
        try:
            return Roles(
                roles=tuple(RoleState.of(entry) for entry in document["roles"]),
                advisory=document["advisory"],
                stale=document["stale"],
                unanswered=tuple(document["unanswered"]),
                unasked=document["unasked"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise Error(
                REFUSED, f"the roles of doyend are not as expected ({error!r}): is it another version?"
            ) from error
