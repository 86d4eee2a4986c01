"""What a node is asked to bring about, and whether its view shows it."""

from __future__ import annotations

from typing import Any, Mapping, Optional
from urllib.parse import quote

from . import given
from .errors import expected
from .model import View
from .wire import post

_ASK_AGAIN_S = 2.0  # a node that finds no coordinator gives up after a while


def told(document: Mapping[str, Any], key: str) -> Any:
    """What the answer has under this key."""
    with expected("what it was asked"):
        return document[key]


def post_about(path: str, key: str, name: str) -> bytes:
    """A POST to `path` that says in its query whom it is about."""
    return post(f"{path}?{key}={quote(name, safe='')}")


class Wish:
    """What is asked for again and again until the view shows it."""

    missing = ""  # what to say when the time is over

    def __init__(self) -> None:
        self._ask_at = 0.0

    def due(self, now: float) -> bool:
        """Is it time to ask, for the first time or because nobody took it up?"""
        if now < self._ask_at:
            return False
        self._ask_at = now + _ASK_AGAIN_S
        return True

    def request(self) -> bytes:
        """How to ask."""
        raise NotImplementedError

    def answered(self, document: Mapping[str, Any]) -> None:
        """Takes the answer."""

    def shown(self, view: View) -> bool:
        """Does the view of that node show it?"""
        raise NotImplementedError


class TagChanges(Wish):
    """What Client.set_tags asks for."""

    missing = "the view does not show the tags; is there a coordinator?"

    def __init__(self, changes: Mapping[str, Optional[str]]) -> None:
        super().__init__()
        given.tags("changes", changes)
        self._changes = dict(changes)

    def request(self) -> bytes:
        return post(
            "/v1/tags",
            {
                "set": {key: value for key, value in self._changes.items() if value is not None},
                "unset": [key for key, value in self._changes.items() if value is None],
            },
        )

    def shown(self, view: View) -> bool:
        own = view.member(view.node)
        return own is not None and all(
            own.tags.get(key) == value for key, value in self._changes.items()
        )


class Transfer(Wish):
    """What Client.transfer asks for."""

    missing = "the member does not coordinate"

    def __init__(self, name: Optional[str]) -> None:
        super().__init__()
        given.optional(given.named, "name", name)
        self._name = name

    def request(self) -> bytes:
        return post("/v1/transfer") if self._name is None else post_about("/v1/transfer", "to", self._name)

    def answered(self, document: Mapping[str, Any]) -> None:
        self._name = told(document, "to")  # It is this one from now on.

    def shown(self, view: View) -> bool:
        return view.coordinator is not None and view.coordinator.name == self._name


class Mark(Wish):
    """What Client.drain and undrain ask for."""

    missing = "the view does not show the mark; is there a coordinator?"

    def __init__(self, name: Optional[str], drained: bool) -> None:
        super().__init__()
        given.optional(given.named, "name", name)
        self._name = name
        self._drained = drained

    def request(self) -> bytes:
        path = "/v1/drain" if self._drained else "/v1/undrain"
        return post(path) if self._name is None else post_about(path, "node", self._name)

    def answered(self, document: Mapping[str, Any]) -> None:
        self._name = told(document, "node")

    def shown(self, view: View) -> bool:
        member = view.member(self._name) if self._name is not None else None
        return member is not None and member.drained == self._drained
