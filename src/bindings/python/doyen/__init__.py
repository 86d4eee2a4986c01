"""Doyen: who is in the cluster, who coordinates, and may this node act now?

    import doyen

    with doyen.Client() as d:
        print(d.view().coordinator.name, [member.name for member in d.view().members])
        with d.leading() as lead:  # waits until this node acts
            while lead.held():
                work(epoch=lead.epoch)
        with d.campaign("backup") as holding:  # waits until this process holds the role
            while holding.held():
                back_up(token=holding.token)

`doyen.aio` has the same for asyncio. Nothing but the standard library is needed.
"""

from .client import Client
from .errors import REFUSED, TIMED_OUT, UNREACHABLE, USAGE, Error, LeadLost
from .lease import Lead, Right
from .model import Diff, Event, Gone, Guard, Leader, Member, View, Voter, Voters
from .partition import partition_of
from .role import Holding
from .roles import Candidate, RoleState, Roles

__version__ = "0.3.0"

__all__ = [
    "Candidate",
    "Client",
    "Diff",
    "Error",
    "Event",
    "Gone",
    "Guard",
    "Holding",
    "Lead",
    "LeadLost",
    "Leader",
    "Member",
    "REFUSED",
    "Right",
    "RoleState",
    "Roles",
    "TIMED_OUT",
    "UNREACHABLE",
    "USAGE",
    "View",
    "Voter",
    "Voters",
    "partition_of",
]
