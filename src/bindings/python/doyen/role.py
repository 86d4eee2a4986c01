"""A campaign for a role: POST /v1/campaign of proto/control.md."""

from __future__ import annotations

import json
import os
import socket
from typing import Optional

from . import given
from .errors import REFUSED, Error
from .lease import GRACE_S_MAX, Lead, Link, Page
from .model import View, has_tag
from .roles import Roles

_HOLDERS_MAX = 64
_PRIORITY_MAX = 2**32 - 1
_PREEMPT_AFTER_S_MAX = 86400.0
_FINAL = ("terms", "many", "resigned")  # reasons for which a campaign ends for good


def campaign_request(
    role: str,
    policy: Optional[str],
    value: Optional[str],
    holders: Optional[int],
    priority: Optional[int],
    preempt: Optional[bool],
    grace: Optional[float],
    need: Optional[str] = None,
    preempt_after: Optional[float] = None,
) -> bytes:
    """What is sent for it; what is None is left out."""
    given.named("role", role)
    given.optional(given.word, "policy", policy, "first", "oldest", "priority")
    given.optional(given.text, "value", value)
    given.optional(given.whole, "holders", holders, 1, _HOLDERS_MAX)
    given.optional(given.whole, "priority", priority, 0, _PRIORITY_MAX)
    given.optional(given.flag, "preempt", preempt)
    given.optional(given.seconds, "preempt_after", preempt_after, _PREEMPT_AFTER_S_MAX)
    given.optional(given.tag, "need", need)
    given.optional(given.seconds, "grace", grace, GRACE_S_MAX)
    if priority is not None and policy != "priority":
        raise given.wrong("priority", priority, "it goes with policy='priority' alone")
    if preempt is False and preempt_after:
        raise given.wrong("preempt_after", preempt_after, "it does not go with preempt=False")
    campaign = {
        "role": role,
        "policy": policy,
        "value": value,
        "holders": holders,
        "priority": priority,
        "preempt": preempt,
        "preempt_after_ms": None if preempt_after is None else int(preempt_after * 1000),
        "need": need,
        "grace_ms": None if grace is None else int(grace * 1000),
    }
    body = json.dumps({key: told for key, told in campaign.items() if told is not None}).encode()
    return (
        b"POST /v1/campaign HTTP/1.1\r\nHost: doyen\r\nConnection: Upgrade\r\n"
        b"Upgrade: doyen-campaign\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body) + body
    )


def _refusal(head: bytes, where: str) -> Error:
    """What an answer other than 101 means."""
    status, _, body = head[9:12], *head.partition(b"\r\n\r\n")[1:]
    if status == b"404":
        return Error(REFUSED, f"the doyend at {where} is too old: it knows of no roles")
    try:
        problem = json.loads(body)
        text = f"{problem['title']}: {problem['detail']}; {problem['hint']}"
    except (ValueError, KeyError, TypeError):
        return Error(REFUSED, f"the answer of {where} makes no sense: is it doyend?")
    return Error(REFUSED, text, passing=status == b"503")


class RoleLink(Link):
    """The connection that is the campaign, and its page. Lines of JSON come over it."""

    def __init__(self, connection: socket.socket, where: str) -> None:
        super().__init__(connection, where)
        self._line = b""
        self.over = ""  # why it has ended for good

    def is_to_be_renewed(self) -> bool:
        """It stands for the role."""
        return False

    def take_page(self) -> bool:
        text, fds, _, _ = socket.recv_fds(self.connection, 4096, 1, socket.MSG_CMSG_CLOEXEC)
        if not text:
            raise ConnectionResetError(104, "connection closed")
        try:
            if text.startswith(b"HTTP/1.1 ") and text[9:12] != b"101":
                raise _refusal(text, self._where)
            if not fds:
                return False  # The head of the answer; the page comes behind it.
            self.page = Page(fds[0], self._where)
        finally:
            for fd in fds:
                os.close(fd)  # The mapping stays.
        self.connection.setblocking(False)
        self._heard(text)
        return True

    def _heard(self, words: bytes) -> None:
        *lines, self._line = (self._line + words).split(b"\n")
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if not isinstance(event, dict):
                continue
            if event.get("event") == "lost":
                self._stop_asked = True
            elif event.get("event") == "ended" and event.get("reason") in _FINAL:
                self.over = f"{event.get('role')}: {event.get('text')}"


class Holding(Lead):
    """This process holds a role: what Client.campaign gives to its block.

    What is acted on has to refuse a token below the highest that it has seen.
    """

    role = ""

    @property
    def token(self) -> int:
        """Of this grant; higher than that of each before it."""
        return self.epoch


def unfit(view: View, role: str, need: Optional[str]) -> str:
    """Why this node can hold no such role, as `doyen campaign` says it; empty where it can."""
    own = view.member(view.node)
    if own is not None and own.drained:
        return f"{view.node} is drained, and holds no role: doyen undrain {view.node}"
    if own is not None and need is not None and not has_tag(own, need):
        remedy = need if "=" in need else f"{need}=VALUE"
        return f"{view.node} has no tag {need}, which the role {role} needs: doyen tag set {remedy}"
    return ""


def waited_for(roles: Roles, role: str) -> str:
    """Who has the role that this process stood for."""
    state = roles.role(role)
    if state is not None and state.holders:
        return f"{state.holders[0].member} holds the role"
    return f"nobody gave {role}: doyen status says whether anybody can"


def over(link: Optional[Link]) -> Optional[Error]:
    """Why the campaign on this connection has ended for good, if it has."""
    text = getattr(link, "over", "")
    return Error(REFUSED, text) if text else None
