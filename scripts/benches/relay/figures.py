"""Rates and footprints of storages, and their lines in the table."""
import array
import sys
import time

from benches.machine import allocated_bytes
from benches.relay import AT_ONCE, BYTES


def resident(process):
    """Bytes."""
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))


def footprint(folder, processes):
    """Bytes of the memory of some processes and of the files in a folder."""
    return {"resident": sum(map(resident, processes)), "disk": allocated_bytes(folder)}


class Pace:
    """The rate of an activity: the time of each step, and the processor time of this process meanwhile."""

    def __init__(self, what, total):
        self.what, self.total, self.times = what, total, array.array("d")
        self.begun, self.processor, self.said = time.perf_counter(), time.process_time(), time.perf_counter()
        self.count = 0

    def add(self, seconds=None, more=1):
        """Counts steps, with the time of one if it is known; prints the progress every five seconds."""
        if seconds is not None:
            self.times.append(seconds)
        self.count += more
        now = time.perf_counter()
        if now >= self.said + 5:
            self.said = now
            print(f"  {self.count} of {self.total} {self.what}, {self.count / (now - self.begun):,.0f}/s", file=sys.stderr, flush=True)

    def figures(self):
        """The same keys as parcel-bench prints for an activity."""
        seconds = time.perf_counter() - self.begun
        times = sorted(self.times) or [0.0]
        return {
            "per_second": self.total / seconds,
            "median_ms": 1e3 * times[len(times) // 2],
            "p99_ms": 1e3 * times[min(len(times) - 1, int(0.99 * len(times)))],
            "processors": (time.process_time() - self.processor) / seconds,
        }


def add_pace(table, name, key, figures, beside=None, beside_name=None, target=""):
    """Lines for deposit and drain of one storage, compared with another one."""
    lines = (("put_alone", "put, one after another"), ("put", f"put, {AT_ONCE} at once"), ("drain", "drain"))
    for part, words in lines:
        pace, other = figures.get(part), (beside or {}).get(part)
        if pace is None:
            continue
        figure, rate = f"{key}_{part}", pace["per_second"]
        ratio, more = "", {}
        if other:
            ratio = f"{rate / other['per_second']:.2f} x {beside_name} ({other['per_second']:,.0f}/s)"
            more = {f"{figure}_ratio": rate / other["per_second"]}
        table.add(f"{name}: {words}", f"{rate:,.0f}/s", ratio, target if other else "", **{f"{figure}_per_second": rate}, **more)
        # The baselines deliver many messages at once.
        if part != "drain" or pace["median_ms"] > 0:
            words = "  fetching one: median; 99th percentile" if part == "drain" else "  median; 99th percentile"
            table.add(
                words, f"{pace['median_ms']:.2f} ms", f"{pace['p99_ms']:.2f} ms", "",
                **{f"{figure}_median_ms": pace["median_ms"], f"{figure}_p99_ms": pace["p99_ms"]},
            )
        table.figures[f"{figure}_client_processors"] = round(pace["processors"], 4)


def add_weight(table, count, key, figures, which="resident", words=""):
    """Lines for memory and disk of one storage with all parcels in it."""
    before, waiting = figures["before"], figures["waiting"]
    memory, size = (waiting[which] - before[which]) / count, (waiting["disk"] - before["disk"]) / count
    table.add(
        f"  memory{words} with {count:,} waiting", f"{waiting[which] / (1 << 20):,.0f} MiB", f"{memory:,.0f} bytes for each",
        **{f"{key}_waiting_mib": waiting[which] / (1 << 20), f"{key}_memory_bytes_each": memory},
    )
    table.add(
        f"  disk{words}", f"{waiting['disk'] / (1 << 20):,.0f} MiB", f"{size:,.0f} bytes for each of {BYTES}",
        **{f"{key}_disk_bytes_each": size},
    )


def add_client_share(table, figures):
    put, drain = figures["put"]["processors"], figures["drain"]["processors"]
    table.add(f"  the client took {put:.2f} and {drain:.2f} processors", "")
