"""The way of one write from a daemon to another."""
import statistics

import localapi
from benches.data import ZONE
from benches.machine import fsync_seconds


def latency(run):
    """A write sent to one daemon, until the other reports its event: milliseconds, by which it is durable on both.
    Baseline: one fdatasync of 4 KiB."""
    localapi.change_to_event(run.a.api, run.b.path, ZONE, 50)
    # The disk is measured before and after, since other programs use it, too.
    fsyncs = fsync_seconds(run.folder)
    samples = localapi.change_to_event(run.a.api, run.b.path, ZONE, 500)
    fsyncs = sorted(fsyncs + fsync_seconds(run.folder))
    fsync = statistics.median(fsyncs)
    median, slow = statistics.median(samples), localapi.quantile(samples, 0.99)
    target = 2 * fsync + 0.0005
    run.table.add("one fdatasync of 4 KiB, median", f"{1e3 * fsync:.2f} ms")
    run.table.add(
        "change at one, event at the other, median", f"{1e3 * median:.2f} ms", f"{median / target:.2f} x (2 fsyncs + 0.5 ms)",
        "at most 1 x", latency_ms=1e3 * median, fsync_ms=1e3 * fsync,
    )
    run.table.add("  99th percentile", f"{1e3 * slow:.2f} ms", f"{slow / median:.1f} x the median", "at most 5 x", latency_p99_ms=1e3 * slow)
