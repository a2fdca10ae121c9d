"""HTTP clients that take less of a processor than Python's own."""
import selectors
import socket
import time


class Clients:
    """Connections on which a request is sent after the answer to the one before."""

    def __init__(self, path, count):
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
            for key, _ in selector.select(10):
                client = key.fileobj
                piece = client.recv(65_536)
                if not piece:
                    raise RuntimeError("a connection ended")
                buffers[client] += piece
                if not is_whole(buffers[client]):
                    continue
                if not buffers[client].startswith(b"HTTP/1.1 200"):
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


def is_whole(data):
    """Whether the bytes are a whole answer: with a length, or in chunks."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return False
    for line in data[:end].lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(data) >= end + 4 + int(line[15:])
    return data.endswith(b"0\r\n\r\n")
