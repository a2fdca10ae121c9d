"""A client of Kairan's local socket with nothing but the standard library, for the demo and the benchmark.

HTTP/1.1 and JSON over a Unix socket, server-sent events for streams. The command line tool does the same for people;
here the protocol is used directly, because starting a process takes longer than the measured operations.
"""
import http.client
import json
import socket
import threading
import time
import urllib.parse


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Refused(Exception):
    """The daemon answered with a problem document."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('code')}: {problem.get('detail') or problem.get('title')}")
        self.status, self.problem = status, problem


class Daemon:
    """One daemon's socket. A connection is kept and used again; one thread at a time."""

    def __init__(self, path, timeout=30):
        self.path, self.timeout = path, timeout
        self._connection = None

    def request(self, method, path, body=None, content_type="application/json"):
        """Sends a request; returns the JSON document of the answer, its text if it is none, or None without content."""
        if self._connection is None:
            self._connection = _UnixConnection(self.path, self.timeout)
        data = None if body is None else body if isinstance(body, (bytes, bytearray)) else json.dumps(body).encode()
        headers = {} if data is None else {"Content-Type": content_type}
        try:
            self._connection.request(method, path, data, headers)
            answer = self._connection.getresponse()
            content = answer.read()
        except Exception:
            self.close()
            raise
        if answer.status >= 400:
            try:
                raise Refused(answer.status, json.loads(content))
            except json.JSONDecodeError:
                raise Refused(answer.status, {"detail": content.decode(errors="replace")}) from None
        if not content:
            return None
        kind = answer.getheader("Content-Type") or ""
        if "ndjson" in kind:
            return [json.loads(line) for line in content.splitlines() if line.strip()]
        return json.loads(content) if "json" in kind else content.decode()

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def status(self):
        return self.request("GET", "/v1/status")

    def metric(self, name):
        """The sum of a metric's series."""
        lines = self.request("GET", "/v1/metrics").splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith((name + " ", name + "{")))

    def zone(self, zone):
        return self.request("GET", f"/v1/zones/{_quoted(zone)}")

    def create_zone(self, name, container):
        return self.request("POST", "/v1/zones", {"name": name, "container": container})

    def put(self, zone, name, fields, type="Record"):
        path = f"/v1/zones/{_quoted(zone)}/records/{_quoted(name)}"
        return self.request("PUT", path, {"type": type, "fields": fields})

    def import_lines(self, zone, lines):
        """Sends NDJSON (bytes) and waits for the last acknowledgement."""
        answer = self.request("POST", f"/v1/zones/{_quoted(zone)}/import", lines, "application/x-ndjson")
        last = answer[-1] if isinstance(answer, list) else answer
        if last.get("failed"):
            raise RuntimeError(f"records failed: {last}")
        return last["saved"]

    def pair(self, other, seconds=30):
        """Pairs `other` into this daemon's account."""
        ticket = self.request("POST", "/v1/pairing/offers")["ticket"]
        accepted = other.request("POST", "/v1/pairing/accept", {"ticket": ticket})
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            offered = self.request("GET", f"/v1/pairing/offers/{_quoted(ticket)}?wait_ms=5000")
            if offered:
                if offered["words"] != accepted["words"]:
                    raise RuntimeError("the two show different words")
                return accepted
        raise TimeoutError("the offering side never learned of the accepting one")


class Events:
    """The events of a zone, read by a thread of its own; each with the time at which its last byte arrived."""

    def __init__(self, path, zone):
        self._connection = _UnixConnection(path, None)
        self._connection.request("GET", f"/v1/zones/{_quoted(zone)}/events", headers={"Accept": "text/event-stream"})
        self._answer = self._connection.getresponse()
        if self._answer.status != 200:
            raise Refused(self._answer.status, json.loads(self._answer.read()))
        self._arrived = threading.Condition()
        self._seen = []
        threading.Thread(target=self._read, daemon=True).start()
        # The stream begins with a snapshot; after it, no change is missed.
        self.wait_for(lambda text: '"snapshot"' in text, 10)

    def _read(self):
        data = []
        try:
            while line := self._answer.readline():
                line = line.rstrip(b"\r\n")
                if line.startswith(b"data:"):
                    data.append(line[5:].strip().decode())
                elif not line and data:
                    with self._arrived:
                        self._seen.append((time.perf_counter(), "\n".join(data)))
                        self._arrived.notify_all()
                    data = []
        except (OSError, ValueError, AttributeError):
            # The stream was closed by close(), or the daemon ended: no more events.
            pass

    def wait_for(self, matches, seconds):
        """The time at which the first event with a matching text arrived; drops that event and those before it."""
        deadline = time.monotonic() + seconds
        with self._arrived:
            while True:
                for index, (moment, text) in enumerate(self._seen):
                    if matches(text):
                        del self._seen[: index + 1]
                        return moment
                self._seen.clear()
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError("the event did not come")
                self._arrived.wait(left)

    def close(self):
        try:
            # Wakes the reading thread, which close() alone would not.
            self._connection.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass
        self._connection.close()


def change_to_event(writer, reader_path, zone, count, pause=0.005):
    """Seconds from sending a write at one daemon to its event at the other, `count` times, ascending."""
    events = Events(reader_path, zone)
    samples = []
    try:
        for index in range(count):
            # A mark that no earlier event carries.
            mark = f"mark-{time.time_ns():x}-{index}"
            begun = time.perf_counter()
            writer.put(zone, "latency", {"mark": mark})
            samples.append(events.wait_for(lambda text: mark in text, 10) - begun)
            time.sleep(pause)
    finally:
        events.close()
    return sorted(samples)


def quantile(ascending, q):
    return ascending[min(len(ascending) - 1, int(q * len(ascending)))]


def _quoted(text):
    return urllib.parse.quote(text, safe="")
