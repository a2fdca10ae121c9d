"""The clients' requests and the answers to them: the list against which the daemons are checked.

Every write carries a unique value, so each value that a daemon shows identifies its write. A write is
one of these:

    acked      the daemon acknowledged it: from then on it or a later one is present
    unknown    the connection broke: it may be present or not, but completely or not at all
    refused    the daemon refused it, or never received it: it is never present
    lost       it was unknown, and the restarted daemon did not have it: it must not come back

An unknown write that any daemon has ever shown to a reader counts as acked: a shown write is durable.
"""
import threading
import time
import zlib

from nodes import Found

OPEN, ACKED, UNKNOWN, REFUSED, LOST = "open", "acked", "unknown", "refused", "lost"


class Write:
    """One request that changes some records of a zone, all or none."""

    __slots__ = ("id", "node", "client", "values", "began", "ended", "state", "observed")

    def __init__(self, id, node, client, values):
        self.id, self.node, self.client = id, node, client
        self.values = values  # (zone, name) -> whether it puts (else it deletes)
        self.began, self.ended = time.monotonic(), float("inf")
        self.state, self.observed = OPEN, False

    @property
    def is_firm(self):
        return self.state == ACKED or self.observed

    def value(self, key):
        return self.id if self.values[key] else None

    def __str__(self):
        seen = ", seen" if self.observed else ""
        return f"{self.id} ({self.state}{seen}, at {self.node}, {self.began:.4f} to {self.ended:.4f})"


class Ledger:
    """All writes of one world, by record."""

    def __init__(self):
        self.lock = threading.RLock()
        self.by_id = {}
        self.writes = {}  # key -> the writes that may still matter
        self.deletions = {}  # key -> its deletions, however old
        self.versions = {}  # key -> version last answered by the node where the record is written
        self.groups = {}  # name of a group -> its keys, always written together
        self.swaps = set()  # (node, key, version): a version that a write replaced according to its answer
        self.seen = {}  # (reader, key) -> the write that it saw last
        self.counters = {}
        self.zones = {}  # name -> zone id, of zones whose creation was acknowledged
        self.maybe_zones = set()
        self.acked = self.unknown = self.refused = self.batches = self.observed_unknown = 0

    # ---------------------------------------------------------------- outcomes at clients

    def begin(self, id, node, client, values):
        write = Write(id, node, client, values)
        with self.lock:
            self.by_id[id] = write
            for key in values:
                self.writes.setdefault(key, []).append(write)
                if not values[key]:
                    self.deletions.setdefault(key, []).append(write)
        return write

    def acknowledge(self, write):
        with self.lock:
            write.state, write.ended = ACKED, time.monotonic()
            self.acked += len(write.values)

    def acknowledge_addition(self):
        with self.lock:
            self.acked += 1

    def refuse(self, write):
        with self.lock:
            if write.observed:
                raise Found(f"{write} was refused, but had been shown")
            write.state, write.ended = REFUSED, time.monotonic()
            self.refused += 1

    def lose_sight(self, write):
        """The connection broke: the outcome is open until the daemon's end, see `close_life`."""
        with self.lock:
            write.state = UNKNOWN
            self.unknown += 1

    def close_life(self, node, moment):
        """Requests that a killed daemon did not answer took effect before its end or never."""
        with self.lock:
            for writes in self.writes.values():
                for write in writes:
                    if write.node == node and write.ended == float("inf"):
                        write.ended = moment

    def swapped(self, node, key, version):
        """A write under the condition `if_version` was acknowledged. That can happen once for each version."""
        with self.lock:
            if version and (node, key, version) in self.swaps:
                raise Found(f"{key}: two writes at {node} replaced version {version}, by their answers")
            self.swaps.add((node, key, version))

    def current(self, key):
        """The newest write of a record with a single writer, as that writer may expect it; None when there is none."""
        with self.lock:
            firm = [write for write in self.writes.get(key, []) if write.is_firm]
            return firm[-1] if firm and firm[-1].values[key] else None

    # ---------------------------------------------------------------- values that daemons show

    def note_seen(self, reader, key, shown, refuse_step_back=True):
        """A reader saw a value. Raises if no client can have written it, or if it is older than an earlier one."""
        with self.lock:
            before = self.seen.get((reader, key))
            if shown is None:
                deletions = self.deletions.get(key, ())
                if before and refuse_step_back and not any(
                    write.state not in (REFUSED, LOST) and write.ended >= before.began for write in deletions
                ):
                    raise Found(f"{key}: {reader} saw {before}, and now nothing, although no client deleted it")
                return None
            write = self.by_id.get(shown)
            if write is None or not write.values.get(key):
                raise Found(f"{key}: {reader} shows {shown!r}, which no client wrote there")
            if write.state in (REFUSED, LOST):
                raise Found(f"{key}: {reader} shows {write}, which is impossible")
            if before and refuse_step_back and before.node == write.node and write.ended < before.began:
                raise Found(f"{key}: step back: {reader} saw {before} and now the older {write}")
            if not write.observed:
                write.observed = True
                self.observed_unknown += write.state == UNKNOWN
            self.seen[(reader, key)] = write
            return write

    def candidates(self, key, node):
        """The writes at a node, one of which must be the newest there; and the acknowledged ones among them."""
        writes = [w for w in self.writes.get(key, []) if w.node == node and w.state not in (REFUSED, LOST)]
        newest = max((write.began for write in writes if write.is_firm), default=None)
        if newest is None:
            return writes, []
        possible = [write for write in writes if write.ended >= newest]
        return possible, [write for write in possible if write.is_firm]

    def verify(self, node, key, shown, siblings=()):
        """Checks one record, as a node shows it, against all writes there."""
        with self.lock:
            write = self.note_seen(node, key, shown)
            for sibling in siblings:
                self.note_seen(f"{node}, conflicts", key, sibling, refuse_step_back=False)
            possible, firm = self.candidates(key, node)
            values = {candidate.value(key) for candidate in possible}
            if not firm:
                # Nothing was acknowledged here: its absence is allowed, and so are writes of others.
                values.add(None)
            if shown in values or values & set(siblings) - {None}:
                return
            others = [self.by_id[sibling] for sibling in siblings] + ([write] if write else [])
            if shown is None:
                others += [write for write in self.deletions.get(key, ()) if write.state not in (REFUSED, LOST)]
            others = [other for other in others if other.node != node]
            if not firm and others:
                return
            # A deletion that had not seen another node's edit gives way to it, however old that edit is.
            if others and any(not candidate.values[key] for candidate in possible) and shown is not None:
                return
            since = min((candidate.began for candidate in firm), default=0)
            if any(other.ended > since for other in others):
                return
            expected = " or ".join(str(candidate) for candidate in possible) or "nothing"
            raise Found(f"{key}: LOST at {node}: expected {expected}; found {write or 'nothing'}; siblings {siblings}")

    def settle(self, node, key, shown, siblings=(), everywhere=False):
        """Drops writes that are past, as shown by an idle node that alone writes the record, or by all nodes alike."""
        with self.lock:
            writes = self.writes.get(key, [])
            if not everywhere and any(write.node != node for write in writes):
                return
            kept = [write for write in writes if write.id == shown or write.id in siblings]
            if shown is None:
                kept = [write for write in writes if not write.values[key] and write.state not in (REFUSED, LOST)][-1:]
                for write in kept:
                    write.observed = True
            clients = {write.client for write in writes}
            for write in writes:
                if write.state == UNKNOWN and not write.observed and write not in kept and len(clients) == 1:
                    # A single writer stops at its first unanswered request, so nothing came after it.
                    if len(write.values) == 1 and write.values[key]:
                        write.state = LOST
            self.writes[key] = kept

    def verify_groups(self, node, shown):
        """A batch is present completely or not at all, on every node and at every time."""
        with self.lock:
            for group, keys in self.groups.items():
                values = {key: shown.get(key) for key in keys}
                present = {value for value in values.values() if value is not None}
                if not present:
                    continue
                if len(present) == 1:
                    batch = self.by_id.get(next(iter(present)))
                    if batch and all(batch.values.get(key) == (value is not None) for key, value in values.items()):
                        continue
                raise Found(f"batch torn at {node}, group {group}: {values}")

    # ---------------------------------------------------------------- figures

    def open_count(self):
        with self.lock:
            return sum(write.state == OPEN for writes in self.writes.values() for write in writes)


class Counter:
    """A counter and its additions: each counts exactly once, or at most once if it was not acknowledged.

    Each client stores the number of its last addition in the same write, so a shown value can be recalculated.
    """

    def __init__(self, key):
        self.key = key
        self.additions = {}  # (node, client) -> [[id, amount, acknowledged]], in the order of the requests
        self.seen = {}
        self.lock = threading.RLock()

    @staticmethod
    def field(node, client):
        return f"last-{node}{client}"

    def begin(self, node, client, id, amount):
        with self.lock:
            addition = [id, amount, False]
            self.additions.setdefault((node, client), []).append(addition)
            return addition

    def withdraw(self, node, client, addition):
        with self.lock:
            self.additions[(node, client)].remove(addition)

    def verify(self, reader, fields, settle_node=None):
        with self.lock:
            expected = 0
            known = {self.field(*who) for who in self.additions}
            strange = [name for name in fields if name.startswith("last-") and name not in known]
            if strange:
                raise Found(f"{self.key}: {reader} shows fields that no client wrote: {strange}")
            for (node, client), additions in self.additions.items():
                last = fields.get(self.field(node, client))
                ids = [addition[0] for addition in additions]
                if last is not None and last not in ids:
                    raise Found(f"{self.key}: {reader} shows addition {last}, which was refused or lost before")
                count = ids.index(last) + 1 if last is not None else 0
                if node == settle_node:
                    missing = [addition[0] for addition in additions[count:] if addition[2]]
                    if missing:
                        raise Found(f"{self.key}: LOST at {reader}: acknowledged additions {missing} of {node}{client}")
                if count < self.seen.get((reader, node, client), 0):
                    raise Found(f"{self.key}: step back at {reader}: {node}{client} is back at addition {count}")
                self.seen[(reader, node, client)] = count
                if node == settle_node:
                    del additions[count:]
                elif count and not additions[count - 1][2]:
                    # Shown elsewhere, so it is durable where it was made.
                    additions[count - 1][2] = True
                expected += sum(addition[1] for addition in additions[:count])
            value = fields["n"]["$counter"] if "n" in fields else 0
            if value != expected:
                raise Found(f"{self.key}: {reader} shows {value}; by the additions that it shows it should be {expected}")


def body(id, pad):
    """The fields of a record: the write's own value, a payload, and a checksum over both."""
    return {"v": id, "pad": pad, "check": f"{zlib.crc32((id + pad).encode()):08x}"}


def value_of(key, fields):
    """The write that a record shows; raises if the record is a mixture of several."""
    if fields.get("check") != f"{zlib.crc32((fields.get('v', '') + fields.get('pad', '')).encode()):08x}":
        raise Found(f"{key}: a mixture of several writes: {str(fields)[:300]}")
    return fields["v"]
