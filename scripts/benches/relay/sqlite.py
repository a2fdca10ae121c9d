"""A relay's own database."""
import os
import shutil
import time

from benches.machine import allocated_bytes, durable_sqlite
from benches.relay import BYTES
from benches.relay.figures import Pace, add_pace, add_weight
from benches.relay.run import say

RAW = 5_000


def sqlite(run):
    """A relay's own database: parcels put one after another, then 64 at once, into mailboxes of 256 parcels each, under eight admissions; each put is
    durable when it is acknowledged; puts a second, and milliseconds of one. Memory of the process and bytes on the disk, per waiting parcel. Then
    eight clients at once take all parcels: listed, fetched one by one, removed in batches of up to 256; parcels a second. Baseline, *raw SQLite*:
    5,000 rows of the same size, before and after, into a table without further indexes, synchronous=FULL, one a transaction; read one by one,
    deleted 256 a transaction."""
    state = os.path.join(run.folder, "sqlite")
    # Before and after, since disks change with the minute.
    before = raw_once(run, "before")
    say("a relay's SQLite")
    figures = run.kept("--storage", "sqlite", "--directory", state, "--measure", state)
    shutil.rmtree(state, ignore_errors=True)
    after = raw_once(run, "after")
    raw = {part: {"per_second": (before[part]["per_second"] + after[part]["per_second"]) / 2} for part in ("put", "drain")}
    # Raw SQLite writes one after another in any case.
    raw["put_alone"] = raw["put"]
    add_pace(run.table, "SQLite", "sqlite", figures, raw, "raw SQLite", "at least 0.5 x")
    add_weight(run.table, run.count, "sqlite", figures)
    for part, words in (("put", "raw SQLite: put, before and after"), ("drain", "  drain")):
        rate = raw[part]["per_second"]
        run.table.add(
            words, f"{rate:,.0f}/s", f"{before[part]['per_second']:,.0f} and {after[part]['per_second']:,.0f}/s",
            **{f"raw_sqlite_{part}_per_second": rate},
        )
    each = after["disk"] / min(run.count, RAW)
    run.table.add(
        "  disk", f"{after['disk'] / (1 << 20):,.0f} MiB", f"{each:,.0f} bytes for each of {BYTES}", raw_sqlite_disk_bytes_each=each,
    )


def raw_once(run, name):
    """Raw SQLite in a folder of its own, which is removed afterwards."""
    say(f"raw SQLite, {name}")
    folder = os.path.join(run.folder, "raw")
    os.makedirs(folder)
    try:
        return raw_sqlite(folder, min(run.count, RAW))
    finally:
        shutil.rmtree(folder)


def raw_sqlite(folder, count):
    """Rows of the same size, a row a transaction, each durable; then all of them read and deleted."""
    database = durable_sqlite(folder, "raw.sqlite")
    database.execute("CREATE TABLE parcel (number INTEGER PRIMARY KEY, mailbox BLOB, parcel BLOB, until INTEGER, bytes BLOB)")
    pace = Pace("rows into raw SQLite", count)
    for number in range(count):
        row = (number, os.urandom(32), os.urandom(32), 1, os.urandom(BYTES))
        begun = time.perf_counter()
        database.execute("INSERT INTO parcel VALUES (?, ?, ?, ?, ?)", row)
        pace.add(time.perf_counter() - begun)
    put = pace.figures()
    size = allocated_bytes(folder)
    pace = Pace("rows out of raw SQLite", count)
    for start in range(0, count, 256):
        numbers = range(start, min(start + 256, count))
        for number in numbers:
            assert len(database.execute("SELECT bytes FROM parcel WHERE number = ?", (number,)).fetchone()[0]) == BYTES
        database.execute("BEGIN")
        database.executemany("DELETE FROM parcel WHERE number = ?", [(number,) for number in numbers])
        database.execute("COMMIT")
        pace.add(more=len(numbers))
    drain = pace.figures()
    database.close()
    return {"put": put, "drain": drain, "disk": size}
