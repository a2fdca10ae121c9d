"""Queries of one zone."""
import json
import os
import sqlite3
import statistics
import time

from benches.clients import Clients
from benches.data import ZONE, record_lines, record_name
from benches.node import wait_for


def query(run):
    """One record of all by a number, and a page of 100 in the order of a number, with an index and without: milliseconds, the median of each
    repetition; and building the index: seconds, once. A search without an index and without an order is several requests, since a page looks at
    20,000 records at most. Baseline: SQLite alone, with an index on a column, and with a search in the JSON text of each row."""
    run.pair()
    a, count = run.a, run.records
    wanted = count // 2
    one = {"type": "Bench", "where": f"number = {wanted}"}
    page = {"type": "Bench", "where": f"number >= {wanted}", "sort": ["number"], "limit": 100}

    def milliseconds(body):
        return [1e3 * median_seconds(lambda: ask(a, body, record_name(wanted))) for _ in range(run.sizes.repetitions)]

    look, look_page = milliseconds(one), milliseconds(page)
    indexes = f"/v1/containers/{a.api.zone(ZONE)['container']}/indexes"
    begun = time.perf_counter()
    a.api.request("PUT", indexes, {"indexes": [{"type": "Bench", "field": "number"}]})
    built = wait_for("the index", lambda: a.api.request("GET", indexes)[0]["state"] == "ready", seconds=600) - begun
    found_page = milliseconds(page)
    ask(a, one, record_name(wanted))
    found = [1e3 * statistics.median(indexed(a, one, run.sizes.reads // 10)) for _ in range(run.sizes.repetitions)]
    plain = sqlite_queries(run.folder, count, run.sizes.repetitions)
    run.sheet.report("look_ms", look, [("SQLite in JSON text", plain[0])])
    run.sheet.report("indexed_ms", found, [("SQLite", plain[1])])
    run.sheet.report("page_ms", look_page)
    run.sheet.report("page_indexed_ms", found_page, [("SQLite", plain[2])])
    run.sheet.report("index_s", built)


def indexed(node, body, count):
    """Seconds of the same query, asked with little work in this process."""
    data = json.dumps(body).encode()
    head = f"POST /v1/zones/{ZONE}/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    clients = Clients(node.path, 1)
    try:
        return clients.run(lambda _: head.encode() + data, count)[1]
    finally:
        clients.close()


def ask(node, body, wanted):
    """Asks until a page has records; the first of them has the wanted name."""
    path = f"/v1/zones/{ZONE}/query"
    page = node.api.request("POST", path, body)
    # A page examines a bounded number of records: some empty pages may precede the one with the record.
    while not page["records"] and page["cursor"]:
        page = node.api.request("POST", path, {**body, "cursor": page["cursor"]})
    records = page["records"]
    if not records or records[0]["name"] != wanted:
        raise RuntimeError("another answer")


def median_seconds(ask, rounds=20):
    """The median time of a query; repeated often enough for a figure, for at most a few seconds."""
    samples = []
    begun = time.perf_counter()
    while len(samples) < rounds and (len(samples) < 3 or time.perf_counter() - begun < 3):
        before = time.perf_counter()
        ask()
        samples.append(time.perf_counter() - before)
    return statistics.median(samples)


def sqlite_queries(folder, count, repetitions):
    """Milliseconds of the same queries with plain SQLite over the same records, for each repetition: one, one indexed, page indexed."""
    database = sqlite3.connect(os.path.join(folder, "queries.sqlite"))
    database.execute("CREATE TABLE record (name TEXT PRIMARY KEY, number INTEGER, body TEXT)")
    lines = (json.loads(line) for line in record_lines(count).splitlines())
    rows = [(line["name"], line["fields"]["number"], json.dumps(line["fields"])) for line in lines]
    database.executemany("INSERT INTO record VALUES (?, ?, ?)", rows)
    database.execute("CREATE INDEX by_number ON record (number)")
    database.commit()
    wanted = count // 2
    look = "SELECT body FROM record WHERE json_extract(body, '$.number') = ?"
    one = "SELECT body FROM record WHERE number = ?"
    page = "SELECT body FROM record WHERE number >= ? ORDER BY number LIMIT 100"
    times = [
        [1e3 * median_seconds(lambda: database.execute(sql, (wanted,)).fetchall()) for _ in range(repetitions)] for sql in (look, one, page)
    ]
    database.close()
    return times
