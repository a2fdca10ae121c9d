"""Messages between two daemons that are both on."""
import statistics
import time

from benches.machine import fsync_seconds
from benches.node import wait_for

ONE_BY_ONE = 200
BURST = 500
BULK = 10_000
SENT_AT_ONCE = 250


def messages(run):
    """A message sent at one daemon, until the other delivers it, and until the sender shows it as delivered: milliseconds; and 500 sent one
    after the other, until all are delivered: seconds. Then 10,000 with 250 in a request, until a program at the other has all and has finished
    them, up to 1,000 in a request. Baseline: one fdatasync of 4 KiB."""
    fsync = statistics.median(fsync_seconds(run.folder))
    handed, delivered = (statistics.median(times) for times in one_by_one(run))
    run.table.add(
        "message at one, delivered at the other, median", f"{1e3 * handed:.1f} ms", f"{handed / fsync:.1f} x fdatasync", "",
        message_handed_ms=1e3 * handed,
    )
    run.table.add(
        "  until its sender shows it as delivered, median", f"{1e3 * delivered:.1f} ms", f"{delivered / fsync:.1f} x fdatasync", "",
        message_delivered_ms=1e3 * delivered,
    )
    whole, sending = burst(run)
    run.table.add(
        f"{BURST} messages one after the other, until all are delivered", f"{whole:.2f} s", f"{whole / sending:.2f} x sending them", "",
        message_burst_seconds=whole, message_sending_seconds=sending,
    )
    whole, sending = in_bulk(run)
    run.table.add(f"{BULK:,} messages, {SENT_AT_ONCE} in a request, sent", f"{sending:.2f} s", "", "", message_bulk_sending_seconds=sending)
    run.table.add("  until all are delivered and finished", f"{whole:.2f} s", f"{whole / sending:.2f} x sending them", "", message_bulk_seconds=whole)


def is_delivered(node, message):
    return all(d["state"] != "queued" for d in node.api.request("GET", f"/v1/messages/{message}")["deliveries"])


def finish_all(node):
    while waiting := node.waiting():
        node.finish_all([message["message"] for message in waiting])


def one_by_one(run):
    """Seconds from sending a message until the other node delivers it, and until its sender knows of that."""
    handed, delivered = [], []
    for number in range(ONE_BY_ONE):
        begin = time.perf_counter()
        message = run.a.send(f"message {number} " + "x" * 200)
        got = run.b.next_messages()
        handed.append(time.perf_counter() - begin)
        assert [m["message"] for m in got] == [message], "something else is waiting"
        delivered.append(wait_for("the receipt", lambda: is_delivered(run.a, message), pause=0.0005) - begin)
        finish_all(run.b)
    return handed, delivered


def burst(run):
    """Seconds until all of many messages are delivered, and of sending them."""
    begin = time.perf_counter()
    sent = [run.a.send(f"burst {number} " + "x" * 200) for number in range(BURST)]
    sending = time.perf_counter() - begin
    for message in sent:
        wait_for("all receipts", lambda: is_delivered(run.a, message), seconds=120)
    whole = time.perf_counter() - begin
    finish_all(run.b)
    return whole, sending


def in_bulk(run):
    """Seconds until many messages are delivered to a program and finished, and of sending them."""
    texts = [f"bulk {number} " + "x" * 200 for number in range(BULK)]
    begin = time.perf_counter()
    for start in range(0, BULK, SENT_AT_ONCE):
        run.a.send_all(texts[start:start + SENT_AT_ONCE])
    sending = time.perf_counter() - begin
    got = 0
    while got < BULK:
        wait_for("messages", run.b.waiting, seconds=120)
        messages = [message["message"] for message in run.b.waiting()]
        run.b.finish_all(messages)
        got += len(messages)
    whole = time.perf_counter() - begin
    assert got == BULK, f"{got} of {BULK} messages"
    return whole, sending
