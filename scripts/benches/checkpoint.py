"""Writes beside upkeep of the store."""
import statistics
import time

import localapi
from benches.data import ZONE, record_lines
from benches.machine import fsync_seconds
from benches.node import Node

WRITES = 1500


def checkpoint(run):
    """Writes one after the other with 10 ms between them, while the daemon itself makes and adopts the checkpoint of all records: milliseconds, the
    sync of the disk included. Baseline: the same writes after that, and one fdatasync of 4 KiB before and after both. The target is about the time
    that a transaction holds the writer besides its sync: a disk whose syncs differ by more than that hides it here."""
    node = Node(run.folder, "alone", run.program, level="info")
    node.start()
    fsyncs = fsync_seconds(run.folder)
    try:
        node.api.create_zone(ZONE, "bench")
        node.api.import_lines(ZONE, record_lines(run.records))
        during = writes_until_made(node)
        # Right after it, the checkpoint is adopted, and operations outside its live set are pruned.
        during += [paced_write(node, number) for number in range(WRITES)]
        after = [paced_write(node, number) for number in range(WRITES)]
    finally:
        node.stop()
    fsyncs += fsync_seconds(run.folder)
    longest, usual = max(during), max(after)
    median, usual_median = statistics.median(during), statistics.median(after)
    add = run.table.add
    add(
        f"a write and its sync while {run.records:,} records get a checkpoint, the longest of {len(during):,}", f"{1e3 * longest:.1f} ms",
        f"one fdatasync at most {1e3 * max(fsyncs):.1f} ms", "at most 10 ms besides its sync", checkpoint_write_ms=1e3 * longest,
    )
    add("  the 99th percentile", f"{1e3 * localapi.quantile(sorted(during), 0.99):.1f} ms")
    add("  the median", f"{1e3 * median:.1f} ms", f"{median / usual_median:.2f} x after it", checkpoint_write_median_ms=1e3 * median)
    add(f"  after it, the longest of {WRITES:,}", f"{1e3 * usual:.1f} ms", "", "", usual_write_ms=1e3 * usual)
    add("  after it, the median", f"{1e3 * usual_median:.1f} ms", usual_write_median_ms=1e3 * usual_median)


def paced_write(node, number):
    """Seconds of a write; returns 10 ms after it."""
    begun = time.perf_counter()
    node.api.put(ZONE, f"paced-{number % 1000}", {"number": number})
    seconds = time.perf_counter() - begun
    time.sleep(0.01)
    return seconds


def writes_until_made(node):
    """Seconds of writes until the node has made the checkpoint."""
    samples = []
    deadline = time.monotonic() + 300
    while not is_made(node):
        if time.monotonic() > deadline:
            raise TimeoutError("waited 300 s for the checkpoint")
        samples += [paced_write(node, number) for number in range(50)]
    return samples


def is_made(node):
    with open(node.log, errors="replace") as log:
        return "checkpoint made" in log.read()
