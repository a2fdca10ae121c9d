"""The import of many records, and the room that they take."""
import time

from benches.data import RECORD_BYTES, ZONE, record_pieces
from benches.machine import allocated_bytes, sqlite_rows


def importing(run):
    """Records a second that a daemon imports over its socket, all durable, into an empty zone, from the first byte of the request to its last answer;
    then the allocated bytes of its state, once it has ended, above those of the empty zone, for each record. A fresh daemon for each repetition.
    Baseline: SQLite alone with rows of the same size in order of arrival, 1,000 a transaction, synchronous=FULL; and the bytes of its files."""
    rates, sizes, plain, plain_sizes = [], [], [], []
    for _ in range(run.sizes.repetitions):
        with run.group("importing") as (node,):
            node.start()
            node.api.create_zone(ZONE, "bench")
            node.stop()
            empty = allocated_bytes(node.state)
            node.start()
            seconds, saved = 0.0, 0
            for piece in record_pieces(run.records):
                begun = time.perf_counter()
                saved += node.api.import_lines(ZONE, piece)
                seconds += time.perf_counter() - begun
            if saved != run.records:
                raise RuntimeError(f"{saved} of {run.records} records imported")
            node.stop()
            rates.append(saved / seconds)
            sizes.append((allocated_bytes(node.state) - empty) / saved)
        rate, size = sqlite_rows(run.folder, run.records, RECORD_BYTES)
        plain.append(rate)
        plain_sizes.append(size)
    run.sheet.report("import_rate", rates, [("raw SQLite, 1,000 rows a transaction", plain)])
    run.sheet.report("disk_bytes", sizes, [("raw SQLite", plain_sizes)])
