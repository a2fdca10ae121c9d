"""Catch-up of nodes that were off while a zone was written."""
import time

from benches.data import RECORD_BYTES, ZONE, record_lines, record_name
from benches.machine import sqlite_rows
from benches.node import wait_for
from benches.run import fill


def catch_up(run):
    """A device that has joined and was off while another one imported a sealed zone: records a second from the start of its daemon until it holds
    all, verified and durable, and answers a reading of the last and a query; and MiB by which its resident memory was above that of the same
    daemon, paired and idle with the empty zone, at the highest. A device that has nothing yet for each repetition. Baseline: SQLite alone inserts
    rows of the same size, synchronous=FULL, 1,000 a transaction."""
    names = [f"reader-{number}" for number in range(run.sizes.repetitions)]
    rates, growth = caught_up(run, run.records, names)
    plain = [sqlite_rows(run.folder, run.records, RECORD_BYTES)[0] for _ in names]
    run.sheet.report("catch_up_rate", rates, [("raw SQLite, 1,000 rows a transaction", plain)])
    run.sheet.report("catch_up_mib", growth)
    run.sheet.report("catch_up_few_mib", caught_up(run, run.sizes.few, names)[1])
    if run.sizes.many:
        rates, growth = caught_up(run, run.sizes.many, names[:1])
        run.sheet.report("catch_up_many_rate", rates)
        run.sheet.report("catch_up_many_mib", growth)


def caught_up(run, count, names):
    """Records a second and MiB of memory of each of the named readers, one after the other."""
    rates, growth = [], []
    with run.group("writer", *names) as (writer, *readers):
        writer.start()
        writer.api.create_zone(ZONE, "bench")
        idle = []
        for reader in readers:
            # Static addresses of other readers, which are off, would be dialled meanwhile.
            reader.peers = reader.peers[:1]
            reader.start()
            writer.api.pair(reader.api)
            wait_for("the zone on the other device", lambda: reader.holds(0))
            idle.append(reader.memory())
            reader.stop()
        fill(writer, count)
        for reader, before in zip(readers, idle):
            begun = time.perf_counter()
            reader.start()
            wait_for("the reader to hold all records", lambda: reader.holds(count), seconds=600, pause=0.002)
            wait_for("the last record", lambda: answers(reader, count), pause=0.002)
            rates.append(count / (time.perf_counter() - begun))
            growth.append(reader.memory("VmHWM") - before)
            if reader.api.zone(ZONE)["digest"] != writer.api.zone(ZONE)["digest"]:
                raise RuntimeError("the reader's zone has another digest")
            reader.stop()
    return rates, growth


def answers(node, count):
    """Whether the last record is read by its name, and a query finds one."""
    node.api.request("GET", f"/v1/zones/{ZONE}/records/{record_name(count - 1)}")
    return bool(node.api.request("POST", f"/v1/zones/{ZONE}/query", {"type": "Bench", "limit": 1})["records"])


def sealing(run):
    """A node that was off fetches a sealed zone of as many records, from its start until it holds them: records a second.
    Baseline: a public zone, in clear."""
    run.pair()
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
