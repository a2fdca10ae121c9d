"""Messages with large contents."""
import json
import os
import random
import socket
import time

from benches.data import ZONE

MEBIBYTES = 256


def payloads(run):
    """A message of 256 MiB: the upload to one daemon, durable and sealed, and then the time until the other delivers it; both in MiB a second.
    Baseline: as many bytes over one TCP connection into a file, and fdatasync."""
    run.pair()
    a, b = run.a, run.b
    block = random.Random(3).randbytes(1 << 20)
    copying = tcp_copy_seconds(run.folder, MEBIBYTES, block)
    begin = time.perf_counter()
    payload = upload(a, MEBIBYTES, block)["payload"]
    handing = time.perf_counter() - begin
    begin = time.perf_counter()
    message = a.api.request("POST", f"/v1/zones/{ZONE}/messages", {"payload": payload})["message"]
    got = []
    while not got:
        got = b.next_messages()
    fetching = time.perf_counter() - begin
    assert [m["message"] for m in got] == [message], "something else is waiting"
    b.finish(message)
    run.table.add(
        f"{MEBIBYTES} MiB uploaded", f"{MEBIBYTES / handing:.0f} MiB/s", f"{copying / handing:.2f} x TCP into a file", "",
        hand_in_megabytes=MEBIBYTES / handing, tcp_megabytes=MEBIBYTES / copying,
    )
    run.table.add(
        "  fetched by another, until its delivery there", f"{MEBIBYTES / fetching:.0f} MiB/s",
        f"{copying / fetching:.2f} x TCP into a file", f"{b.memory('VmHWM'):.0f} MiB at most", fetch_megabytes=MEBIBYTES / fetching,
    )


def tcp_copy_seconds(folder, mebibytes, block):
    """The same number of bytes over one connection on loopback into a file that is synced at the end."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        receiver = os.fork()
        if receiver == 0:
            connection, _ = server.accept()
            with open(os.path.join(folder, "copy"), "wb", buffering=0) as file:
                while piece := connection.recv(1 << 20):
                    file.write(piece)
                os.fdatasync(file.fileno())
            os._exit(0)
        begin = time.perf_counter()
        with socket.create_connection(server.getsockname()) as connection:
            for _ in range(mebibytes):
                connection.sendall(block)
        os.waitpid(receiver, 0)
        seconds = time.perf_counter() - begin
    os.unlink(os.path.join(folder, "copy"))
    return seconds


def upload(node, mebibytes, block):
    """Streams that many bytes to a daemon; returns its answer."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(node.path)
        head = f"POST /v1/zones/{ZONE}/payloads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        connection.sendall((head + f"Content-Length: {mebibytes << 20}\r\n\r\n").encode())
        for _ in range(mebibytes):
            connection.sendall(block)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    if b" 201 " not in head.splitlines()[0]:
        raise RuntimeError(f"not taken: {answer[:300]}")
    return json.loads(body)
