"""HTTP and server-sent events as doyend speaks them, as bytes: no socket is touched here."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, Optional

from . import given
from .errors import REFUSED, Error

HEAD_BYTES_MAX = 65536


def post(path: str, document: Optional[dict[str, Any]] = None) -> bytes:
    """A POST of `document`, if there is one, to `path`."""
    body = b"" if document is None else json.dumps(document).encode()
    kind = {} if document is None else {"Content_Type": "application/json"}
    head = request(path, Content_Length=str(len(body)), **kind)
    return head.replace(b"GET", b"POST", 1) + body


def request(path: str, **headers: str) -> bytes:
    """A GET of `path`; underscores in the names of headers stand for dashes."""
    if not (isinstance(path, str) and re.fullmatch(r"/[\x21-\x7e]*", path)):
        raise given.wrong("path", path, "it is no path of a resource; give one such as /v1/status")
    headers = {"Host": "doyen", "Connection": "close", "User-Agent": "doyen-python", **headers}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode("ascii")


def _senseless(where: str, what: str) -> Error:
    return Error(REFUSED, f"the answer of {where} makes no sense ({what}): is it doyend?")


class Response:
    """Takes an answer to pieces as it arrives. `where` is for messages."""

    def __init__(self, where: str) -> None:
        self.status = 0  # 0: the head is not there yet
        self.ended = False
        self._where = where
        self._bytes = b""
        self._body = b""
        self._chunked = False
        self._left: Optional[int] = None  # of the body or the chunk; None: not told

    def feed(self, data: bytes) -> bytes:
        """Takes what was read, b"" at the end of the stream; returns what is new of the body."""
        self._bytes += data
        if self.status == 0 and not self._take_head():
            if not data:
                raise _senseless(self._where, "it ended too soon")
            return b""
        body = self._take_chunks() if self._chunked else self._take_plain()
        if not data and not self.ended:
            if self._chunked or self._left:
                raise _senseless(self._where, "it ended too soon")
            self.ended = True
        return body

    def document(self, body: bytes) -> dict[str, Any]:
        """The document of an answer that is there, or the error that it tells."""
        try:
            document = json.loads(body)
        except ValueError:
            document = None
        if not 200 <= self.status <= 299:
            raise self._refusal(document if isinstance(document, dict) else {})
        if not isinstance(document, dict):
            raise _senseless(self._where, "no JSON")
        return document

    def _refusal(self, problem: dict[str, Any]) -> Error:
        told = ": ".join(problem[key] for key in ("title", "detail") if key in problem)
        if not told:
            told = f"{self._where} answered with HTTP status {self.status}; is it an older doyend?"
        return Error(REFUSED, "; ".join([told, problem["hint"]] if "hint" in problem else [told]))

    def _take_head(self) -> bool:
        head, end, rest = self._bytes.partition(b"\r\n\r\n")
        if not end:
            if len(head) > HEAD_BYTES_MAX or not b"HTTP/1.1 ".startswith(head[:9]):
                raise _senseless(self._where, "no HTTP")
            return False
        first, *lines = head.decode("latin-1").split("\r\n")
        if not first.startswith("HTTP/1.") or not first[9:12].isdigit():
            raise _senseless(self._where, "no HTTP")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip().lower()
        self._chunked = headers.get("transfer-encoding") == "chunked"
        length = headers.get("content-length", "")
        self._left = int(length) if length.isdigit() and not self._chunked else None
        self._bytes = rest
        self.status = int(first[9:12])
        return True

    def _take_plain(self) -> bytes:
        count = len(self._bytes) if self._left is None else min(self._left, len(self._bytes))
        body, self._bytes = self._bytes[:count], self._bytes[count:]
        if self._left is not None:
            self._left -= count
            self.ended = self._left == 0
        return body

    def _take_chunks(self) -> bytes:
        body = b""
        while not self.ended:
            if self._left is None and not self._take_chunk_size():
                break
            left = self._left or 0
            if len(self._bytes) < left + 2:
                break
            body += self._bytes[:left]
            self._bytes = self._bytes[left + 2 :]
            self.ended = left == 0
            self._left = None
        return body

    def _take_chunk_size(self) -> bool:
        line, end, rest = self._bytes.partition(b"\r\n")
        if not end:
            return False
        try:
            self._left = int(line.split(b";")[0], 16)
        except ValueError:
            raise _senseless(self._where, "a chunk without a size") from None
        self._bytes = rest
        return True


class Told(NamedTuple):
    """One event of the stream as it came."""

    id: str
    kind: str
    data: dict[str, Any]


class Stream:
    """Takes server-sent events to pieces."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._bytes = b""
        self._fields: dict[str, str] = {}

    def feed(self, data: bytes) -> list[Told]:
        """Takes a piece of the body; returns the events that are whole now."""
        *lines, self._bytes = (self._bytes + data).split(b"\n")
        told = []
        for line in lines:
            text = line.rstrip(b"\r").decode("utf-8", "replace")
            if text:
                name, _, value = text.partition(":")
                self._fields[name] = value.removeprefix(" ")
            else:
                if "data" in self._fields:
                    told.append(self._event())
                self._fields = {}
        return told

    def _event(self) -> Told:
        try:
            data = json.loads(self._fields["data"])
        except ValueError:
            raise _senseless(self._where, "an event without JSON") from None
        return Told(self._fields.get("id", ""), self._fields.get("event", ""), data)
