"""Daemons that have nothing to fetch: connecting, starting, idling."""
import statistics
import subprocess
import time

from benches.data import ZONE
from benches.node import wait_for

IDLE_SECONDS = 20


def reconnect(run):
    """Two nodes with equal data: milliseconds from the start of one to the session, and bytes both ways on the connection, handshake included.
    No baseline."""
    a, b = run.a, run.b
    device = b.api.status()["device"]
    times, sizes = [], []
    for _ in range(5):
        b.stop()
        begun = time.perf_counter()
        b.start()
        times.append(wait_for("the session", lambda: a.connected_to(device)) - begun)
        # The exchange is complete when the count no longer changes.
        last = -1
        while (size := connection_bytes(a, b)) != last:
            last = size
            time.sleep(0.3)
        sizes.append(size)
    median = 1e3 * statistics.median(times)
    run.table.add("start to session with a known peer", f"{median:.0f} ms", reconnect_ms=median)
    run.table.add(
        "  bytes both ways, handshake included, in sync", f"{statistics.median(sizes):,.0f}", "", "1 KiB + handshake",
        reconnect_bytes=statistics.median(sizes),
    )


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
    """From exec to the first answer on the socket, with all the records in the store: milliseconds. No baseline."""
    times = []
    for _ in range(10):
        run.b.stop()
        times.append(run.b.start())
    median = 1e3 * statistics.median(times)
    run.table.add(f"start with {run.records:,} records", f"{median:.0f} ms", "", "at most 200 ms", start_ms=median)


def idle(run):
    """Resident memory in MiB, processor time in percent and wake-ups a second of an idle daemon with two peers. No baseline."""
    a, b, c = run.a, run.b, run.c
    c.start()
    a.api.pair(c.api)
    device = c.api.status()["device"]
    wait_for("the third node to hold all", lambda: c.api.zone(ZONE)["digest"] == a.api.zone(ZONE)["digest"], seconds=600)
    wait_for("two peers", lambda: b.connected_to(device))
    # b is restarted, so that memory of earlier work does not count as idle.
    b.stop()
    b.start()
    wait_for("two peers again", lambda: sum(p["state"] == "connected" for p in b.api.request("GET", "/v1/peers")) >= 2)
    b.api.close()
    time.sleep(3)
    processor, woken = b.rest(IDLE_SECONDS)
    run.table.add("idle with two peers: memory", f"{b.memory():.0f} MiB", "", "at most 35 MiB", idle_mib=b.memory())
    run.table.add("  processor time", f"{100 * processor:.2f} %", "", "at most 0.05 %", idle_percent=100 * processor)
    run.table.add("  wake-ups a second, all threads", f"{woken:.1f}", "", "at most 1", idle_wake_ups=woken)
