"""One run of `scripts/bench-relay`."""
import dataclasses
import json
import subprocess
import sys

from benches.relay import ALONE, AT_ONCE, BYTES, TAKERS
from benches.table import Table


def say(what):
    """A line of progress, on standard error."""
    print(f"bench-relay: {what}", file=sys.stderr, flush=True)


@dataclasses.dataclass
class RelayRun:
    """The parts that the measurements of a run share."""

    #: Removed at the end of the run.
    folder: str
    #: The number of parcels that wait.
    count: int
    table: Table
    #: The path of kairand.
    daemon: str
    #: The path of parcel-bench; None where no measurement needs it.
    parcel_bench: str | None

    def kept(self, *arguments):
        """The figures of parcel-bench for a storage."""
        command = [self.parcel_bench, "--count", str(self.count), "--bytes", str(BYTES), "--at-once", str(AT_ONCE), "--alone", str(ALONE)]
        command += ["--takers", str(TAKERS), *arguments]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"parcel-bench ended with {done.returncode}")
        return json.loads(done.stdout)
