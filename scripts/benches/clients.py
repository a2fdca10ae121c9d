"""HTTP clients that take less of a processor than Python's own."""
import json
import selectors
import socket
import time


class Clients:
    """Connections on which a request is sent after the answer to the one before.

    Other protocols than HTTP have an `is_whole` of their own, and other `beginnings` of their good answers.
    """

    def __init__(self, path, count, is_whole=None, beginnings=(b"HTTP/1.1 200", b"HTTP/1.1 201")):
        self.is_whole, self.beginnings = is_whole or is_whole_answer, beginnings
        self.sockets = []
        for _ in range(count):
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            client.connect(path)
            self.sockets.append(client)

    def run(self, make_request, count):
        """Sends that many requests in all; returns requests a second and their times, ascending."""
        selector = selectors.DefaultSelector()
        begun, buffers, times, sent = {}, {}, [], 0
        for client in self.sockets:
            selector.register(client, selectors.EVENT_READ)
        start = time.perf_counter()
        for client in self.sockets:
            client.sendall(make_request(sent))
            begun[client], buffers[client] = time.perf_counter(), b""
            sent += 1
        while len(times) < count:
            ready = selector.select(30)
            if not ready:
                raise TimeoutError(f"{len(times)} of {count} answers came")
            for key, _ in ready:
                client = key.fileobj
                piece = client.recv(65_536)
                if not piece:
                    raise RuntimeError("a connection ended")
                buffers[client] += piece
                if not self.is_whole(buffers[client]):
                    continue
                if not buffers[client].startswith(self.beginnings):
                    raise RuntimeError(f"another answer: {buffers[client][:300]!r}")
                now = time.perf_counter()
                times.append(now - begun[client])
                if sent < count:
                    client.sendall(make_request(sent))
                    begun[client], buffers[client] = now, b""
                    sent += 1
        seconds = time.perf_counter() - start
        selector.close()
        return count / seconds, sorted(times)

    def close(self):
        for client in self.sockets:
            client.close()


def is_whole_answer(data):
    """Whether the bytes are a whole answer: with a length, or in chunks."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return False
    for line in data[:end].lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(data) >= end + 4 + int(line[15:])
    return data.endswith(b"0\r\n\r\n")


def put_request(zone, name, fields):
    """The bytes of a request that writes a record."""
    body = json.dumps({"type": "Record", "fields": fields}).encode()
    head = f"PUT /v1/zones/{zone}/records/{name} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class EventStream:
    """The events of a zone as bytes, read by the thread that waits for them."""

    def __init__(self, path, zone):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(30)
        self.socket.connect(path)
        self.socket.sendall(f"GET /v1/zones/{zone}/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode())
        self.data = b""
        # The stream begins with a snapshot; after it, no change is missed.
        self.wait_for(b'"snapshot"')

    def wait_for(self, mark):
        """The time at which bytes with the mark arrived; earlier bytes are dropped."""
        while not self.holds(mark):
            pass
        return time.perf_counter()

    def holds(self, mark):
        """Whether the mark is among the bytes that the next reading brings, or was among those before it."""
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise RuntimeError(f"the stream of events ended: {self.data[-300:]!r}")
        self.data += piece
        if mark in self.data:
            self.data = b""
            return True
        self.data = self.data[-4096:]
        return False

    def close(self):
        self.socket.close()
