"""The sizes of a run of `scripts/bench`."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Sizes:
    """The volumes that the measurements use."""

    name: str
    #: Records in the zone.
    records: int
    #: Records where the growth with their number matters.
    few: int
    #: Records in the rows of --full; None without them.
    many: int | None
    #: Repetitions of each short measurement.
    repetitions: int
    reads: int
    writes: int
    changes: int
    messages: int
    zones: int
    #: Seconds in which an idle daemon is observed.
    idle: int
    #: The large content, and the small files.
    mebibytes: int
    files: int
    #: Parcels at a relay, and repetitions there.
    parcels: int
    relay_repetitions: int
    #: Writes one after the other beside upkeep.
    paced: int


QUICK = Sizes(
    "quick", records=20_000, few=2_000, many=None, repetitions=3, reads=3_000, writes=1_500, changes=100, messages=10_000, zones=200, idle=15,
    mebibytes=128, files=0, parcels=1_000, relay_repetitions=1, paced=300,
)
USUAL = Sizes(
    "usual", records=100_000, few=10_000, many=None, repetitions=3, reads=10_000, writes=5_000, changes=300, messages=10_000, zones=1_000, idle=60,
    mebibytes=1024, files=10_000, parcels=2_000, relay_repetitions=3, paced=1_500,
)
FULL = dataclasses.replace(USUAL, name="full", many=1_000_000)


def with_records(volume, records):
    """The size with another number of records, where one is stated."""
    if records is None:
        return volume
    return dataclasses.replace(volume, records=records, few=min(volume.few, records))
