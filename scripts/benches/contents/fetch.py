"""A large content from one device to others."""
import signal
import statistics
import threading
import time

import localapi
from benches.contents.baselines import rsync_seconds, scp_seconds, tcp_seconds
from benches.contents.run import ZONE, name, state, upload, wait_for_content
from benches.node import wait_for
from benches.sessions import connection_bytes


def fetch(run):
    """The upload of the large content to one daemon, durable and sealed, and the time until it is durable on another one: seconds. Baselines: the
    same bytes over one TCP connection into a file, an rsync daemon, scp."""
    tcp, rsync, scp = (copy(run.folder, run.large) for copy in (tcp_seconds, rsync_seconds, scp_seconds))
    with run.group(2) as (a, b):
        begun = time.perf_counter()
        asset = upload(a, run.large)
        uploading = time.perf_counter() - begun
        idle = [node.memory() for node in (a, b)]
        processor = a.processor_seconds() + b.processor_seconds()
        begun = time.perf_counter()
        name(a, "large", asset)
        run.fetched = wait_for_content(b, "large") - begun
        processor = a.processor_seconds() + b.processor_seconds() - processor
        most = [node.memory("VmHWM") - before for node, before in zip((a, b), idle)]
    size = f"{run.byte_count >> 20:,} MiB"
    run.table.add(f"{size} uploaded, durable", f"{uploading:.2f} s", f"{uploading / tcp:.1f} x TCP into a file", upload_s=uploading, tcp_s=tcp)
    run.table.add(
        "  on the other device, durable", f"{run.fetched:.2f} s", f"{run.fetched / rsync:.2f} x rsync daemon", "at most 0.8 x",
        fetch_s=run.fetched, rsync_s=rsync,
    )
    run.table.add("  beside scp", f"{scp:.2f} s", f"{run.fetched / scp:.2f} x scp", scp_s=scp)
    run.table.add("  processor time of both daemons", f"{processor:.1f} s", "", "at most 3 s", fetch_processor_s=processor)
    run.table.add(
        "  memory above idle, sender and receiver", f"{most[0]:.0f}, {most[1]:.0f} MiB", "", "at most 32 MiB",
        sender_mib=most[0], receiver_mib=most[1],
    )


def holders(run):
    """A third device fetches the large content from two that have it: seconds. Baseline: from one, in `fetch`."""
    with run.group(3) as (a, b, c):
        c.stop()
        name(a, "large", upload(a, run.large))
        wait_for_content(b, "large")
        c.start()
        device = c.api.status()["device"]
        begun = wait_for("both sessions", lambda: a.connected_to(device) and b.connected_to(device))
        seconds = wait_for_content(c, "large") - begun
    ratio = f"{seconds / run.fetched:.2f} x one holder" if run.fetched else ""
    run.table.add("from two holders at once", f"{seconds:.2f} s", ratio, "at most 0.6 x, where a sender limits", two_holders_s=seconds)


def resume(run):
    """The receiver is killed when about half of the large content has arrived, and started again: bytes of the second connection, as a part of the
    content. No baseline."""
    with run.group(2) as (a, b):
        name(a, "large", upload(a, run.large))
        wait_for("half of the content", lambda: state(b, "large")[1] >= 50, seconds=600, pause=0.002)
        b.process.send_signal(signal.SIGKILL)
        b.process.wait()
        b.start()
        arrived = state(b, "large")[1]
        wait_for_content(b, "large")
        second = connection_bytes(a, b)
    share = 100 * second / run.byte_count
    run.table.add(
        "killed while fetching: there at the next start", f"{arrived} %", f"{share:.0f} % sent after it", "no byte that was synced",
        resumed_percent=arrived, sent_again_percent=share + arrived - 100,
    )


def beside(run):
    """A change of a record from one device to the other while the large content is fetched: milliseconds, median and 99th percentile. Baseline: the
    same without a transfer."""
    with run.group(2) as (a, b):
        asset = upload(a, run.large)
        alone = localapi.change_to_event(a.api, b.path, ZONE, 300)
        samples, ended = [], threading.Event()
        name(a, "large", asset)
        watch = localapi.Daemon(b.path)

        def look():
            path = f"/v1/zones/{ZONE}/records/large/assets/content"
            wait_for("the content", lambda: watch.request("GET", path)["state"] == "present", seconds=600, pause=0.05)
            ended.set()

        looking = threading.Thread(target=look, daemon=True)
        looking.start()
        while not ended.is_set():
            samples += localapi.change_to_event(a.api, b.path, ZONE, 20)
        samples.sort()
    quiet, slow = localapi.quantile(alone, 0.99), localapi.quantile(samples, 0.99)
    run.table.add(
        "a change during a transfer, median", f"{1e3 * statistics.median(samples):.1f} ms",
        f"{statistics.median(samples) / statistics.median(alone):.1f} x alone", beside_median_ms=1e3 * statistics.median(samples),
    )
    run.table.add(
        "  99th percentile", f"{1e3 * slow:.1f} ms", f"{slow / quiet:.1f} x alone", "at most 2 x",
        beside_p99_ms=1e3 * slow, alone_p99_ms=1e3 * quiet, beside_count=len(samples),
    )
