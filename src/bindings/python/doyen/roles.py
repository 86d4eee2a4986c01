"""Who stands for which role: GET /v1/roles of proto/control.md."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Mapping, Optional

from .errors import expected
from .model import number

ROLES_PAUSE_S = 0.01
_ROLES_S = 1.0  # after which a member that was asked is not likely to answer


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


@dataclass(frozen=True)
class RoleState:
    """Who holds a role and who waits for it, in the order in which they would hold it."""

    name: str
    policy: str
    max_holders: int
    need: Optional[str]
    holders: tuple[Candidate, ...]
    candidates: tuple[Candidate, ...]


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
    @expected("its roles")
    def of(document: Mapping[str, Any]) -> Roles:
        """The roles in a document of /v1/roles."""
        return Roles(
            roles=tuple(_role(entry) for entry in document["roles"]),
            advisory=document["advisory"],
            stale=document["stale"],
            unanswered=tuple(document["unanswered"]),
            unasked=document["unasked"],
        )


def _role(entry: Mapping[str, Any]) -> RoleState:
    keys = ("role", "policy", "max_holders", "need")
    both = (tuple(_candidate(one) for one in entry[key]) for key in ("holders", "candidates"))
    return RoleState(*(entry[key] for key in keys), *both)


def _candidate(entry: Mapping[str, Any]) -> Candidate:
    keys = ("member", "request", "priority", "eligible", "lacks", "value")
    held = number(entry.get("token")), entry.get("holding_ms", 0), entry.get("stopping", False)
    return Candidate(*(entry[key] for key in keys), *held)


class Survey:
    """What Client.roles asks for: all members anew, and again and again what has come since."""

    def __init__(self) -> None:
        self.path = "/v1/roles?begin"
        self._until = time.monotonic() + _ROLES_S

    def ended(self, roles: Roles) -> bool:
        """Takes what was answered. Is there nothing more to wait for?"""
        self.path = "/v1/roles"
        if roles.unasked > 0:
            self._until = time.monotonic() + _ROLES_S
        return not roles.stale or time.monotonic() >= self._until
