"""The way of one write from a daemon to another."""
import contextlib
import os
import socket
import statistics
import time

import localapi
from benches.clients import EventStream, is_whole_answer, put_request
from benches.data import RECORD_BYTES, ZONE
from benches.machine import fsync_seconds

PAUSE = 0.005


def change(run):
    """Milliseconds from sending a write of 300 bytes to one daemon until the bytes of its event have arrived from the other, by which it is
    durable on both; one thread asks and waits. Each repetition gives its median and its 99th percentile. Baselines of the same repetition: two
    fdatasync of 4 KiB, and a write of as many bytes that goes over TCP to a program with a file, which syncs it and sends it over TCP to a second
    one, which does the same and answers."""
    run.pair()
    probe = ChangeProbe(run.a.path, run.b.path)
    medians, slow, syncs, raws, raw_slow = [], [], [], [], []
    try:
        probe.samples(50)
        with raw_chain(run.folder) as raw:
            raw_samples(raw, 50)
            for _ in range(run.sizes.repetitions):
                # The disk is measured before and after, since other programs use it, too.
                fsyncs = fsync_seconds(run.folder)
                times, plain = probe.samples(run.sizes.changes), raw_samples(raw, run.sizes.changes)
                syncs.append(2e3 * statistics.median(fsyncs + fsync_seconds(run.folder)))
                medians.append(1e3 * statistics.median(times))
                slow.append(1e3 * localapi.quantile(times, 0.99))
                raws.append(1e3 * statistics.median(plain))
                raw_slow.append(1e3 * localapi.quantile(plain, 0.99))
    finally:
        probe.close()
    run.sheet.report("change_ms", medians, [("the two syncs alone", syncs), ("raw TCP with the two syncs", raws)])
    run.sheet.report("change_p99_ms", slow, [("the median", medians), ("raw TCP with the two syncs", raw_slow)])


class ChangeProbe:
    """Writes at one daemon, and waits for their events at another one."""

    def __init__(self, writer_path, reader_path):
        self.stream = EventStream(reader_path, ZONE)
        self.writer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.writer.settimeout(30)
        self.writer.connect(writer_path)

    def samples(self, count):
        """Seconds of that many changes, ascending."""
        samples = []
        for index in range(count):
            # A mark that no earlier event carries.
            mark = f"mark-{time.time_ns():x}-{index}"
            request = put_request(ZONE, "changed", {"mark": mark, "text": "x" * (RECORD_BYTES - 60)})
            begun = time.perf_counter()
            self.writer.sendall(request)
            samples.append(self.stream.wait_for(mark.encode()) - begun)
            self.read_answer()
            time.sleep(PAUSE)
        return sorted(samples)

    def read_answer(self):
        answer = b""
        while not is_whole_answer(answer):
            piece = self.writer.recv(65_536)
            if not piece:
                raise RuntimeError("the connection of the writer ended")
            answer += piece
        if not answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
            raise RuntimeError(f"another answer: {answer[:300]!r}")

    def close(self):
        self.stream.close()
        self.writer.close()


@contextlib.contextmanager
def raw_chain(folder):
    """A connection to the first of two programs that sync what they get; the second one answers on its own connection, as the pair does."""
    processes = []
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        processes.append(forked(lambda: store(os.path.join(folder, "raw-1"), first, second.getsockname())))
        processes.append(forked(lambda: store(os.path.join(folder, "raw-2"), second, None)))
        sender = socket.create_connection(first.getsockname())
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        yield sender
    finally:
        sender.close()
        for process in processes:
            os.waitpid(process, 0)


def forked(work):
    """A process that does this and ends."""
    process = os.fork()
    if process == 0:
        try:
            work()
        finally:
            os._exit(0)
    return process


def store(path, server, following):
    """Takes pieces of one size from one connection, appends and syncs each, and passes it on, or answers with one byte."""
    onward = socket.create_connection(following) if following else None
    connection, _ = server.accept()
    for one in (connection, onward):
        if one is not None:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with open(path, "wb", buffering=0) as file:
        while len(piece := connection.recv(RECORD_BYTES, socket.MSG_WAITALL)) == RECORD_BYTES:
            file.write(piece)
            os.fdatasync(file.fileno())
            if onward is None:
                connection.sendall(b"!")
            else:
                onward.sendall(piece)
                connection.sendall(onward.recv(1))


def raw_samples(sender, count):
    """Seconds of that many pieces, until the second program has answered, ascending."""
    samples, piece = [], os.urandom(RECORD_BYTES)
    for _ in range(count):
        begun = time.perf_counter()
        sender.sendall(piece)
        if not sender.recv(1):
            raise RuntimeError("the raw connection ended")
        samples.append(time.perf_counter() - begun)
        time.sleep(PAUSE)
    return sorted(samples)
