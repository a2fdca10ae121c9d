"""Messages that wait for a node that is off."""
import time

from benches.node import Node, wait_for

MESSAGES = 10_000
IDLE_SECONDS = 20


def parcels(run):
    """10,000 messages for a node that is off, from its start until all are delivered and finished: seconds, while a relay of another party holds
    them and their sender is off. Baseline: the same directly from their sender. Also the bytes of a message at the relay, its memory with them,
    and the milliseconds of processor time that it uses a second afterwards."""
    run.pair()
    relay = Node.relay(run.folder, run.program)
    relay.start()
    try:
        use_relay(run, relay)
        run.b.stop()
        send_all(run, "directly")
        run.b.start()
        direct = drained(run)
        run.b.stop()
        before = usage(relay)["parcels"]
        send_all(run, "by the relay")
        add_weight(run.table, relay, settled(relay, before))
        run.a.stop()
        run.b.start()
        mailed = drained(run)
        run.table.add(f"{MESSAGES:,} waiting messages, delivered and finished, directly", f"{direct:.1f} s", "", "", drain_direct_seconds=direct)
        run.table.add(
            "  the same from a relay, their sender off", f"{mailed:.1f} s", f"{direct / mailed:.2f} x the rate of directly",
            "at least 0.5 x", drain_relay_seconds=mailed,
        )
        idle, _ = relay.rest(IDLE_SECONDS)
        run.table.add("  an idle relay, ms of processor a second", f"{1e3 * idle:.1f}", relay_idle_ms=1e3 * idle)
        run.a.start()
    finally:
        relay.stop()


def use_relay(run, relay):
    """Admits the account of both nodes to the relay, and waits until both are connected to it."""
    admission = {"name": "bench", "quota_bytes": 8_000_000_000}
    link = relay.api.request("POST", "/v1/relay/admissions", admission)["link"]
    run.a.api.request("POST", "/v1/relays", {"link": link})
    for node in run.a, run.b:
        wait_for("the relay", lambda: [r["state"] for r in node.api.request("GET", "/v1/relays")] == ["connected"])


def usage(relay):
    """The relay's storage of the only admission."""
    return relay.api.request("GET", "/v1/relay/admissions")[0]


def send_all(run, name):
    for number in range(MESSAGES):
        run.a.send(f"{name} {number} " + "x" * 200)


def settled(relay, before):
    """The relay's storage, once it has had more parcels than before and the same number for 15 s."""
    quiet = 0
    while quiet < 15:
        held = usage(relay)
        time.sleep(1)
        quiet = quiet + 1 if usage(relay)["parcels"] == held["parcels"] > before else 0
    return held


def add_weight(table, relay, held):
    each = held["stored_bytes"] / MESSAGES
    table.add(
        f"{MESSAGES:,} messages of 200 bytes at a relay, bytes of each", f"{each:,.0f}", f"{held['parcels']} parcels", "",
        parcel_bytes_per_message=each,
    )
    memory = relay.memory()
    table.add("  its memory with them", f"{memory:.0f} MiB", "", "", relay_mib=memory)


def drained(run):
    """Seconds until all messages are delivered to a program at `b` and finished."""
    seen, begun = 0, time.perf_counter()
    while seen < MESSAGES:
        wait_for("messages", run.b.waiting, seconds=300)
        for message in run.b.waiting():
            run.b.finish(message["message"])
            seen += 1
    assert seen == MESSAGES, f"{seen} of {MESSAGES} messages"
    return time.perf_counter() - begun
