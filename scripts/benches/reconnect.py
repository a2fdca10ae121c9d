"""Two nodes whose connection breaks."""
import time

from benches.clients import EventStream
from benches.data import ZONE
from benches.node import wait_for
from benches.proxy import Proxy
from benches.run import fill

#: After so many seconds without a byte an exchange has ended.
QUIET = 0.3


def reconnect(run):
    """Two daemons whose connection goes over a proxy of this program, which ends it; the device that dials makes the next one. Milliseconds from
    the acceptance of that connection until the last byte behind which 0.3 s pass without one, and the bytes both ways, handshake included: first
    with equal data; then with one record that differs, since the proxy has kept back the bytes about its write before it ended the connection.
    There the time is that until the event of the record at the other device. The proxy is Python, and its time for each piece is included. No
    baseline."""
    step_ms, step_bytes, differs_ms, differs_bytes = [], [], [], []
    with run.group("a", "b") as (a, b), Proxy("127.0.0.3", a.port) as proxy:
        # Each concludes from the connection's source that the other one listens at 127.0.0.1, where a dial would pass by the proxy.
        a.host, b.host = "127.0.0.3", "127.0.0.2"
        b.peers = [f"127.0.0.1:{proxy.port}"]
        a.start()
        a.api.create_zone(ZONE, "bench")
        fill(a, run.records)
        b.start()
        a.api.pair(b.api)
        wait_for("equal data", lambda: b.holds(run.records), seconds=600)
        proxy.wait_for_quiet(1.5)
        for number in range(max(5, 2 * run.sizes.repetitions)):
            proxy.end_connections()
            seconds, count = proxy.wait_for_quiet(QUIET)
            step_ms.append(1e3 * seconds)
            step_bytes.append(count)
            seconds, count = differing(a, b, proxy, number)
            differs_ms.append(1e3 * seconds)
            differs_bytes.append(count)
    run.sheet.report("in_step_ms", step_ms)
    run.sheet.report("in_step_bytes", step_bytes)
    run.sheet.report("differs_ms", differs_ms)
    run.sheet.report("differs_bytes", differs_bytes)


def differing(a, b, proxy, number):
    """Seconds from the acceptance of the next connection to the event of a record that only one side has, and the bytes of the exchange."""
    mark = f"differs-{number}-{time.time_ns():x}"
    events = EventStream(b.path, ZONE)
    try:
        proxy.keeps_back = True
        a.api.put(ZONE, "differing", {"mark": mark})
        proxy.end_connections()
        arrived = events.wait_for(mark.encode())
        proxy.wait_for_connection()
        seconds = arrived - proxy.accepted
    finally:
        events.close()
    return seconds, proxy.wait_for_quiet(QUIET)[1]
