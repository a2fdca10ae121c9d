"""One run of `scripts/bench`."""
import os
import sys

from benches.data import ZONE, record_lines
from benches.node import Node, wait_for


class Run:
    """The folder, the daemons and the table that the measurements of a run share.

    `a` and `b` are two nodes of one account with equal data, once `pair` or the catch-up has run; `c` is a third one that was never started.
    """

    def __init__(self, folder, program, records, table):
        self.folder, self.program, self.records, self.table = folder, program, records, table
        self.a = Node(folder, "a", program)
        self.b = Node(folder, "b", program, peers=[self.a])
        self.c = Node(folder, "c", program, peers=[self.a, self.b])

    def pair(self):
        """For runs without the catch-up: two nodes with equal data."""
        self.a.start()
        self.a.api.create_zone(ZONE, "bench")
        self.a.api.import_lines(ZONE, record_lines(self.records))
        self.b.start()
        self.a.api.pair(self.b.api)
        wait_for("the other node to hold all records", lambda: self.b.holds(self.records), seconds=600)

    def print_logs(self):
        """The last lines of each node's log, to standard error."""
        for node in (self.a, self.b, self.c):
            if os.path.exists(node.log) and (tail := node.tail()):
                print(f"---- log of {node.name}\n{tail}", file=sys.stderr)

    def stop(self):
        for node in (self.a, self.b, self.c):
            node.stop()
