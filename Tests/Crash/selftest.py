"""Proof that the harness can fail: false entries in its lists and damage in the stores, each of which it must notice."""
import os
import re
import shutil
import sqlite3
import tempfile
import traceback

from client import Client
from ledger import ACKED, UNKNOWN, body
from nodes import Found
from socketapi import Refused
from world import World


class Scene:
    """A world with a few writes. One daemon is off, so that it cannot repair the damage at the other."""

    def __init__(self, world, seed):
        self.world = world
        self.world.begin()
        self.a, self.b = self.world.nodes
        self.ledger, self.zone = self.world.ledger, self.world.zones[0]
        self.client = Client(self.world, self.a, "0", "self", seed)
        self.client.api = self.a.api()
        self.world.kill(self.b)
        self.key = (self.zone, "own-a0-0")
        self.client.own(self.key)
        for _ in range(20):
            self.client.batch()
            self.client.increment()
        self.client.refused_batch()

    def kill(self):
        self.client.api.close()
        self.world.kill(self.a)

    def alone(self):
        """Starts the one daemon and checks everything."""
        self.kill()
        self.world.revive(self.a)

    def store(self, statement, *values):
        """Changes a killed daemon's database from outside."""
        database = sqlite3.connect(os.path.join(self.a.state, "store", "kairan.db"))
        changed = database.execute(statement, values).rowcount
        database.commit()
        database.close()
        if changed < 1:
            raise RuntimeError(f"nothing to damage: {statement}")


def nothing_planted(scene):
    scene.alone()
    scene.world.revive(scene.b)
    scene.world.converge(and_know_it=True)


def acknowledged_but_never_sent(scene):
    write = scene.ledger.begin("self.lie", "a", "0", {(scene.zone, "own-a0-1"): True})
    scene.ledger.acknowledge(write)
    scene.alone()


def dropped_from_the_store(scene):
    scene.kill()
    scene.store("DELETE FROM record WHERE name = ?", scene.key[1])
    scene.world.revive(scene.a)


def set_back_to_an_older_state(scene):
    """The whole directory is rolled back, including the sentinel, as by a disk that lies about syncing."""
    scene.kill()
    saved = scene.world.folder + "-saved"
    shutil.copytree(scene.a.state, saved)
    scene.world.revive(scene.a)
    scene.client.own(scene.key)
    scene.kill()
    shutil.rmtree(os.path.join(scene.a.state, "store"))
    shutil.copytree(os.path.join(saved, "store"), os.path.join(scene.a.state, "store"))
    shutil.copyfile(os.path.join(saved, "sentinel"), os.path.join(scene.a.state, "sentinel"))
    shutil.rmtree(saved)
    scene.world.revive(scene.a)


def set_back_without_the_sentinel(scene):
    scene.kill()
    os.remove(os.path.join(scene.a.state, "sentinel"))
    scene.world.revive(scene.a)


def torn_batch(scene):
    """One record of an unacknowledged batch shows the batch before."""
    scene.client.batch()
    write = [write for write in scene.ledger.by_id.values() if len(write.values) > 1 and write.state == ACKED][-1]
    key = next(key for key, puts in write.values.items() if puts)
    write.state = UNKNOWN
    scene.kill()
    scene.store("UPDATE record SET deleted = 1 WHERE name = ? AND zone = (SELECT id FROM zone LIMIT 1)", key[1])
    shown = {key: write.value(key) for key in write.values} | {key: None}
    scene.ledger.verify_groups("a", shown)


def counted_twice(scene):
    """An addition was made a second time, as by a retry."""
    key, counter = next(iter(scene.ledger.counters.items()))
    record = scene.client.ask("GET", scene.client.record_path(key))
    value = record["fields"]["n"]["$counter"]
    scene.client.ask("PUT", scene.client.record_path(key), {"fields": {"n": {"$counter": value + 7}}})
    scene.alone()


def acknowledged_addition_lost(scene):
    key, counter = next(iter(scene.ledger.counters.items()))
    counter.begin("a", "0", "self.lie", 5)[2] = True
    scene.alone()


def refused_write_is_there(scene):
    write, _ = scene.client.put((scene.zone, "own-a0-2"))
    scene.ledger.refuse(write)
    scene.alone()


def half_a_record(scene):
    """Fields of two writes in one record."""
    scene.client.ask("PUT", scene.client.record_path(scene.key), {"fields": {"pad": "other"}})
    scene.alone()


def value_from_nowhere(scene):
    scene.client.ask("PUT", scene.client.record_path(scene.key), {"fields": body("nobody", "")})
    scene.alone()


def two_swaps_of_one_version(scene):
    version = scene.ledger.versions[scene.key]
    scene.ledger.swapped("a", scene.key, version)
    scene.ledger.swapped("a", scene.key, version)


def repetition_in_the_feed(scene):
    follower = scene.world.followers["a"]
    earlier = follower.token
    follower.drain(scene.a.api())
    follower.token = earlier
    scene.alone()


def gap_in_the_feed(scene):
    follower = scene.world.followers["a"]
    follower.drain(scene.a.api())
    scene.client.own((scene.zone, "own-a0-3"))
    follower.token = scene.client.ask("GET", "/v1/changes?limit=1000")["token"]
    scene.alone()


def token_from_the_future(scene):
    """As if a change was shown before it was durable, and then lost: no token may be ahead of the store."""
    scene.world.followers["a"].drain(scene.a.api())
    scene.kill()
    scene.store("UPDATE store SET change_position = change_position - 1")
    scene.world.revive(scene.a)


def changed_behind_its_back(scene):
    """A record's row differs from the written one: it is not shown."""
    scene.kill()
    scene.store("UPDATE record SET type = 'Other' WHERE name = ?", scene.key[1])
    scene.world.revive(scene.a)


def copies_that_differ(scene):
    """A difference that no list of requests shows; made in an answer, since rows of records have checksums."""
    scene.alone()
    scene.world.revive(scene.b)
    scene.world.converge()
    look = scene.world.quiet_look

    def another_type(node):
        listing, sides, zones = look(node)
        if node is scene.a:
            listing[scene.key]["type"] = "Other"
        return listing, sides, zones

    scene.world.quiet_look = another_type
    scene.world.converge()


def ended_by_itself(scene):
    scene.a.process.kill()
    scene.a.process.wait()
    scene.kill()


# The planted faults, with a pattern of the message for each.
PLANTS = {
    nothing_planted: None,
    acknowledged_but_never_sent: "LOST",
    dropped_from_the_store: "LOST|gap",
    set_back_to_an_older_state: "LOST|gap|token is refused",
    set_back_without_the_sentinel: "was .*incarnation|store.renewed",
    torn_batch: "batch torn",
    counted_twice: "should be",
    acknowledged_addition_lost: "LOST",
    refused_write_is_there: "which is impossible",
    half_a_record: "a mixture of several writes",
    value_from_nowhere: "no client wrote",
    two_swaps_of_one_version: "two writes",
    repetition_in_the_feed: "same change twice",
    gap_in_the_feed: "gap in the feed",
    token_from_the_future: "token is refused",
    changed_behind_its_back: "storage.failed",
    copies_that_differ: "in step, but",
    ended_by_itself: "ended by itself",
}


def run(program, seed):
    """Plants one fault after the other; returns the exit code. After a failure the last line reproduces it."""
    try:
        code = plant_all(program, seed)
    except BaseException:
        traceback.print_exc()
        code = 1
    if code:
        print(f"Tests/Crash/sigkill --self-test --seed {seed}", flush=True)
    return code


def complaint(plant, scene):
    """The harness's message about a planted fault; None if there is none."""
    try:
        plant(scene)
    except (Found, Refused) as found:
        return str(found)
    return None


def plant_all(program, seed):
    """As `run`, but raises errors of the harness."""
    folder, missed = tempfile.mkdtemp(prefix="kairan-crash-self."), 0
    for number, (plant, expected) in enumerate(PLANTS.items()):
        world = World(program, os.path.join(folder, str(number)))
        try:
            said = complaint(plant, Scene(world, seed))
        finally:
            world.discard()
        right = said is None if expected is None else bool(said and re.search(expected, said))
        missed += not right
        words = plant.__name__.replace("_", " ")
        print(f"{'ok    ' if right else 'MISSED'} {words}: {(said or 'no fault found')[:150]}", flush=True)
    if missed:
        print(f"self-test: {missed} of {len(PLANTS)} not noticed; state: {folder}")
        return 1
    shutil.rmtree(folder)
    print(f"self-test: all {len(PLANTS)} as expected")
    return 0
