"""Writes beside upkeep of the store."""
import os
import statistics
import time

from benches.data import ZONE
from benches.run import fill


def checkpoint(run):
    """Writes one after the other with 10 ms between them, from the import of all records until the daemon has made the checkpoint of them by
    itself, and 1,500 more behind it, while it adopts the checkpoint and prunes: milliseconds of the longest, the sync of the disk included, and of
    the median. Baseline: one fdatasync of 4 KiB of this program behind each of these writes, its longest and its median: a disk whose syncs take
    longer than the bound hides the daemon's share."""
    writes, syncs = paced_writes(run, run.records)
    run.sheet.report("stand_still_ms", 1e3 * max(writes), [("the longest sync alone", 1e3 * max(syncs))], note=f"of {len(writes):,} writes")
    run.sheet.report("paced_ms", 1e3 * statistics.median(writes), [("one sync alone", 1e3 * statistics.median(syncs))])
    if run.sizes.many:
        writes, syncs = paced_writes(run, run.sizes.many)
        run.sheet.report("stand_still_many_ms", 1e3 * max(writes), [("the longest sync alone", 1e3 * max(syncs))], note=f"of {len(writes):,} writes")


def paced_writes(run, count):
    """Seconds of the writes beside upkeep of that many records, and of the syncs in turns with them."""
    run.rest()
    with run.group("upkeep", level="info") as (node,):
        node.start()
        node.api.create_zone(ZONE, "bench")
        fill(node, count)
        with Pace(node, os.path.join(run.folder, "paced")) as pace:
            deadline = time.monotonic() + 600
            while not is_made(node):
                if time.monotonic() > deadline:
                    raise TimeoutError("waited 600 s for the checkpoint")
                pace.write(50)
            # Right behind it, the checkpoint is adopted, and operations outside its live set are pruned.
            pace.write(run.sizes.paced)
            return pace.writes, pace.syncs


class Pace:
    """Writes in turns with syncs of a file, within the block."""

    def __init__(self, node, path):
        self.node, self.path, self.writes, self.syncs = node, path, [], []

    def __enter__(self):
        self.file = open(self.path, "wb", buffering=0)
        return self

    def __exit__(self, *_):
        self.file.close()
        os.unlink(self.path)

    def write(self, count):
        block = os.urandom(4096)
        for _ in range(count):
            begun = time.perf_counter()
            self.node.api.put(ZONE, f"paced-{len(self.writes) % 1000}", {"number": len(self.writes)})
            written = time.perf_counter()
            self.file.write(block)
            synced = time.perf_counter()
            os.fdatasync(self.file.fileno())
            self.syncs.append(time.perf_counter() - synced)
            self.writes.append(written - begun)
            time.sleep(0.01)


def is_made(node):
    with open(node.log, errors="replace") as log:
        return "checkpoint made" in log.read()
