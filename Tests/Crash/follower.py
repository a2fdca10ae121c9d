"""A program that follows a daemon's change feed by token, across all restarts of the daemon, and keeps a copy from it."""
import json
import threading
import urllib.parse

from ledger import value_of
from nodes import Found
from socketapi import Refused


class Follower:
    """Mirrors a daemon from its feed alone. A gap is found when the copy differs, a repetition when it arrives."""

    def __init__(self, node, ledger):
        self.node, self.ledger = node, ledger
        self.name = f"the follower of {node.name}"
        self.token = ""
        self.mirror = {}
        self.changes = 0
        self.resumed = 0

    def take(self, change):
        record = change["record"]
        key = (record["zone"], record["name"])
        if change["kind"] != ("delete" if record["deleted"] else "save"):
            raise Found(f"{key}: {self.name} got a change that contradicts itself: {change}")
        if self.mirror.get(key) == record:
            raise Found(f"{key}: {self.name} got the same change twice: {str(record)[:300]}")
        self.mirror[key] = record
        self.changes += 1
        if key in self.ledger.counters:
            self.ledger.counters[key].verify(self.name, record["fields"])
        else:
            shown = None if record["deleted"] else value_of(key, record["fields"])
            self.ledger.note_seen(self.name, key, shown)

    def page(self, api, limit=200):
        """Reads one page; returns whether it has changes or more pages follow."""
        path = f"/v1/changes?limit={limit}"
        if self.token:
            path += f"&since={urllib.parse.quote(self.token, safe='')}"
        try:
            answer = api.request("GET", path)
        except Refused as refusal:
            raise Found(f"{self.name}'s token is refused: {refusal}") from None
        for change in answer["changes"]:
            self.take(change)
        self.token = answer["token"]
        return bool(answer["changes"]) or answer["more"]

    def drain(self, api):
        """Reads to the end; returns whether there were changes."""
        news = False
        while self.page(api, 1000):
            news = True
        return news

    def compare(self, listing):
        """The copy against the listings: {key: record}."""
        mirror = {key: record for key, record in self.mirror.items() if not record["deleted"]}
        for key in mirror.keys() | listing.keys():
            if mirror.get(key) != listing.get(key):
                raise Found(
                    f"{key}: gap in the feed of {self.node.name}: the follower's copy is {str(mirror.get(key))[:300]},"
                    f" the daemon lists {str(listing.get(key))[:300]}"
                )

    # ---------------------------------------------------------------- under load

    def poll(self, until, limit):
        """Requests page after page until the load ends or the daemon is gone."""
        api = self.node.api()
        self.resumed += 1
        try:
            while not until.is_set():
                if not self.page(api, limit):
                    until.wait(0.004)
        except OSError:
            self._broken()
        finally:
            api.close()

    def listen(self, until):
        """Reads the stream of events, which is the pushed feed, until the daemon is gone or the stream is closed."""
        connection = self.node.api()
        self.resumed += 1
        try:
            path = f"/v1/events?since={urllib.parse.quote(self.token, safe='')}"
            answer = connection.open("GET", path, accept="text/event-stream")
            if answer.status != 200:
                raise Found(f"{self.name}'s token is refused: {answer.status} {answer.read()[:300]!r}")
            threading.Thread(target=lambda: (until.wait(), connection.cut()), daemon=True).start()
            self._events(answer)
        except OSError:
            if not until.is_set():
                self._broken()
        finally:
            until.set()
            connection.close()

    def _events(self, answer):
        number = 0
        for line in answer.lines():
            # An event's data is one line; its id and the comments that keep the connection alive have no further content.
            if not line.startswith(b"data:"):
                continue
            event = json.loads(line[5:])
            if event["number"] != number:
                raise Found(f"{self.name}: event {event['number']} follows on {number - 1}")
            number += 1
            if event["event"] == "change":
                self.take(event)
                self.token = event["token"]

    def _broken(self):
        if not self.node.doomed.wait(2):
            raise Found(f"{self.node.name} closed its feed although it was not killed")
