"""Requests on the local socket."""
import contextlib
import json
import os
import statistics
import subprocess
import time

from benches.clients import Clients, put_request
from benches.data import RECORD_BYTES
from benches.machine import built, durable_sqlite
from benches.node import wait_for
from benches.servers import Redis, beside, redis_command
from benches.sheet import Missing

HEAD = "Host: localhost\r\n"
AT_ONCE = 64


def requests(run):
    """Reading a record of 300 bytes and writing one, durable, by one client and by 64 at once, on persistent connections: the milliseconds of a
    write in the median, and requests a second. One thread sends all requests, on the daemon's machine. Baselines: for reads one route of the HTTP
    library alone (Benchmarks/BareRoute) that answers with as many bytes, called by the same client in turns; for writes SQLite alone,
    synchronous=FULL, one row a transaction and 64 rows a transaction, and redis-server with appendfsync always."""
    run.first()
    zone = run.a.api.create_zone("requests", "bench")["zone"]
    fields = {"text": "x" * (RECORD_BYTES - 30)}
    run.a.api.put(zone, "one", fields)
    path, sizes = f"/v1/zones/{zone}/records/one", run.sizes
    answer_bytes = len(json.dumps(run.a.api.request("GET", path)))
    make_write = writes(zone, fields)
    repetitions = range(sizes.repetitions)
    rate(1, run.a.path, make_write, 200)

    written = [rate(1, run.a.path, make_write, sizes.writes) for _ in repetitions]
    written_many = [rate(AT_ONCE, run.a.path, make_write, 2 * sizes.writes)[0] for _ in repetitions]
    plain = [sqlite_writes(run.folder, sizes.writes, 1) for _ in repetitions]
    plain_many = [sqlite_writes(run.folder, sizes.writes, AT_ONCE) for _ in repetitions]
    redis, redis_many = beside("redis-server", lambda: redis_writes(run.folder, sizes.writes), sizes.repetitions)
    redis_ms = redis if isinstance(redis, Missing) else [1e3 / one for one in redis]
    run.sheet.report(
        "write_one_ms", [1e3 * statistics.median(times) for _, times in written],
        [("raw SQLite, a row a transaction", [1e3 / one for one in plain]), ("redis-server", redis_ms)],
    )
    run.sheet.report(
        "write_many_rate", written_many,
        [(f"raw SQLite, {AT_ONCE} rows a transaction", plain_many), ("a row a transaction", plain), ("redis-server", redis_many)],
    )
    reads(run, path, answer_bytes)


def reads(run, path, answer_bytes):
    """Reports readings of a record beside the bare route, in turns."""
    counts = {1: run.sizes.reads, AT_ONCE: 2 * run.sizes.reads}
    measured = {count: [] for count in counts}
    bare = {count: [] for count in counts}
    try:
        with bare_route(run, answer_bytes) as bare_path:
            for _ in range(run.sizes.repetitions):
                for count, number in counts.items():
                    bare[count].append(rate(count, bare_path, constant("/record"), number)[0])
                    measured[count].append(rate(count, run.a.path, constant(path), number)[0])
    except Missing as missing:
        bare = {count: missing for count in counts}
        for _ in range(run.sizes.repetitions):
            for count, number in counts.items():
                measured[count].append(rate(count, run.a.path, constant(path), number)[0])
    run.sheet.report("read_one_rate", measured[1], [("a bare route", bare[1])])
    run.sheet.report("read_many_rate", measured[AT_ONCE], [("a bare route", bare[AT_ONCE])])


@contextlib.contextmanager
def bare_route(run, answer_bytes):
    """The socket of a program with nothing but the HTTP library, which runs within the block; built when needed."""
    program, path = run.bare_route or built("BareRoute", "bare-route", run.may_build), os.path.join(run.folder, "bare.sock")
    process = subprocess.Popen([program, path, str(answer_bytes)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for("the bare route", lambda: os.path.exists(path))
        yield path
    finally:
        process.terminate()
        process.wait()


def constant(path):
    """Makes the same reading request each time."""
    request = f"GET {path} HTTP/1.1\r\n{HEAD}\r\n".encode()
    return lambda _: request


def writes(zone, fields):
    """Makes a request that writes another record each time."""
    names = iter(range(1 << 40))
    return lambda _: put_request(zone, f"r{next(names)}", fields)


def rate(clients, path, make, number, **protocol):
    """Requests a second of that many clients, after 500 that are not measured, and the seconds of all, ascending."""
    connections = Clients(path, clients, **protocol)
    try:
        connections.run(make, 500)
        return connections.run(make, number)
    finally:
        connections.close()


def sqlite_writes(folder, count, at_once):
    """Rows a second that plain SQLite writes under names, that many a transaction."""
    database = durable_sqlite(folder, "requests.sqlite")
    database.execute("CREATE TABLE record (name TEXT PRIMARY KEY, body BLOB)")
    body = b"x" * RECORD_BYTES
    begun = time.perf_counter()
    for start in range(0, count, at_once):
        database.execute("BEGIN")
        rows = [(f"row-{index}", body) for index in range(start, min(start + at_once, count))]
        database.executemany("INSERT INTO record VALUES (?, ?)", rows)
        database.execute("COMMIT")
    seconds = time.perf_counter() - begun
    database.close()
    os.unlink(os.path.join(folder, "requests.sqlite"))
    return count / seconds


def redis_writes(folder, count):
    """Writes a second of one client and of 64."""
    with Redis(folder) as redis:
        names = iter(range(1 << 40))

        def make(_):
            return redis_command(b"SET", b"r%d" % next(names), b"x" * RECORD_BYTES)

        protocol = {"is_whole": lambda data: data.endswith(b"\r\n"), "beginnings": (b"+OK",)}
        return tuple(rate(clients, redis.path, make, count, **protocol)[0] for clients in (1, AT_ONCE))
