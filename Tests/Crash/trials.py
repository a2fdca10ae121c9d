"""The kinds of trials: the daemons' activity at the kill."""
import os
import time

from client import Client
from load import Load
from nodes import FileEvents
from world import BULK_COUNT

KINDS = {"load": 40, "both": 14, "start": 13, "backlog": 13, "checkpoint": 8, "birth": 6, "pairing": 6}


def pause(chance, low, high):
    """A random delay within the limits, often a short one: most happens right after a start."""
    time.sleep(low + (high - low) * chance.random() ** 1.5)


def load(world, load, chance):
    """One daemon is killed while programs write to both."""
    victim = chance.choice(world.nodes)
    load.mixed(world.nodes, chance)
    pause(chance, 0.01, 0.22)
    world.kill(victim)
    load.end()
    world.revive(victim)


def both(world, load, chance):
    """Both are killed at nearly the same moment. Sometimes the first must answer before the other has restarted."""
    first, second = chance.sample(world.nodes, 2)
    load.mixed(world.nodes, chance)
    pause(chance, 0.01, 0.2)
    gap = chance.choice((0, 0, 0.002, 0.02))
    world.kill(first)
    time.sleep(gap)
    world.kill(second)
    load.end()
    if chance.random() < 0.5:
        world.revive(first)
        world.revive(second)
    else:
        world.revive(first, second)


def start(world, load, chance):
    """Killed under load, and again while it starts, once or more often."""
    victim = chance.choice(world.nodes)
    load.mixed(world.nodes, chance)
    pause(chance, 0.01, 0.1)
    world.kill(victim)
    load.end()
    for _ in range(chance.choice((1, 1, 2, 3))):
        victim.launch()
        time.sleep(chance.random() * 0.09)
        world.kill(victim)
    world.revive(victim)


def backlog(world, load, chance):
    """One was off during many writes; one or both are killed during its catch-up, or during the writes."""
    away = chance.choice(world.nodes)
    source = world.other(away)
    world.kill(away)
    load.client(source, "i", Client.imports, world.bulk, BULK_COUNT)
    load.client(source, "0", Client.mixed)
    load.follow(source, chance)
    if chance.random() < 0.4:
        # During the import at the source itself.
        pause(chance, 0.005, 0.12)
        world.kill(source)
        load.end()
        world.revive(source, away)
        return
    load.threads[0].join(20)
    away.launch()
    time.sleep(0.03 + chance.random() * 0.25)
    killed = chance.choice(([away], [away], [source], [away, source]))
    for node in killed:
        world.kill(node)
    load.end()
    if away not in killed:
        away.check_identity(away.ready())
    world.revive(*killed)


def checkpoint(world, load, chance):
    """Killed while the database file itself is written: while the write-ahead log is copied into it."""
    victim = chance.choice(world.nodes)
    stops, pages = chance.random() < 0.6, chance.choice((1, 1, 2, 5, 20))
    events = FileEvents()
    events.watch(os.path.join(victim.state, "store"), FileEvents.MODIFY)
    try:
        for name in "012":
            load.client(victim, name, Client.mixed if stops else Client.hammer)
        load.follow(victim, chance)
        if stops:
            # A daemon that stops copies the log, at any length.
            pause(chance, 0.02, 0.15)
            load.end()
            victim.terminate()
        # Without an event in time, this is a kill under load, and the log is longer next time.
        world.checkpoints += events.wait(lambda name: name == "kairan.db", pages, 0.4)
    finally:
        events.close()
    world.kill(victim, is_stopping=stops)
    load.end()
    world.revive(victim)


RUN = {"load": load, "both": both, "start": start, "backlog": backlog, "checkpoint": checkpoint}


def run(kind, world, trial, seed, chance):
    """Runs one trial; returns the number of requests."""
    at_work = Load(world, f"t{trial}", seed)
    try:
        RUN[kind](world, at_work, chance)
        return sum(client.requests for client in at_work.clients)
    except BaseException:
        at_work.until.set()
        for problem in at_work.found:
            # A client's finding is nearer to the cause than later findings that result from its end.
            raise problem from None
        raise
