"""Daemons that have nothing to fetch: starting, idling; and the bytes of their connection."""
import subprocess
import time

from benches.data import ZONE
from benches.node import wait_for
from benches.run import fill

STARTS = 5


def connection_bytes(a, b):
    """Bytes both ways on the TCP connection between the two, from the kernel's own count."""
    listing = subprocess.run(["ss", "-tinHO", "state", "established"], capture_output=True, text=True, check=True).stdout
    most = 0
    for line in listing.splitlines():
        columns = line.split()
        ports = {columns[2].rpartition(":")[2], columns[3].rpartition(":")[2]}
        if str(a.port) in ports or str(b.port) in ports:
            counts = {key: int(value) for key, _, value in (w.partition(":") for w in columns) if value.isdigit()}
            # bytes_sent includes retransmissions; loopback has none.
            most = max(most, counts.get("bytes_sent", 0) + counts.get("bytes_received", 0))
    return most


def start(run):
    """Milliseconds from exec to the first answer on the socket, with all the records and many empty zones in the store, which the file cache
    holds. Each of five starts is a repetition. No baseline."""
    run.rest()
    run.sheet.report("start_ms", starts(run, run.records))
    if run.sizes.many:
        run.sheet.report("start_many_ms", starts(run, run.sizes.many))


def starts(run, count):
    """Milliseconds of five starts with that many records."""
    with run.group("started") as (node,):
        node.start()
        node.api.create_zone(ZONE, "bench")
        for number in range(1, run.sizes.zones):
            node.api.create_zone(f"empty-{number}", "bench")
        fill(node, count)
        times = []
        for _ in range(STARTS):
            node.stop()
            times.append(1e3 * node.start())
        return times


def idle(run):
    """A daemon in step with two connected peers that does nothing, with all the records in its store: its wake-ups, which are the voluntary
    context switches of all its threads, and its processor time, in some time behind 5 s of rest; and the MiB of its memory, where a page that
    several processes have is shared among them (PSS). It was started anew, so that memory of earlier work does not count. One run. No baseline."""
    run.pair()
    a, b, c = run.a, run.b, run.c
    c.start()
    a.api.pair(c.api)
    device = c.api.status()["device"]
    wait_for("the third node to hold all", lambda: c.api.zone(ZONE)["digest"] == a.api.zone(ZONE)["digest"], seconds=600)
    wait_for("two peers", lambda: b.connected_to(device))
    b.stop()
    b.start()
    wait_for("two peers again", lambda: sum(p["state"] == "connected" for p in b.api.request("GET", "/v1/peers")) >= 2)
    for node in (a, b, c):
        node.api.close()
    time.sleep(5)
    processor, woken = b.rest(run.sizes.idle)
    run.sheet.report("idle_wake_ups", round(woken * run.sizes.idle))
    run.sheet.report("idle_pss_mib", b.own_memory())
    run.sheet.report("idle_processor_ms", 1e3 * processor * run.sizes.idle)
