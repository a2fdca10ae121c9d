"""Streams of a zone's events."""
import selectors
import socket
import statistics
import time

import localapi

CHANGE = b'"event":"change"'


class Watchers:
    """Open streams of one zone, read by this thread on request."""

    def __init__(self, path, zone, count):
        self.selector = selectors.DefaultSelector()
        self.sockets = []
        for _ in range(count):
            stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            stream.connect(path)
            stream.sendall(f"GET /v1/zones/{zone}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.sockets.append(stream)
        for stream in self.sockets:
            head = b""
            while b'"event":"snapshot"' not in head:
                piece = stream.recv(65_536)
                if not piece:
                    raise RuntimeError(f"a stream ended: {head[-300:]!r}")
                head = (head + piece)[-4096:]
            stream.setblocking(False)
            self.selector.register(stream, selectors.EVENT_READ)

    def read_until(self, changes, seconds=60):
        """Reads until each stream has reported `changes`; returns the times at which the first and the last stream had."""
        left = dict.fromkeys(self.sockets, changes)
        tails = dict.fromkeys(self.sockets, b"")
        first = None
        deadline = time.perf_counter() + seconds
        while left:
            if time.perf_counter() > deadline:
                raise TimeoutError(f"{len(left)} streams did not report all changes")
            for key, _ in self.selector.select(1):
                piece = key.fileobj.recv(1 << 20)
                if not piece:
                    raise RuntimeError("a stream ended")
                if key.fileobj not in left:
                    continue
                data = tails[key.fileobj] + piece
                left[key.fileobj] -= data.count(CHANGE)
                tails[key.fileobj] = data[-(len(CHANGE) - 1):]
                if left[key.fileobj] <= 0:
                    first = first or time.perf_counter()
                    del left[key.fileobj]
        return first, time.perf_counter()

    def close(self):
        self.selector.close()
        for stream in self.sockets:
            stream.close()


def watchers(run):
    """A write, until its event has reached 1 and all of 100 open streams: milliseconds; events a second to them; the memory of 1,000 open
    streams, idle and unread: MiB. Baseline: one write without a watcher."""
    run.first()
    zone = run.a.api.create_zone("watched", "bench")["zone"]
    alone = statistics.median(write(run.a, zone, f"alone-{index}")[1] for index in range(300))
    run.table.add("one write without a watcher, median", f"{1e3 * alone:.2f} ms", watch_alone_ms=1e3 * alone)
    for count in (1, 100):
        streams = Watchers(run.a.path, zone, count)
        add_delays(run, streams, zone, count, alone)
        add_rate(run, streams, zone, count)
        streams.close()
    time.sleep(1)
    add_memory(run, zone)


def write(node, zone, name):
    """Writes a record; returns the time before it, and its duration."""
    begun = time.perf_counter()
    node.api.put(zone, name, {"text": "x" * 200})
    return begun, time.perf_counter() - begun


def add_delays(run, streams, zone, count, alone):
    """From a write to its event at all streams, and at the first of them."""
    firsts, lasts = [], []
    for index in range(200):
        begun, _ = write(run.a, zone, f"watched-{count}-{index}")
        first, last = streams.read_until(1)
        firsts.append(first - begun)
        lasts.append(last - begun)
    lasts.sort()
    median = statistics.median(lasts)
    run.table.add(
        f"a write, until its event has reached {count}, median", f"{1e3 * median:.2f} ms", f"{median / alone:.1f} x a write alone",
        **{f"watch_{count}_ms": 1e3 * median},
    )
    run.table.add(
        "  99th percentile; at the first, median",
        f"{1e3 * localapi.quantile(lasts, 0.99):.2f} ms", f"{1e3 * statistics.median(firsts):.2f} ms",
    )


def add_rate(run, streams, zone, count):
    """Events a second, to all streams together, of 1,000 changes in one transaction."""
    writes = [{"name": f"burst-{index}", "fields": {"text": "x" * 200}} for index in range(1000)]
    begun = time.perf_counter()
    run.a.api.request("POST", f"/v1/zones/{zone}/batch", {"writes": writes, "atomic": True})
    _, last = streams.read_until(1000)
    rate = count * 1000 / (last - begun)
    run.table.add(f"  1,000 changes at once, events a second to {count}", f"{rate:,.0f}", **{f"watch_{count}_per_second": rate})


def add_memory(run, zone):
    """The daemon's memory with 1,000 streams, above that without them."""
    before = run.a.memory()
    streams = Watchers(run.a.path, zone, 1000)
    opened = run.a.memory() - before
    run.table.add("memory of 1,000 open streams", f"{opened:.1f} MiB", f"{1024 * opened / 1000:.1f} KiB a stream", watch_mib=opened)
    for index in range(2000):
        run.a.api.put(zone, f"unread-{index % 500}", {"text": "x" * 1000})
    unread = run.a.memory() - before
    run.table.add("  with 2,000 writes of 1 KB that none of them reads", f"{unread:.1f} MiB", "", watch_unread_mib=unread)
    streams.close()
