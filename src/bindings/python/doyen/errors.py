"""What can go wrong, in one line that names the fault and the remedy."""

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
