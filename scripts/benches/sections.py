"""The sections of `scripts/bench` with their rows and targets: the one place of the targets."""
import dataclasses
import typing

from benches.catch_up import catch_up, sealing
from benches.change import change
from benches.checkpoint import checkpoint
from benches.importing import importing
from benches.messages import messages
from benches.parcels import parcels
from benches.payloads import payloads
from benches.query import query
from benches.reconnect import reconnect
from benches.requests import requests
from benches.sessions import idle, start
from benches.sheet import BYTES, COUNT, MIB, MIB_RATE, MS, RATE, SECONDS, Row, Unit
from benches.transfers import contents, relay
from benches.watchers import watchers

SHORT_MS = Unit("ms", 3)


@dataclasses.dataclass(frozen=True)
class Section:
    """A measurement, which is a function of a `Run`, and the rows that it reports."""

    measure: typing.Callable
    #: Empty where the measurement adds rows as texts.
    rows: tuple = ()
    #: Whether it is part of a run that selects nothing.
    is_usual: bool = True


# In the order in which they run.
SECTIONS = {
    "change": Section(change, (
        Row("change_ms", "a change at one, its event at the other, both durable", MS, at_most=1.0, ratio_at_most=2),
        Row("change_p99_ms", "its 99th percentile", MS, ratio_at_most=3),
    )),
    "requests": Section(requests, (
        Row("write_one_ms", "a durable write, one client", MS, at_most=0.40),
        Row("write_many_rate", "durable writes, 64 clients", RATE, at_least=25_000),
        Row("read_one_rate", "reads, one client", RATE, ratio_at_least=0.8),
        Row("read_many_rate", "reads, 64 clients", RATE, ratio_at_least=0.6),
    )),
    "import": Section(importing, (
        Row("import_rate", "import of {records} records over the socket", RATE, at_least=100_000),
        Row("disk_bytes", "disk of a record of 300 bytes, {records} of them", BYTES, at_most=800),
    )),
    "catch-up": Section(catch_up, (
        Row("catch_up_rate", "catch-up of {records} sealed records, until queries are answered", RATE, at_least=150_000),
        Row("catch_up_mib", "its memory above idle, {records} records", MIB, at_most=40),
        Row("catch_up_few_mib", "its memory above idle, {few} records", MIB, at_most=40),
        Row("catch_up_many_rate", "catch-up of 1,000,000 records", RATE, at_least=150_000, is_full_only=True),
        Row("catch_up_many_mib", "its memory above idle", MIB, at_most=40, is_full_only=True),
    )),
    "reconnect": Section(reconnect, (
        Row("in_step_ms", "reconnect in step, {records} records", MS, at_most=2),
        Row("in_step_bytes", "its bytes, both ways, handshake included", BYTES, at_most=4_096),
        Row("differs_ms", "reconnect where one of {records} records differs", MS, at_most=2.5),
        Row("differs_bytes", "its bytes, both ways, handshake included", BYTES, at_most=4_096),
    )),
    "query": Section(query, (
        Row("look_ms", "one of {records} records by a number, no index", MS, at_most=60),
        Row("indexed_ms", "the same with an index", SHORT_MS, at_most=0.2),
        Row("page_ms", "a page of 100 in the order of a number, no index", MS),
        Row("page_indexed_ms", "the same with an index", MS),
        Row("index_s", "building the index", SECONDS),
    )),
    "messages": Section(messages, (
        Row("send_s", "{messages} messages sent, 250 in a request", SECONDS, at_most=0.5),
        Row("drain_s", "they are drained and finished where they arrived", SECONDS, at_most=0.25),
        Row("bulk_s", "from the first request until all are finished elsewhere", SECONDS),
        Row("handed_ms", "one message, delivered elsewhere", MS),
        Row("receipt_ms", "until its sender shows it as delivered", MS),
    )),
    "checkpoint": Section(checkpoint, (
        Row("stand_still_ms", "longest write while {records} records get a checkpoint", MS, at_most=20),
        Row("stand_still_many_ms", "the same with 1,000,000 records", MS, at_most=20, is_full_only=True),
        Row("paced_ms", "the median of these writes", MS),
    )),
    "start": Section(start, (
        Row("start_ms", "start with {records} records and {zones} zones", MS, at_most=100),
        Row("start_many_ms", "start with 1,000,000 records and {zones} zones", MS, at_most=100, is_full_only=True),
    )),
    "idle": Section(idle, (
        Row("idle_wake_ups", "wake-ups in {idle} s, in step with two peers", COUNT, at_most=0),
        Row("idle_pss_mib", "memory of its own then (PSS)", MIB, at_most=16),
        Row("idle_processor_ms", "processor time in {idle} s", MS),
    )),
    "relay": Section(relay, (
        Row("sqlite_put_alone", "a relay on SQLite: put, one after another", RATE, ratio_at_least=0.5),
        Row("sqlite_put", "put, 64 at once", RATE, ratio_at_least=0.5),
        Row("sqlite_drain", "drain, eight at once", RATE, ratio_at_least=0.5),
        Row("jetstream_put_alone", "a relay on JetStream, three servers: put, one after another", RATE, ratio_at_least=0.25),
        Row("jetstream_put", "put, 64 at once", RATE, ratio_at_least=0.25),
        Row("jetstream_drain", "drain, eight at once", RATE, ratio_at_least=0.25),
    )),
    "contents": Section(contents, (
        Row("upload_s", "{mebibytes} MiB uploaded, sealed and durable", SECONDS),
        Row("fetch_s", "durable on the other device", SECONDS, ratio_at_most=0.8),
        Row("transfer_rate", "the rate of that", MIB_RATE),
        Row("fetch_processor_s", "processor time of both daemons for that", SECONDS),
        Row("receiver_mib", "the receiver's memory above idle", MIB, at_most=32),
        Row("files_s", "{files} files of 4,000 bytes imported", SECONDS, at_most=15),
        Row("files_there_s", "they are on the other device, from the beginning", SECONDS),
    )),
    "sealing": Section(sealing, is_usual=False),
    "watchers": Section(watchers, is_usual=False),
    "parcels": Section(parcels, is_usual=False),
    "payloads": Section(payloads, is_usual=False),
}

USUAL_NAMES = [name for name, section in SECTIONS.items() if section.is_usual]
