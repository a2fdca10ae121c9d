"""Queries of one zone."""
import json
import os
import sqlite3
import statistics
import time

from benches.data import ZONE, record_lines
from benches.node import wait_for


def query(run):
    """One record of all by a number, and a page of 100 in the order of a number, with an index and without: milliseconds; and building the index:
    seconds. Baseline: SQLite alone, with an index on a column, and with a search in the JSON text of each row."""
    a, count = run.a, run.records
    wanted = count // 2
    one = {"type": "Bench", "where": f"number = {wanted}"}
    page = {"type": "Bench", "where": f"number >= {wanted}", "sort": ["number"], "limit": 100}

    def seconds_of(body):
        return median_seconds(lambda: ask(a, body, f"record-{wanted:07}"))

    look, look_page = seconds_of(one), seconds_of(page)
    indexes = f"/v1/containers/{a.api.zone(ZONE)['container']}/indexes"
    begun = time.perf_counter()
    a.api.request("PUT", indexes, {"indexes": [{"type": "Bench", "field": "number"}]})
    built = wait_for("the index", lambda: a.api.request("GET", indexes)[0]["state"] == "ready", seconds=600) - begun
    found, found_page = seconds_of(one), seconds_of(page)
    plain, plain_one, plain_page = sqlite_queries(run.folder, count)
    add = run.table.add
    add("one of all by a number, no index", f"{1e3 * look:.1f} ms", f"{look / plain:.1f} x SQLite (JSON text)", query_ms=1e3 * look)
    add("  with an index", f"{1e3 * found:.2f} ms", f"SQLite alone {1e3 * plain_one:.3f} ms", query_indexed_ms=1e3 * found)
    add("page of 100 by a number, no index", f"{1e3 * look_page:.1f} ms", query_page_ms=1e3 * look_page)
    add("  with an index", f"{1e3 * found_page:.2f} ms", f"SQLite alone {1e3 * plain_page:.3f} ms", query_page_indexed_ms=1e3 * found_page)
    add(f"  building it over {count:,} records", f"{built:.1f} s", index_seconds=built)


def ask(node, body, wanted):
    """Asks until a page has records; the first of them has the wanted name."""
    path = f"/v1/zones/{ZONE}/query"
    page = node.api.request("POST", path, body)
    # A page examines a bounded number of records: some empty pages may precede the one with the record.
    while not page["records"] and page["cursor"]:
        page = node.api.request("POST", path, {**body, "cursor": page["cursor"]})
    records = page["records"]
    assert records and records[0]["name"] == wanted, "another answer"


def median_seconds(ask, rounds=20):
    """The median time of a query; repeated often enough for a figure, for at most a few seconds."""
    samples = []
    begun = time.perf_counter()
    while len(samples) < rounds and (len(samples) < 3 or time.perf_counter() - begun < 10):
        before = time.perf_counter()
        ask()
        samples.append(time.perf_counter() - before)
    return statistics.median(samples)


def sqlite_queries(folder, count):
    """Seconds of the same queries with plain SQLite over the same records: (one, one indexed, page indexed)."""
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
    times = [median_seconds(lambda sql=sql: database.execute(sql, (wanted,)).fetchall()) for sql in (look, one, page)]
    database.close()
    return times
