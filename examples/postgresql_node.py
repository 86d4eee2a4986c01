"""What the node of this host says, for postgresql.py: who coordinates, who the members are, and whether it acts."""

import json
import os
import subprocess

NAMES = {"snapshot": "coordinator", "coordinator": "name"}  # in which field of which event the coordinator is


class Node:
    def __init__(self):
        self.name = os.environ["DOYEN_NODE"]
        self.leader, self.rest = None, b""  # the one that coordinates; and what was read of the next event
        self.watch = subprocess.Popen(["doyen", "--json", "watch", "--reconnect"], stdout=subprocess.PIPE)

    def fileno(self):
        """Readable when there is news."""
        return self.watch.stdout.fileno()

    def hear(self):
        *lines, self.rest = (self.rest + os.read(self.fileno(), 65536)).split(b"\n")
        for event in map(json.loads, lines):
            if event["kind"] in NAMES:
                self.leader = event[NAMES[event["kind"]]]

    def members(self):
        """Their ages by name, and whether this node acts. An age is never given twice."""
        done = subprocess.run(["doyen", "--json", "members"], capture_output=True, text=True, check=False)
        view = json.loads(done.stdout or '{"members": [], "acting": false}')
        return {member["name"]: member["age"] for member in view["members"]}, view["acting"]

    def hand_over(self, *to):
        """Where somebody takes it, this process is told to end meanwhile."""
        subprocess.run(["doyen", "transfer", *to], check=False, stdout=subprocess.DEVNULL)

    def stop(self):
        self.watch.kill()
