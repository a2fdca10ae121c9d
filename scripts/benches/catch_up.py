"""Catch-up of nodes: a fresh one, and one that was off while a zone was written."""
import random
import time

from benches.data import RECORD_BYTES, ZONE, record_lines
from benches.machine import durable_sqlite
from benches.node import wait_for


def sqlite_rows(folder, count):
    """Rows a second of plain SQLite: the same number of bytes in order of arrival, 1,000 a transaction, every transaction durable."""
    generator = random.Random(1)
    rows = [(index, 1, generator.randbytes(16), generator.randbytes(RECORD_BYTES)) for index in range(count)]
    database = durable_sqlite(folder, "plain.sqlite")
    database.execute("CREATE TABLE operation (seq INTEGER PRIMARY KEY, zone INTEGER, tag BLOB, body BLOB)")
    begun = time.perf_counter()
    for start in range(0, count, 1000):
        database.execute("BEGIN")
        database.executemany("INSERT INTO operation VALUES (?, ?, ?, ?)", rows[start : start + 1000])
        database.execute("COMMIT")
    seconds = time.perf_counter() - begun
    database.close()
    return count / seconds


def catch_up(run):
    """A fresh, paired node fetches all records of another, verified and durable: records a second, and MiB of its memory. Before that, the
    import of the records over the socket. Baseline: SQLite alone inserts rows of the same size, synchronous=FULL, 1,000 a transaction."""
    a, b, count = run.a, run.b, run.records
    a.start()
    a.api.create_zone(ZONE, "bench")
    lines = record_lines(count)
    begun = time.perf_counter()
    saved = a.api.import_lines(ZONE, lines)
    import_rate = saved / (time.perf_counter() - begun)
    assert saved == count, f"{saved} of {count} imported"
    b.start()
    before = b.memory()
    plain = sqlite_rows(run.folder, count)
    begun = time.perf_counter()
    a.api.pair(b.api)
    done = wait_for("the fresh node to hold all records", lambda: b.holds(count), seconds=600)
    rate = count / (done - begun)
    wait_for("equal digests", lambda: a.api.zone(ZONE)["digest"] == b.api.zone(ZONE)["digest"])
    run.table.add("plain SQLite, rows a second", f"{plain:,.0f}")
    run.table.add("import over the socket, records a second", f"{import_rate:,.0f}", f"{import_rate / plain:.2f} x SQLite")
    run.table.add(
        "catch-up of a fresh node, records a second", f"{rate:,.0f}", f"{rate / plain:.2f} x SQLite", "at least 0.5 x",
        catch_up_per_second=rate, sqlite_per_second=plain, import_per_second=import_rate,
    )
    growth = b.memory("VmHWM") - before
    run.table.add("  its memory, highest above idle", f"{growth:.0f} MiB", "", "at most 64 MiB", catch_up_mib=growth)


def sealing(run):
    """A node that was off fetches a sealed zone of as many records, from its start until it holds them: records a second.
    Baseline: a public zone, in clear."""
    rates = {}
    # Each twice, in turns: later runs find another state of the disk and the cache.
    for turn in range(2):
        for kind in "sealed", "clear":
            rates.setdefault(kind, []).append(fetching_rate(run, f"bench-{kind}-{turn}", kind))
    sealed, clear = (max(rates[kind]) for kind in ("sealed", "clear"))
    run.table.add("catch-up with a zone in clear, records a second", f"{clear:,.0f}", clear_per_second=clear)
    run.table.add("  with a sealed one", f"{sealed:,.0f}", f"{sealed / clear:.2f} x in clear", sealed_per_second=sealed)


def fetching_rate(run, zone, kind):
    """Records a second at which `b`, which was off while the zone was written, fetches it."""
    a, b = run.a, run.b
    b.stop()
    a.api.create_zone(zone, "bench")
    if kind == "clear":
        a.api.request("PUT", f"/v1/zones/{zone}/public", {"world": ["read"]})
    a.api.import_lines(zone, record_lines(run.records))
    digest = a.api.zone(zone)["digest"]

    def holds_all():
        return any(z["name"] == zone and z["digest"] == digest for z in b.api.request("GET", "/v1/zones"))

    begun = time.perf_counter()
    b.start()
    return run.records / (wait_for(f"the zone in {kind}", holds_all, seconds=600) - begun)
