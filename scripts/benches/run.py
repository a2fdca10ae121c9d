"""One run of `scripts/bench`."""
import contextlib
import os
import shutil
import sys
import tempfile

from benches.data import ZONE, record_pieces
from benches.node import Node, wait_for


def say(what):
    """A line of progress, on standard error."""
    print(f"bench: {what}", file=sys.stderr, flush=True)


class Run:
    """The folder, the sizes, the sheet and the daemons that the measurements of a run share.

    `a` and `b` are two nodes of one account: `a` runs behind `first`, both with equal data behind `pair`; `c` is a third one that was never
    started. `group` makes nodes for one measurement alone.
    """

    def __init__(self, folder, programs, sizes, sheet, bare_route=None, may_build=True):
        self.folder, self.programs, self.sizes, self.sheet = folder, programs, sizes, sheet
        self.program, self.bare_route = os.path.join(programs, "kairand"), bare_route
        #: Whether programs beside which Kairan is measured are built where they are not.
        self.may_build = may_build
        self.records = sizes.records
        #: The name by which measurements without declared rows know the sheet.
        self.table = sheet
        self.a = Node(folder, "a", self.program)
        self.b = Node(folder, "b", self.program, peers=[self.a])
        self.c = Node(folder, "c", self.program, peers=[self.a, self.b])
        self.nodes = [self.a, self.b, self.c]
        self._is_paired = False

    def first(self):
        """Starts `a`, unless it runs."""
        if self.a.process is None:
            self.a.start()

    def pair(self):
        """Makes `a` and `b` two running nodes with equal data, once."""
        self.first()
        if self.b.process is None and self._is_paired:
            self.b.start()
        if not self._is_paired:
            self.a.api.create_zone(ZONE, "bench")
            fill(self.a, self.records)
            self.b.start()
            self.a.api.pair(self.b.api)
            wait_for("the other node to hold all records", lambda: self.b.holds(self.records), seconds=600)
            self._is_paired = True

    def rest(self):
        """Stops the shared nodes, so that they take nothing from a measurement without them."""
        for node in self.nodes:
            node.stop()

    @contextlib.contextmanager
    def group(self, *names, level="warning"):
        """Nodes in a folder of their own, each a peer of those before it; none of them is started. They end with the block."""
        folder = tempfile.mkdtemp(dir=self.folder)
        made = []
        for name in names:
            made.append(Node(folder, name, self.program, peers=list(made), level=level))
        try:
            yield made
        except Exception:
            self.print_logs(made)
            raise
        finally:
            for node in reversed(made):
                node.stop()
            shutil.rmtree(folder, ignore_errors=True)

    def print_logs(self, nodes=None):
        """The last lines of each node's log, to standard error."""
        for node in nodes or self.nodes:
            if os.path.exists(node.log) and (tail := node.tail()):
                print(f"---- log of {node.name}\n{tail}", file=sys.stderr)


def fill(node, count):
    """Imports that many records into the zone, which a running node has."""
    saved = sum(node.api.import_lines(ZONE, piece) for piece in record_pieces(count))
    if saved != count:
        raise RuntimeError(f"{saved} of {count} records imported")
