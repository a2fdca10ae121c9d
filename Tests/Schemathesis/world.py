"""The data behind the interface during its test: every kind of object that it can show, in daemons made for it.

`a` gets the requests. `c` is another device of its account, `b` belongs to another account. There are zones of one's own, shared
in both directions and public; records with fields of every kind; a conflict; and a write that is in quarantine. `a` and
`b` keep parcels for others, and the account of `a` uses `b` as its relay.
"""
import json
import os
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Crash"))
from nodes import PATIENCE, Found, Node, free_port, loopback, pair  # noqa: E402
from socketapi import Refused  # noqa: E402

CONTAINER = "org.example.notes"
FIELDS = {
    "text": "odd \U0001f980 e\u0301\u0000",
    "whole": 9007199254740993,
    "fraction": 0.5,
    "not a number": {"$double": "NaN"},
    "yes": True,
    "nothing": None,
    "bytes": {"$bytes": "AAH/"},
    "when": {"$date": "2026-07-21T09:30:00.125Z"},
    "where": {"$location": {"latitude": 48.5, "longitude": -9.25}},
    "which": {"$reference": {"record": "n2"}},
    "count": {"$counter": 3},
    "tags": {"$set": ["a", 1]},
    "list": [1, ["x", {"$int64": "-9223372036854775808"}]],
}


class RelayNode(Node):
    """A daemon that keeps parcels for others."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.relay_address = f"{self.address}:{free_port(self.address)}"

    def _environment(self):
        relay = {"KAIRAN_RELAY": "true", "KAIRAN_RELAY_LISTEN": self.relay_address, "KAIRAN_RELAY_ADDRESS": self.relay_address}
        return {**super()._environment(), **relay}


class World:
    def __init__(self, program, folder):
        address = loopback()
        kinds = [("a", RelayNode), ("b", RelayNode), ("c", Node)]
        self.a, self.b, self.c = self.nodes = [kind(program, folder, name, address) for name, kind in kinds]
        for node in self.nodes:
            node.peers = [other for other in self.nodes if other is not node]

    def begin(self):
        """Starts the daemons and makes everything; about ten seconds."""
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            node.ready()
        pair(self.a, self.c)
        self.account = self.ask(self.a, "GET", "/v1/status")["account"]
        self.other_account = self.ask(self.b, "GET", "/v1/status")["account"]
        self.device = self.ask(self.a, "GET", "/v1/status")["device"]
        self.other_device = self.ask(self.b, "GET", "/v1/status")["device"]
        self._own_zones()
        self._shares()
        self._messages()
        self._assets()
        self._relays()
        self._quarantine()
        self._conflict()
        self.token = self.ask(self.a, "GET", "/v1/changes?limit=1")["token"]
        self.version = self.ask(self.a, "GET", self.record("notes", "n1"))["version"]

    def ask(self, node, method, path, document=None):
        connection = node.api()
        try:
            return connection.request(method, path, document)
        finally:
            connection.close()

    @staticmethod
    def record(zone, name):
        return f"/v1/zones/{urllib.parse.quote(zone, safe='')}/records/{urllib.parse.quote(name, safe='')}"

    def make_zone(self, node, name):
        zone = self.ask(node, "POST", "/v1/zones", {"name": name, "container": CONTAINER})["zone"]
        self.ask(node, "PUT", self.record(zone, "n1"), {"type": "Note", "fields": FIELDS})
        return zone

    def _own_zones(self):
        self.zones = {name: self.make_zone(self.a, name) for name in ("notes", "lent", "revoked", "public")}
        for name in ("n2", "a/b c\u00fc", "e\u0301%2F?", "x" * 255):
            self.ask(self.a, "PUT", self.record("notes", name), {"fields": {"text": name}})
        self.ask(self.a, "PUT", "/v1/zones/public/public", {"world": ["read"], "authenticated": ["create"]})
        self.wait("the zones at the second device", lambda: len(self.ask(self.c, "GET", "/v1/zones")) >= 4)

    def _conflict(self):
        """Each of two devices changes the same field while all others are off."""
        path = self.record("notes", "disputed")
        self.ask(self.a, "PUT", path, {"fields": {"text": "begun"}})
        self.wait("the record at the second device", lambda: self.ask(self.c, "GET", path))
        self.b.stop(), self.c.stop()
        self.ask(self.a, "PUT", path, {"fields": {"text": "by the first"}})
        self.a.stop()
        self.c.start()
        self.ask(self.c, "PUT", path, {"fields": {"text": "by the second"}})
        self.a.start(), self.b.start()
        self.wait("the conflict", lambda: self.ask(self.a, "GET", "/v1/conflicts")["conflicts"], seconds=60)

    def _join(self, owner, guest, zone, rights):
        link = self.ask(owner, "POST", f"/v1/zones/{zone}/invites", {"rights": rights})["link"]
        self.wait(
            "the other account to join",
            lambda: self.ask(guest, "POST", "/v1/joins", {"link": link})["state"] == "joined",
        )
        self.wait("the shared zone", lambda: self.ask(guest, "GET", self.record(zone, "n1")))

    def _shares(self):
        self._join(self.a, self.b, self.zones["lent"], "write")
        self.zones["borrowed"] = self.make_zone(self.b, "borrowed")
        self._join(self.b, self.a, self.zones["borrowed"], "admin")
        # An invitation with approval, opened by the other account: its request waits.
        terms = {"rights": "read", "uses": 8, "approval": True}
        self.invite = self.ask(self.a, "POST", f"/v1/zones/{self.zones['notes']}/invites", terms)
        self.ask(self.b, "POST", "/v1/joins", {"link": self.invite["link"]})
        shares = f"/v1/zones/{self.zones['notes']}/shares"
        self.wait("the request", lambda: self.ask(self.a, "GET", shares)["requests"])
        self.request = self.ask(self.a, "GET", shares)["requests"][0]["request"]

    def _messages(self):
        """A message in each direction, in zones of both accounts: one waits, the other has a state."""
        sent = self.ask(self.a, "POST", f"/v1/zones/{self.zones['borrowed']}/messages", {"text": "from here"})
        self.ask(self.b, "POST", f"/v1/zones/{self.zones['lent']}/messages", {"data": "AAH/", "to": [self.account]})
        self.wait("the message", lambda: self.ask(self.a, "GET", "/v1/inbox")["messages"])
        self.messages = [sent["message"], self.ask(self.a, "GET", "/v1/inbox")["messages"][0]["message"]]
        # A message that is too large for its record, and an uploaded payload without a message.
        large = self.hand_in(self.b, self.zones["lent"], bytes(range(256)) * 1_000)
        self.ask(self.b, "POST", f"/v1/zones/{self.zones['lent']}/messages", {"payload": large})
        self.wait("the large message", lambda: len(self.ask(self.a, "GET", "/v1/inbox")["messages"]) == 2)
        self.messages += [message["message"] for message in self.ask(self.a, "GET", "/v1/inbox")["messages"][1:]]
        self.payload = self.hand_in(self.a, self.zones["borrowed"], b"x" * 20_000)

    def _assets(self):
        """A record with assets in fields of each form, and content that no record names."""
        zone = self.zones["notes"]
        one, two, self.asset = (self.upload(self.a, zone, bytes([number]) * 70_000) for number in range(3))
        described = {"asset": one, "media_type": "image/png", "name": "lake \u00fc.png", "thumbnail": "AAH/"}
        described["modified_at"] = "2026-07-21T09:30:00.125Z"
        fields = {"picture": {"$asset": described}, "others": [{"$asset": {"asset": two}}, 1]}
        fields["all"] = {"$set": [{"$asset": {"asset": one}}]}
        self.ask(self.a, "PUT", self.record(zone, "n1"), {"fields": fields})
        self.assets = [one, two]

    @staticmethod
    def upload(node, zone, data):
        connection = node.api()
        try:
            answer = connection.open("POST", f"/v1/zones/{zone}/assets", data, "application/octet-stream")
            return json.loads(answer.read())["asset"]
        finally:
            connection.close()

    def _relays(self):
        """A connected relay in use, one that is not used yet, and accounts for which parcels are kept."""
        admissions = "/v1/relay/admissions"
        self.link = self.ask(self.b, "POST", admissions, {"name": "Ada"})["link"]
        self.relay = self.ask(self.a, "POST", "/v1/relays", {"link": self.link})["relay"]
        self.wait("the relay", lambda: self.ask(self.a, "GET", "/v1/relays")[0]["state"] == "connected")
        made = [self.ask(self.a, "POST", admissions, {"name": f"guest {number}"}) for number in range(20)]
        self.own_link = made[0]["link"]
        self.admissions = [admission["admission"] for admission in made]

    @staticmethod
    def hand_in(node, zone, data):
        connection = node.api()
        try:
            answer = connection.open("POST", f"/v1/zones/{zone}/payloads", data, "application/octet-stream")
            return json.loads(answer.read())["payload"]
        finally:
            connection.close()

    def _quarantine(self):
        """The other account loses its right while it is away, writes, and comes back."""
        zone = self.zones["revoked"]
        self._join(self.a, self.b, zone, "write")
        self.b.stop()
        self.ask(self.a, "DELETE", f"/v1/zones/{zone}/shares/{self.other_account}?reason=moved%20out")
        self.a.stop(), self.c.stop()
        self.b.start()
        for number in range(8):
            self.ask(self.b, "PUT", self.record(zone, f"late-{number}"), {"fields": FIELDS})
        self.a.start(), self.c.start()
        path = f"/v1/zones/{zone}/quarantine"
        self.wait("the late writes", lambda: len(self.ask(self.a, "GET", path)) == 8, seconds=60)
        self.quarantined = [write["id"] for write in self.ask(self.a, "GET", path)]

    def places(self):
        """The zone of each object that a request can name, by the parameter that names it."""
        return {
            "id": dict.fromkeys(self.quarantined, self.zones["revoked"]),
            "request": {self.request: self.zones["notes"]},
            "invite": {self.invite["invite"]: self.zones["notes"]},
            "name": dict.fromkeys(("n2", "disputed"), self.zones["notes"]),
            "payload": {self.payload: self.zones["borrowed"]},
        }

    def wait(self, what, condition, seconds=PATIENCE):
        deadline = time.monotonic() + seconds
        while True:
            try:
                if condition():
                    return
            except Refused as refusal:
                last = refusal
            else:
                last = "no"
            if time.monotonic() > deadline:
                raise Found(f"waited {seconds} s for {what}; the last answer: {last}")
            time.sleep(0.02)

    def end(self):
        """Checks that the daemon is healthy at the end; returns the faults."""
        status = self.ask(self.a, "GET", "/v1/status")
        for node in self.nodes:
            node.stop()
        mistakes = [] if status["state"] == "ready" else [f"the daemon is {status['state']} afterwards"]
        with open(self.a.log, errors="replace") as log:
            mistakes += [line.strip() for line in log if "request failed" in line or "Fatal error" in line]
        return mistakes

    def discard(self):
        for node in self.nodes:
            node.discard()


if __name__ == "__main__":
    # Makes the world, and nothing else.
    import tempfile

    with tempfile.TemporaryDirectory(prefix="kairan-schemathesis.") as folder:
        world = World(sys.argv[1], folder)
        try:
            begun = time.monotonic()
            world.begin()
            print(f"made in {time.monotonic() - begun:.1f} s")
            print(json.dumps({"zones": world.zones, "quarantined": world.quarantined, "request": world.request}))
            print(world.end())
        except BaseException:
            print(world.a.tail(40))
            raise
        finally:
            world.discard()
