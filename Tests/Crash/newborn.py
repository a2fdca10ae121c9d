"""Kills at moments that occur once for each device: its first start, and its pairing."""
import os
import shutil
import threading
import time

from ledger import body, value_of
from nodes import PATIENCE, FileEvents, Found, Node, loopback, pair
from socketapi import Refused


class Cradle:
    """Daemons that live for one trial."""

    def __init__(self, program, folder, names):
        self.folder = folder
        os.makedirs(folder)
        address = loopback()
        self.nodes = [Node(program, folder, name, address) for name in names]
        self.acked = 0

    def kills(self):
        return sum(node.kills for node in self.nodes)

    def end(self):
        for node in self.nodes:
            node.discard()
        shutil.rmtree(self.folder)

    def discard(self):
        for node in self.nodes:
            node.discard()

    def describe(self):
        return "\n".join(f"---- {node.name}: last lines of {node.log}\n{node.tail()}" for node in self.nodes)

    def use(self, node, zone, name):
        """Writes a record, and reads it."""
        fields = body(f"{node.name}-{name}", "")
        node.api().request("PUT", f"/v1/zones/{zone}/records/{name}", {"type": "Crash", "fields": fields})
        self.acked += 1
        self.holds(node, zone, name, fields["v"])

    def holds(self, node, zone, name, value):
        try:
            record = node.api().request("GET", f"/v1/zones/{zone}/records/{name}")
        except Refused as refusal:
            raise Found(f"LOST at {node.name}: {name} in {zone}: {refusal}") from None
        if value_of((zone, name), record["fields"]) != value:
            raise Found(f"LOST at {node.name}: {name} in {zone} should be {value}, is {record}")


def birth(cradle, chance):
    """Killed while it makes its keys, its account and its store, again and again; then it must be usable."""
    (node,) = cradle.nodes
    os.makedirs(node.state, mode=0o700)
    # Half of them with sealed keys: the seal is made first, and must never be made twice.
    if chance.random() < 0.5:
        node.seal()
    for _ in range(chance.choice((1, 1, 2, 3))):
        if chance.random() < 0.5:
            node.launch()
            time.sleep(chance.random() * 0.08)
        else:
            _kill_at_a_file(node, chance)
        node.kill()
    status = node.start()
    node.check_identity(status)
    zone = node.make_zone("first")
    cradle.use(node, zone, "one")
    node.kill()
    node.check_identity(node.start())
    cradle.holds(node, zone, "one", f"{node.name}-one")
    cradle.use(node, zone, "two")


def _kill_at_a_file(node, chance):
    """Waits, after a launch, for one of the first files to be made, renamed or written."""
    events = FileEvents()
    try:
        kinds = FileEvents.MOVED | FileEvents.CREATE | FileEvents.MODIFY
        events.watch(node.state, kinds)
        for folder in ("keys", "store"):
            os.makedirs(os.path.join(node.state, folder), mode=0o700, exist_ok=True)
            events.watch(os.path.join(node.state, folder), kinds)
        node.launch()
        events.wait(lambda name: True, chance.randrange(1, 45), 0.3)
    finally:
        events.close()


def pairing(cradle, chance):
    """One or both are killed while one joins the other's account; then pairing must succeed, and nothing is lost."""
    host, guest = cradle.nodes
    host.peers, guest.peers = [guest], [host]
    for node in cradle.nodes:
        node.launch()
    zones = {}
    for node in cradle.nodes:
        node.check_health(node.ready())
        # Each has records of its own before: the guest's are moved into the account that it joins.
        zones[node] = node.make_zone(f"of-{node.name}")
        cradle.use(node, zones[node], "before")
    killed = _kill_while_pairing(host, guest, chance)
    for node in killed:
        node.launch()
    for node in killed:
        node.check_health(node.ready())
    for node in cradle.nodes:
        cradle.holds(node, f"of-{node.name}", "before", f"{node.name}-before")
        cradle.use(node, f"of-{node.name}", "after")
    _pair_if_needed(host, guest)
    for node in cradle.nodes:
        cradle.use(node, f"of-{node.name}", "paired")
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            for name in "before", "after", "paired":
                cradle.holds(guest, f"of-{host.name}", name, f"{host.name}-{name}")
                cradle.holds(host, f"of-{guest.name}", name, f"{guest.name}-{name}")
            break
        except Found:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    for node in cradle.nodes:
        node.check_health(node.api().status())


def _kill_while_pairing(host, guest, chance):
    events = FileEvents()
    killed = chance.choice(([host], [guest], [guest], [host, guest]))
    try:
        if chance.random() < 0.6:
            watched = chance.choice((host, guest))
            kinds = FileEvents.MOVED | FileEvents.CREATE
            events.watch(os.path.join(watched.state, "keys"), kinds)
        pairing = threading.Thread(target=_pair_blindly, args=(host, guest), daemon=True)
        pairing.start()
        if chance.random() < 0.6:
            events.wait(lambda name: True, chance.randrange(1, 5), 0.4)
        else:
            time.sleep(chance.random() * 0.25)
        for node in killed:
            node.kill()
        # It may wait long for its answer if its own daemon is alive; the answer is not needed any more.
        pairing.join(0.05)
        return killed
    finally:
        events.close()


def _pair_blindly(host, guest):
    try:
        pair(host, guest, 5)
    except (OSError, Refused, Found):
        pass  # one of them was killed, as intended


def _pair_if_needed(host, guest):
    """Checks, as a person would, whether both have joined, and if not, pairs again."""
    deadline = time.monotonic() + 2 * PATIENCE
    while host.api().status()["account"] != guest.api().status()["account"]:
        ticket = host.api().request("POST", "/v1/pairing/offers")["ticket"]
        try:
            guest.api(2 * PATIENCE).request("POST", "/v1/pairing/accept", {"ticket": ticket})
        except Refused as refusal:
            # A search for the ticket from before the kill continues until its time is over; a restart ends it.
            if refusal.code != "busy" or time.monotonic() > deadline:
                raise Found(f"pairing after a kill is refused: {refusal}") from None
            guest.kill()
            guest.launch()
            guest.check_health(guest.ready())
    device = guest.api().status()["device"]
    while True:
        peers = host.api().request("GET", "/v1/peers")
        if any(peer["device"] == device and peer["state"] == "connected" for peer in peers):
            return
        if time.monotonic() > deadline:
            raise Found(f"paired after a kill, but not connected after {PATIENCE} s: {peers}")
        time.sleep(0.02)


RUN = {"birth": (birth, "n"), "pairing": (pairing, "hg")}


def run(kind, program, folder, chance):
    """Runs one trial; returns its daemons. On failure its folder is kept."""
    action, names = RUN[kind]
    cradle = Cradle(program, folder, names)
    return cradle, lambda: action(cradle, chance)
