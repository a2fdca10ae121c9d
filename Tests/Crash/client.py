"""A program that writes to a daemon until the daemon is killed, and records its requests and the answers."""
import json
import random
import urllib.parse

from ledger import body, value_of
from nodes import Found
from socketapi import Refused

GROUP = 5
# The actions of a client, and their frequencies.
OPERATIONS = {
    "own": 30, "own_if_version": 12, "own_delete": 7, "stale": 3, "shared": 8, "shared_swap": 6, "cross": 5,
    "cross_delete": 1, "batch": 14, "refused_batch": 3, "count": 10, "many": 2, "zone": 1,
}
ZONE_COUNT_MAX = 15
# A request that an idle daemon leaves unanswered for this long is a hang.
ANSWER_SECONDS = 20


class Client:
    """One program with one connection; it stops at the first broken one."""

    def __init__(self, world, node, name, prefix, seed):
        self.ledger, self.zones, self.node, self.name = world.ledger, world.zones, node, name
        self.prefix, self.random = f"{prefix}.{node.name}{name}", random.Random(f"{seed}/{prefix}/{node.name}{name}")
        self.count = 0
        self.api = None
        self.requests = 0

    # ---------------------------------------------------------------- requests

    def next_id(self):
        self.count += 1
        return f"{self.prefix}.{self.count}"

    def pad(self):
        size = self.random.choice((0, 20, 20, 100, 100, 300, 1000))
        if self.random.random() < 0.02:
            size = 20_000
        return "x" * size

    def ask(self, method, path, document=None, refusals=()):
        """Returns the answer, or None if it is one of these refusals; raises the error of a broken connection."""
        self.requests += 1
        try:
            return self.api.request(method, path, document)
        except Refused as refusal:
            if refusal.code in refusals:
                return None
            raise Found(f"{method} {path} at {self.node.name} was refused: {refusal}") from None

    def record_path(self, key):
        zone, name = key
        return f"/v1/zones/{zone}/records/{urllib.parse.quote(name, safe='')}"

    def tell(self, write, ask, expect_refusal=False):
        """Runs the request of a write and records the outcome; returns the answer, or None if it was refused."""
        try:
            answer = ask()
        except OSError:
            self.ledger.lose_sight(write)
            raise
        if answer is None:
            self.ledger.refuse(write)
        else:
            if expect_refusal:
                raise Found(f"{write} was to be refused and was performed: {answer}")
            self.ledger.acknowledge(write)
        return answer

    def put(self, key, condition=None, refusals=(), expect_refusal=False):
        write = self.ledger.begin(self.next_id(), self.node.name, self.name, {key: True})
        document = {"type": "Crash", "fields": body(write.id, self.pad())}
        if condition is not None:
            document["if_version"] = condition
        answer = self.tell(write, lambda: self.ask("PUT", self.record_path(key), document, refusals), expect_refusal)
        if answer is not None and condition is not None:
            self.ledger.swapped(self.node.name, key, condition)
        return write, answer

    # ---------------------------------------------------------------- kinds of writes

    def zone(self):
        return self.random.choice(self.zones)

    def own_key(self):
        return (self.zone(), f"own-{self.node.name}{self.name}-{self.random.randrange(4)}")

    def own(self, key=None, condition=None):
        key = key or self.own_key()
        write, answer = self.put(key, condition)
        self.ledger.versions[key] = answer["version"]
        if self.random.random() < 0.3:
            self.read_back(key, write.id)

    def read_back(self, key, expected):
        """Checks that this program, the only writer there, reads the state that was acknowledged to it."""
        answer = self.ask("GET", self.record_path(key), refusals=("record.unknown", "record.deleted"))
        found = value_of(key, answer["fields"]) if answer else None
        if found != expected:
            raise Found(f"{key}: {self.node.name} acknowledged {expected} and shows {found} to the same program")

    def own_if_version(self):
        key = self.own_key()
        self.own(key, self.ledger.versions[key] if self.ledger.current(key) else "")

    def own_delete(self):
        key = self.own_key()
        if not self.ledger.current(key):
            return
        path = self.record_path(key)
        condition = self.ledger.versions[key]
        if self.random.random() < 0.5:
            path += f"?if_version={condition}"
        write = self.ledger.begin(self.next_id(), self.node.name, self.name, {key: False})
        self.tell(write, lambda: self.ask("DELETE", path))
        if self.random.random() < 0.3:
            self.read_back(key, None)

    def stale(self):
        """A write under a condition that does not hold."""
        key = self.own_key()
        condition = "" if self.ledger.current(key) else "0" * 32
        self.put(key, condition, ("record.version_mismatch", "record.unknown", "record.deleted"), expect_refusal=True)

    def shared(self):
        self.put((self.zone(), f"shared-{self.node.name}-{self.random.randrange(3)}"))

    def cross(self):
        key = (self.zone(), f"cross-{self.random.randrange(4)}")
        if self.random.random() < 0.3:
            record = self.ask("GET", self.record_path(key), refusals=("record.unknown", "record.deleted"))
            if record and record["conflicts"]:
                self.resolve(key)
                return
        self.put(key)

    def resolve(self, key):
        write = self.ledger.begin(self.next_id(), self.node.name, self.name, {key: True})
        document = {"fields": body(write.id, self.pad())}
        refusals = ("conflict.unknown", "record.unknown", "record.deleted")
        self.tell(write, lambda: self.ask("POST", self.record_path(key) + "/resolve", document, refusals))

    def shared_swap(self):
        """Reads and writes under the condition that no write came between: of several clients one succeeds."""
        place = f"shared-{self.node.name}-{self.random.randrange(3)}"
        key = (self.zone(), place if self.random.random() < 0.8 else f"cross-{self.random.randrange(4)}")
        record = self.ask("GET", self.record_path(key), refusals=("record.unknown", "record.deleted"))
        self.put(key, record["version"] if record else "", ("record.version_mismatch", "record.unknown", "record.deleted"))

    def cross_delete(self):
        key = (self.zone(), f"cross-{self.random.randrange(4)}")
        write = self.ledger.begin(self.next_id(), self.node.name, self.name, {key: False})
        self.tell(write, lambda: self.ask("DELETE", self.record_path(key), refusals=("record.unknown", "record.deleted")))

    def batch(self, refused=False):
        zone, group = self.zone(), f"batch-{self.node.name}{self.name}-{self.random.randrange(2)}"
        keys = [(zone, f"{group}-{index}") for index in range(GROUP)]
        self.ledger.groups.setdefault((zone, group), keys)
        deleted = {key for key in keys if self.ledger.current(key) and self.random.random() < 0.2}
        if len(deleted) == GROUP:
            deleted.pop()
        write = self.ledger.begin(self.next_id(), self.node.name, self.name, {key: key not in deleted for key in keys})
        pad, writes = self.pad(), []
        for key in keys:
            if key in deleted:
                writes.append({"name": key[1], "delete": True})
            else:
                writes.append({"name": key[1], "type": "Crash", "fields": body(write.id, pad)})
        if refused:
            # Last in the batch, so that all others are done before it is examined.
            writes[-1] = {"name": keys[-1][1], "fields": body(write.id, pad), "if_version": "0" * 32}
        else:
            self.random.shuffle(writes)
        refusals = ("record.version_mismatch", "record.unknown", "record.deleted") if refused else ()
        path = f"/v1/zones/{zone}/batch"
        self.tell(write, lambda: self.ask("POST", path, {"writes": writes}, refusals), expect_refusal=refused)
        if not refused:
            self.ledger.batches += 1

    def refused_batch(self):
        self.batch(refused=True)

    def many(self):
        """Some independent writes in one request."""
        zone = self.zone()
        keys = [(zone, f"many-{self.node.name}{self.name}-{index}") for index in range(8)]
        writes = [self.ledger.begin(self.next_id(), self.node.name, self.name, {key: True}) for key in keys]
        lines = [{"name": key[1], "fields": body(write.id, "")} for key, write in zip(keys, writes)]
        try:
            answer = self.ask("POST", f"/v1/zones/{zone}/batch", {"atomic": False, "writes": lines})
        except OSError:
            for write in writes:
                self.ledger.lose_sight(write)
            raise
        if answer["saved"] != len(writes):
            raise Found(f"a batch of independent writes at {self.node.name}: {answer}")
        for write in writes:
            self.ledger.acknowledge(write)

    def increment(self):
        key = self.random.choice(list(self.ledger.counters))
        counter = self.ledger.counters[key]
        field, amount = counter.field(self.node.name, self.name), self.random.randrange(1, 1000)
        record = self.ask("GET", self.record_path(key), refusals=("record.unknown", "record.deleted"))
        value = record["fields"]["n"]["$counter"] if record else 0
        id = self.next_id()
        document = {
            "type": "Counter",
            "fields": {"n": {"$counter": value + amount}, field: id},
            "if_version": record["version"] if record else "",
        }
        addition = counter.begin(self.node.name, self.name, id, amount)
        answer = self.ask("PUT", self.record_path(key), document, ("record.version_mismatch", "record.unknown", "record.deleted"))
        if answer is None:
            counter.withdraw(self.node.name, self.name, addition)
            return
        addition[2] = True
        self.ledger.acknowledge_addition()
        self.ledger.swapped(self.node.name, key, document["if_version"])

    def make_zone(self):
        with self.ledger.lock:
            name = f"made-{len(self.ledger.zones) + len(self.ledger.maybe_zones)}-{self.node.name}"
            is_full = len(self.ledger.zones) + len(self.ledger.maybe_zones) >= ZONE_COUNT_MAX
            if is_full or name in self.ledger.maybe_zones:
                return
            self.ledger.maybe_zones.add(name)
        answer = self.ask("POST", "/v1/zones", {"name": name, "container": "crash"})
        with self.ledger.lock:
            self.ledger.zones[name] = answer["zone"]
            self.ledger.maybe_zones.discard(name)

    # ---------------------------------------------------------------- running

    ACTIONS = {
        "own": own, "own_if_version": own_if_version, "own_delete": own_delete, "stale": stale, "shared": shared,
        "shared_swap": shared_swap, "cross": cross, "cross_delete": cross_delete, "batch": batch,
        "refused_batch": refused_batch, "count": increment, "many": many, "zone": make_zone,
    }

    def mixed(self, until):
        kinds, weights = list(OPERATIONS), list(OPERATIONS.values())
        while not until.is_set():
            self.ACTIONS[self.random.choices(kinds, weights)[0]](self)

    def hammer(self, until):
        """Small writes as fast as possible: each makes the write-ahead log a dozen pages longer."""
        while not until.is_set():
            self.own()

    def imports(self, until, zone, count):
        """Sends many lines and meanwhile reads how many of them are durable."""
        names = [(zone, f"bulk-{self.node.name}-{index:03}") for index in range(count)]
        writes = [self.ledger.begin(self.next_id(), self.node.name, self.name, {key: True}) for key in names]
        lines = b"".join(
            json.dumps({"name": key[1], "type": "Bulk", "fields": body(write.id, "z" * 150)}).encode() + b"\n"
            for key, write in zip(names, writes)
        )
        self.requests += 1
        saved = 0
        try:
            answer = self.api.open("POST", f"/v1/zones/{zone}/import", lines, "application/x-ndjson")
            if answer.status != 200:
                raise Found(f"an import at {self.node.name} was refused: {answer.read()[:300]!r}")
            for line in filter(None, answer.lines()):
                progress = json.loads(line)
                if progress["failed"] or progress.get("problem"):
                    raise Found(f"an import at {self.node.name} failed: {progress}")
                for write in writes[saved : progress["saved"]]:
                    self.ledger.acknowledge(write)
                saved = progress["saved"]
        finally:
            for write in writes[saved:]:
                self.ledger.lose_sight(write)

    def run(self, until, found, action, *arguments):
        """Performs actions until the load ends or the daemon is gone; errors are added to `found`."""
        self.api = self.node.api(ANSWER_SECONDS)
        try:
            action(self, until, *arguments)
        except OSError as broken:
            if not self.node.doomed.wait(2):
                found.append(Found(f"{self.node.name} left a request unanswered, although it was not killed: {broken!r}"))
        except Found as problem:
            found.append(problem)
        except Exception as mistake:  # A mistake of this harness is not a pass.
            found.append(mistake)
        finally:
            self.api.close()
