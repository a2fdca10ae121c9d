"""Two paired daemons, all writes to them, and the checks after each kill."""
import os
import shutil
import time
import urllib.parse

from follower import Follower
from ledger import Counter, Ledger, value_of
from nodes import PATIENCE, Found, Node, loopback, pair
from socketapi import Refused

BULK_COUNT = 400
SYNC_SECONDS = 90


class World:
    """A fresh account with two devices on loopback."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        os.makedirs(folder)
        self.address = loopback()
        self.nodes = [Node(program, folder, name, self.address) for name in "ab"]
        self.ledger = Ledger()
        self.followers = {node.name: Follower(node, self.ledger) for node in self.nodes}
        self.zones, self.bulk = [], None
        self.slowest_sync, self.checkpoints = 0.0, 0
        for node in self.nodes:
            # Both are static peers of each other: the one that starts last dials at once.
            node.peers = [other for other in self.nodes if other is not node]

    def begin(self):
        a, b = self.nodes
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            node.check_health(node.ready())
        pair(a, b)
        for node in self.nodes:
            node.check_identity(node.api().status())
        names = {name: a.make_zone(name) for name in ("alpha", "beta", "bulk")}
        self.zones, self.bulk = [names["alpha"], names["beta"]], names["bulk"]
        for number, zone in enumerate(self.zones):
            key = (zone, f"counter-{number}")
            self.ledger.counters[key] = Counter(key)
        for zone in names.values():
            self._wait("a zone to arrive at b", lambda zone=zone: b.api().request("GET", f"/v1/zones/{zone}"))
        self.inspect_all()

    def other(self, node):
        return self.nodes[1 - self.nodes.index(node)]

    def kill(self, node, is_stopping=False):
        node.kill(is_stopping)
        self.ledger.close_life(node.name, node.ended)

    def kills(self):
        return sum(node.kills for node in self.nodes)

    def end(self):
        for node in self.nodes:
            node.stop()
        shutil.rmtree(self.folder)

    def discard(self):
        for node in self.nodes:
            node.discard()

    def _wait(self, what, condition, seconds=PATIENCE):
        deadline = time.monotonic() + seconds
        while True:
            try:
                if condition():
                    return
            except Refused:
                pass  # does not exist yet
            if time.monotonic() > deadline:
                raise Found(f"waited {seconds} s for {what}")
            time.sleep(0.01)

    # ---------------------------------------------------------------- restarts and checks

    def revive(self, *nodes):
        """Restarts killed daemons and checks each against the lists."""
        for node in nodes:
            node.launch()
        for node in nodes:
            node.check_identity(node.ready())
        for node in nodes:
            self.inspect(node)

    def listing(self, api):
        """All records of all zones: {key: record}."""
        records = {}
        for zone in [*self.zones, self.bulk]:
            after = ""
            while after is not None:
                behind = urllib.parse.quote(after, safe="")
                page = api.request("GET", f"/v1/zones/{zone}/records?limit=1000&after={behind}")
                for record in page["records"]:
                    records[(zone, record["name"])] = record
                after = page["next"]
        return records

    def conflicts(self, api):
        """{key: the writes that are shown as its siblings}."""
        sides = {}
        after = ""
        while True:
            page = api.request("GET", f"/v1/conflicts?limit=1000{after}")
            for conflict in page["conflicts"]:
                key = (conflict["zone"], conflict["name"])
                # A deleting sibling has no fields.
                sides[key] = [value_of(key, side["fields"]) for side in conflict["siblings"] if side["fields"]]
            if "cursor" not in page:
                return sides
            after = f"&after={page['cursor']}"

    def quiet_look(self, node):
        """Listing, conflicts and feed of one moment: requested again while changes of the other node arrive."""
        api, follower = node.api(), self.followers[node.name]
        try:
            deadline = time.monotonic() + PATIENCE
            follower.drain(api)
            while True:
                listing, sides = self.listing(api), self.conflicts(api)
                if not follower.drain(api):
                    break
                if time.monotonic() > deadline:
                    raise Found(f"{node.name} is not quiet after {PATIENCE} s without any writes")
            follower.compare(listing)
            zones = {zone["name"]: zone["zone"] for zone in api.request("GET", "/v1/zones")}
            node.check_identity(api.status())
            return listing, sides, zones
        except OSError as broken:
            raise Found(f"{node.name} left a request unanswered after it was ready: {broken!r}") from None
        finally:
            api.close()

    def inspect(self, node, everywhere=False):
        """Checks everything that a node shows against all requests to it; no client writes meanwhile."""
        listing, sides, zones = self.quiet_look(node)
        shown, ledger = {}, self.ledger
        for key, record in listing.items():
            if key in ledger.counters:
                ledger.counters[key].verify(node.name, record["fields"], node.name)
            else:
                shown[key] = value_of(key, record["fields"])
                if key[1].startswith(f"own-{node.name}"):
                    ledger.versions[key] = record["version"]
        for key in ledger.counters.keys() - listing.keys():
            ledger.counters[key].verify(node.name, {}, node.name)
        for key in ledger.writes.keys() | shown.keys():
            ledger.verify(node.name, key, shown.get(key), sides.get(key, ()))
        ledger.verify_groups(node.name, shown)
        for key in ledger.writes:
            ledger.settle(node.name, key, shown.get(key), sides.get(key, ()), everywhere)
        self._check_zones(node, zones)
        return listing, sides

    def _check_zones(self, node, zones):
        for name, zone in self.ledger.zones.items():
            if name.endswith(f"-{node.name}") and zones.get(name) != zone:
                raise Found(f"LOST at {node.name}: the acknowledged zone {name}; its zones: {sorted(zones)}")
        for name in list(self.ledger.maybe_zones):
            if name.endswith(f"-{node.name}") and name in zones:
                self.ledger.maybe_zones.discard(name)
                self.ledger.zones[name] = zones[name]

    def inspect_all(self):
        for node in self.nodes:
            self.inspect(node)

    # ---------------------------------------------------------------- in step

    def in_step(self, and_know_it):
        """Whether all nodes have the same data; and whether each knows that of the other."""
        views = []
        for node in self.nodes:
            zones = node.api().request("GET", "/v1/zones")
            if and_know_it and node.api().status()["pending"]:
                return False
            if and_know_it and not all(zone["peers"] and all(p["in_sync"] for p in zone["peers"]) for zone in zones):
                return False
            views.append(sorted((zone["zone"], zone["digest"], zone["records"]) for zone in zones))
        return all(view == views[0] for view in views)

    def converge(self, and_know_it=False):
        """Waits until all are in step, and compares everything that they show."""
        begun = time.monotonic()
        self._wait("the nodes to be in step", lambda: self.in_step(and_know_it), SYNC_SECONDS)
        self.slowest_sync = max(self.slowest_sync, time.monotonic() - begun)
        views = [self.quiet_look(node) for node in self.nodes]
        for part, what in enumerate(("records", "conflicts", "zones")):
            first, second = (view[part] for view in views)
            for key in first.keys() | second.keys():
                one, two = first.get(key), second.get(key)
                if what == "conflicts":
                    one, two = sorted(one or []), sorted(two or [])
                if one != two:
                    raise Found(f"{what}, {key}: in step, but a has {str(one)[:300]} and b has {str(two)[:300]}")
        for name, zone in self.ledger.zones.items():
            if any(view[2].get(name) != zone for view in views):
                raise Found(f"LOST: the acknowledged zone {name} is not on all nodes")
        # Each node separately first: equal nodes may have lost the same data.
        self.inspect_all()
        for node in self.nodes:
            self.inspect(node, everywhere=node is self.nodes[-1])

    def describe(self):
        return "\n".join(f"---- {node.name}: last lines of {node.log}\n{node.tail()}" for node in self.nodes)

