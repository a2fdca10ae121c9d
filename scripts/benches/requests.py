"""Requests on the local socket."""
import contextlib
import json
import os
import statistics
import subprocess
import time

import localapi
from benches.clients import Clients
from benches.data import RECORD_BYTES
from benches.machine import built, durable_sqlite
from benches.node import wait_for

HEAD = "Host: localhost\r\n"
READS, WRITES, ROWS = 20_000, 10_000, 5_000


def requests(run):
    """Reading a record and writing one, durable, by one client and by 64 at once, on persistent connections: requests a second, and milliseconds
    of each. Baseline: a route of the HTTP library that answers with as many bytes, called by the same client, and SQLite alone, a row a
    transaction, synchronous=FULL."""
    zone = run.a.api.create_zone("requests", "bench")["zone"]
    text = "x" * (RECORD_BYTES - 30)
    run.a.api.put(zone, "one", {"text": text})
    answer_bytes = len(json.dumps(run.a.api.request("GET", f"/v1/zones/{zone}/records/one")))
    with bare_route(run.folder, answer_bytes) as bare:
        read, written = sqlite_requests(run.folder)
        requests = {
            "bare": (bare, constant("/record"), READS),
            "get": (run.a.path, constant(f"/v1/zones/{zone}/records/one"), READS),
            "put": (run.a.path, writes(zone, text), WRITES),
        }
        for count in (1, 64):
            add_rates(run.table, count, {kind: rate(count, *request) for kind, request in requests.items()}, read, written)


@contextlib.contextmanager
def bare_route(folder, answer_bytes):
    """The socket of a program with nothing but the HTTP library, which runs within the block; built when needed."""
    program, path = built("BareRoute", "bare-route"), os.path.join(folder, "bare.sock")
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


def writes(zone, text):
    """Makes a request that writes another record each time."""
    body = json.dumps({"type": "Bench", "fields": {"text": text}}).encode()
    names = iter(range(1 << 40))

    def make(_):
        path = f"/v1/zones/{zone}/records/r{next(names)}"
        return f"PUT {path} HTTP/1.1\r\n{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body

    return make


def sqlite_requests(folder):
    """Rows a second that plain SQLite reads by name, and writes with one transaction each."""
    database = durable_sqlite(folder, "requests.sqlite")
    database.execute("CREATE TABLE record (name TEXT PRIMARY KEY, body BLOB)")
    body = b"x" * RECORD_BYTES
    begun = time.perf_counter()
    for index in range(ROWS):
        database.execute("INSERT INTO record VALUES (?, ?)", (f"row-{index}", body))
    written = ROWS / (time.perf_counter() - begun)
    begun = time.perf_counter()
    for index in range(ROWS):
        database.execute("SELECT body FROM record WHERE name = ?", (f"row-{index}",)).fetchone()
    read = ROWS / (time.perf_counter() - begun)
    database.close()
    return read, written


def rate(clients, path, make, number):
    """Requests a second of that many clients, after 500 that are not measured, and the times of all."""
    connections = Clients(path, clients)
    connections.run(make, 500)
    measured = connections.run(make, number)
    connections.close()
    return measured


def add_rates(table, count, rates, read, written):
    of = "one client" if count == 1 else f"{count} clients"
    bare, bare_times = rates["bare"]
    lines = (
        ("get", "read", f"SQLite alone {read:,.0f}/s"),
        ("put", "write, durable", f"{rates['put'][0] / written:.2f} x SQLite, a row a transaction"),
    )
    for kind, words, beside in lines:
        rate, times = rates[kind]
        table.add(f"{words}, {of}", f"{rate:,.0f}/s", f"{rate / bare:.2f} x a bare route; {beside}", **{f"{kind}_{count}_per_second": rate})
        table.add("  median; 99th percentile", f"{1e3 * statistics.median(times):.2f} ms", f"{1e3 * localapi.quantile(times, 0.99):.2f} ms")
    table.add(f"  a bare route, {of}", f"{bare:,.0f}/s", f"median {1e3 * statistics.median(bare_times):.2f} ms")
