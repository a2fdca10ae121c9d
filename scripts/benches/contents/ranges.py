"""Parts of a content that is not here."""
import random
import socket
import time

from benches.contents.run import ZONE, name, upload
from benches.node import wait_for


def ranges(run):
    """The first bytes of ranges of the large content on a device that has none of it: milliseconds from the request to the first byte, of the first
    range, for which the outline is fetched too, and the median of twenty more. No baseline."""
    with run.group(2) as (a, b):
        b.api.request("PUT", f"/v1/zones/{ZONE}/assets/policy", {"policy": "on_demand"})
        name(a, "large", upload(a, run.large))
        wait_for("the record", lambda: b.api.request("GET", f"/v1/zones/{ZONE}/records/large"))
        source = random.Random(8)
        with open(run.large, "rb") as file:
            times = []
            for _ in range(21):
                first = source.randrange(run.byte_count - 4096)
                file.seek(first)
                times.append(first_bytes(b, first, file.read(4096)))
    median = sorted(times[1:])[10]
    run.table.add("first bytes of a range of it, elsewhere", f"{1e3 * times[0]:.1f} ms", "", "", first_range_ms=1e3 * times[0])
    run.table.add("  of further ranges, median", f"{1e3 * median:.1f} ms", "", "", range_ms=1e3 * median)


def first_bytes(node, first, expected):
    """The seconds until 4 KiB of the content, which are compared, begin to arrive."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(node.path)
        head = f"GET /v1/zones/{ZONE}/records/large/assets/content/content HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        begun = time.perf_counter()
        connection.sendall(f"{head}Range: bytes={first}-{first + len(expected) - 1}\r\n\r\n".encode())
        answer, moment = b"", None
        while piece := connection.recv(65536):
            answer += piece
            if moment is None and len(answer.partition(b"\r\n\r\n")[2]) > 0:
                moment = time.perf_counter()
    if answer.partition(b"\r\n\r\n")[2] != expected:
        raise RuntimeError(f"other bytes than those of the file: {answer[:300]}")
    return moment - begun
