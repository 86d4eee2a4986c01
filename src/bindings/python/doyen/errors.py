"""What can go wrong, in one line that names the fault and the remedy."""

from contextlib import contextmanager
from typing import Iterator

REFUSED = 1
UNREACHABLE = 4
TIMED_OUT = 5
USAGE = 64


class Error(Exception):
    """Everything that this module raises on its own account.

    The text is one line. `code` is the status with which the command `doyen` ends for the same
    fault: REFUSED, UNREACHABLE, TIMED_OUT or USAGE. `passing` says that the same may work soon.
    """

    def __init__(self, code: int, text: str, passing: bool = False) -> None:
        super().__init__(" ".join(text.split()))
        self.code = code
        self.passing = passing or code in (UNREACHABLE, TIMED_OUT)


class LeadLost(Error):
    """The right to act ends now, or has ended: whatever acts by it has to stop."""

    def __init__(self, text: str) -> None:
        super().__init__(REFUSED, text)


@contextmanager
def expected(what: str) -> Iterator[None]:
    """Raises Error where a document of the daemon lacks something, or has another kind of it: for
    `with`, and as a decorator of what reads it."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        text = f"what doyend tells of {what} is not as expected ({error!r}): is it another version?"
        raise Error(REFUSED, text) from error
