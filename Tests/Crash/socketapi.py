"""A client of the local socket for the load: hand-written HTTP/1.1, since hundreds of requests must fit between two kills.

`scripts/localapi.py` says the same with Python's own client, at five times the processor time a request.
"""
import json
import socket


class Broken(OSError):
    """The connection ended before the answer was complete: the outcome of the request is unknown."""


class Refused(Exception):
    """The daemon answered with a problem document."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('code')}: {problem.get('detail') or problem.get('title')}")
        self.status, self.problem, self.code = status, problem, problem.get("code")


class Answer:
    """An answer with an unread body."""

    def __init__(self, file):
        self.file = file
        line = file.readline()
        if not line.endswith(b"\r\n"):
            raise Broken("no answer")
        self.status = int(line.split(None, 2)[1])
        self.length, self.chunked, self.left = None, False, 0
        while (line := file.readline()) != b"\r\n":
            if not line.endswith(b"\r\n"):
                raise Broken("half an answer")
            name, _, value = line.partition(b":")
            name, value = name.lower(), value.strip()
            if name == b"content-length":
                self.length = int(value)
            elif name == b"transfer-encoding" and value.lower() == b"chunked":
                self.chunked = True

    def read(self):
        if not self.chunked:
            return self._exactly(self.length or 0)
        return b"".join(self.chunks())

    def chunks(self):
        """The bytes as they arrive; ends without an error only after the last chunk."""
        while True:
            line = self.file.readline()
            if not line.endswith(b"\r\n"):
                raise Broken("the answer ended early")
            size = int(line.split(b";")[0], 16)
            data = self._exactly(size)
            self._exactly(2)
            if not size:
                return
            yield data

    def lines(self):
        """Whole lines of a body that is sent in chunks."""
        rest = b""
        for chunk in self.chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines

    def _exactly(self, count):
        data = self.file.read(count)
        if len(data) != count:
            raise Broken("half an answer")
        return data


class Connection:
    """One connection, made with the first request, used again for the next; one thread at a time."""

    def __init__(self, path, timeout):
        self.path, self.timeout = path, timeout
        self.socket = self.file = None

    def open(self, method, path, data=None, content_type="application/json", accept="*/*"):
        """Sends a request; returns the answer as soon as its head has arrived."""
        if self.socket is None:
            made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            made.settimeout(self.timeout)
            try:
                made.connect(self.path)
            except OSError:
                made.close()
                raise
            self.socket, self.file = made, made.makefile("rb")
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n"
        if data is not None:
            head += f"Content-Type: {content_type}\r\nContent-Length: {len(data)}\r\n"
        self.socket.sendall(head.encode() + b"\r\n" + (data or b""))
        return Answer(self.file)

    def request(self, method, path, document=None):
        """Returns the JSON document of the answer, or None if there is none; raises `Refused` or `OSError`."""
        try:
            answer = self.open(method, path, None if document is None else json.dumps(document).encode())
            content = answer.read()
        except OSError:
            self.close()
            raise
        content = json.loads(content) if content else None
        if answer.status >= 400:
            raise Refused(answer.status, content or {})
        return content

    def close(self):
        if self.socket is not None:
            self.file.close()
            self.socket.close()
        self.socket = self.file = None

    def cut(self):
        """Wakes a reader in another thread."""
        try:
            if self.socket is not None:
                self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it is closed already

    def status(self):
        return self.request("GET", "/v1/status")
