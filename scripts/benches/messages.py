"""Messages between two daemons that are both on."""
import statistics
import time

from benches.machine import sqlite_rows
from benches.node import wait_for
from benches.servers import Nats, Redis, beside

ONE_BY_ONE = 100
SENT_AT_ONCE = 250
BYTES = 200


def messages(run):
    """Seconds in which a program sends 10,000 messages of 200 bytes, 250 in a request, all durable; in which a program at the other device, where
    all have arrived, lists and finishes them, up to 1,000 in a request; and from the first request to the last answer where the second program
    takes them as they come. Baselines: raw SQLite inserts as many rows, 250 a transaction, synchronous=FULL; redis-server with appendfsync always,
    a list, 250 commands before their answers are read, then 1,000 taken at a time; nats-server with sync_interval always, a stream, 250 not yet
    acknowledged, then taken and acknowledged 1,000 at a time. Each is one server, where the messages are on two devices. Then milliseconds of
    single messages until the other device delivers each, and until its sender shows it as delivered."""
    run.pair()
    count, repetitions = run.sizes.messages, run.sizes.repetitions
    sent, drained, whole, plain = [], [], [], []
    for _ in range(repetitions):
        sent.append(send(run, count))
        wait_for("all messages", lambda: arrived(run.b, count), seconds=300, pause=0.02)
        begun = time.perf_counter()
        finish_waiting(run.b, count)
        drained.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        send(run, count)
        finish_waiting(run.b, count)
        whole.append(time.perf_counter() - begun)
        plain.append(count / sqlite_rows(run.folder, count, BYTES, SENT_AT_ONCE)[0])

    redis, redis_drained = beside("redis-server", lambda: redis_queue(run, count), repetitions)
    nats, nats_drained = beside("nats-server", lambda: nats_queue(run, count), repetitions)
    run.sheet.report("send_s", sent, [("raw SQLite, 250 rows a transaction", plain), ("redis-server", redis), ("nats-server", nats)])
    run.sheet.report("drain_s", drained, [("redis-server", redis_drained), ("nats-server", nats_drained)])
    run.sheet.report("bulk_s", whole)
    handed, receipts = one_by_one(run)
    run.sheet.report("handed_ms", 1e3 * statistics.median(handed), note=f"median of {ONE_BY_ONE}")
    run.sheet.report("receipt_ms", 1e3 * statistics.median(receipts), note=f"median of {ONE_BY_ONE}")


def send(run, count):
    """Seconds in which that many messages are sent."""
    texts = [f"bulk {number} ".ljust(BYTES, "x") for number in range(count)]
    begun = time.perf_counter()
    for start in range(0, count, SENT_AT_ONCE):
        run.a.send_all(texts[start:start + SENT_AT_ONCE])
    return time.perf_counter() - begun


def arrived(node, count):
    """Whether that many messages wait, which is seen by pages behind one another."""
    seen, after = 0, 0
    while page := node.waiting(after=after):
        seen, after = seen + len(page), page[-1]["number"]
    return seen >= count


def finish_waiting(node, count):
    """Lists and finishes that many messages, as they come."""
    finished = 0
    while finished < count:
        if page := node.waiting():
            node.finish_all([message["message"] for message in page])
            finished += len(page)
        else:
            time.sleep(0.002)
    if finished != count:
        raise RuntimeError(f"{finished} of {count} messages")


def is_delivered(node, message):
    return all(d["state"] != "queued" for d in node.api.request("GET", f"/v1/messages/{message}")["deliveries"])


def one_by_one(run):
    """Seconds from sending a message until the other node delivers it, and until its sender knows of that."""
    handed, receipts = [], []
    for number in range(ONE_BY_ONE):
        begun = time.perf_counter()
        message = run.a.send(f"message {number} ".ljust(BYTES, "x"))
        got = run.b.next_messages()
        handed.append(time.perf_counter() - begun)
        if [m["message"] for m in got] != [message]:
            raise RuntimeError("something else is waiting")
        receipts.append(wait_for("the receipt", lambda: is_delivered(run.a, message), pause=0.0005) - begun)
        run.b.finish_all([message])
    return handed, receipts


def redis_queue(run, count):
    """Seconds of filling a list, and of taking everything from it."""
    with Redis(run.folder) as redis:
        begun = time.perf_counter()
        redis.push(count, BYTES, SENT_AT_ONCE)
        filled = time.perf_counter()
        redis.pop(count, 1000)
        return filled - begun, time.perf_counter() - filled


def nats_queue(run, count):
    """Seconds of filling a stream, and of taking and acknowledging everything in it."""
    with Nats(run.folder) as nats:
        begun = time.perf_counter()
        nats.publish(count, BYTES, SENT_AT_ONCE)
        filled = time.perf_counter()
        nats.take(count, 1000)
        return filled - begun, time.perf_counter() - filled
