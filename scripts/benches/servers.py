"""Servers of others as baselines, each acknowledging what is on the disk, and clients of them that take little of a processor."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile

from benches.command import ROOT
from benches.node import free_port, wait_for
from benches.sheet import Missing


def beside(name, measure, repetitions):
    """The columns of what a measurement returns, a row for each repetition; where its server is missing, that in place of two columns."""
    try:
        rows = [measure() for _ in range(repetitions)]
    except Missing as missing:
        return missing, missing
    return tuple(list(column) for column in zip(*rows))


def found(name, package):
    """The path of a program, which Debian may have installed where only root looks."""
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", os.path.join(ROOT, ".build-nats", "bin")])
    path = shutil.which(name, path=places)
    if path is None:
        raise Missing(name, f"apt-get install {package}")
    return path


class Server:
    """A process with a folder of its own, within the block, and one connection to it."""

    def __init__(self, folder):
        self.parent, self.connection, self.data = folder, None, b""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(dir=self.parent)
        try:
            arguments = self.arguments()
            with open(os.path.join(self.folder, "log"), "wb") as log:
                self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        try:
            wait_for(f"{arguments[0]} to listen", self._connects, seconds=20)
            self.greet()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _connects(self):
        if self.process.poll() is not None:
            with open(os.path.join(self.folder, "log"), errors="replace") as log:
                raise RuntimeError(f"a server ended with {self.process.returncode}: {log.read()[-300:]}")
        self.connection = self.connected()
        return True

    def __exit__(self, *_):
        if self.connection is not None:
            self.connection.close()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self):
        """More bytes of the connection."""
        piece = self.connection.recv(1 << 18)
        if not piece:
            raise RuntimeError("the server ended the connection")
        self.data += piece


class Redis(Server):
    """redis-server on a Unix socket, which syncs its log before it answers."""

    def arguments(self):
        self.path = os.path.join(self.folder, "redis.sock")
        program = found("redis-server", "--no-install-recommends redis-server")
        return [program, "--port", "0", "--unixsocket", self.path, "--dir", self.folder, "--appendonly", "yes", "--appendfsync", "always", "--save", ""]

    def connected(self):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.settimeout(60)
        client.connect(self.path)
        return client

    def greet(self):
        """Nothing: the protocol begins with a command."""

    def push(self, count, byte_count, at_once):
        """Appends that many values to a list, with so many commands before their answers are read."""
        one = redis_command(b"RPUSH", b"queue", b"x" * byte_count)
        for start in range(0, count, at_once):
            number = min(at_once, count - start)
            self.connection.sendall(one * number)
            while self.data.count(b"\r\n") < number:
                self.read()
            if b"-" in self.data:
                raise RuntimeError(f"redis-server refused: {self.data[:200]!r}")
            self.data = b""

    def pop(self, count, at_once):
        """Takes all values, so many with each command."""
        taken = 0
        while taken < count:
            self.connection.sendall(redis_command(b"LPOP", b"queue", str(at_once).encode()))
            while b"\r\n" not in self.data:
                self.read()
            head, _, rest = self.data.partition(b"\r\n")
            if not head.startswith(b"*"):
                raise RuntimeError(f"another answer of redis-server: {head[:200]!r}")
            # Each value is a line with its length, and a line with itself.
            while rest.count(b"\r\n") < 2 * int(head[1:]):
                self.read()
                rest = self.data.partition(b"\r\n")[2]
            taken, self.data = taken + int(head[1:]), b""


def redis_command(*parts):
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


class Nats(Server):
    """nats-server with a stream of one replica, which syncs each message before it acknowledges it."""

    LINE = re.compile(rb"(MSG|HMSG|PING|PONG|INFO|-ERR|\+OK)([^\r\n]*)\r\n")

    def arguments(self):
        program = found("nats-server", "nats-server")
        self.port, settings = free_port(), os.path.join(self.folder, "settings")
        with open(settings, "w") as file:
            file.write(f'listen: "127.0.0.1:{self.port}"\njetstream {{ store_dir: "{self.folder}/store", sync_interval: always }}\n')
        return [program, "-c", settings]

    def connected(self):
        client = socket.create_connection(("127.0.0.1", self.port))
        client.settimeout(60)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return client

    def greet(self):
        options = {"verbose": False, "pedantic": False, "headers": True, "lang": "python", "version": "1", "protocol": 1}
        self.connection.sendall(b"CONNECT " + json.dumps(options).encode() + b"\r\nSUB _INBOX.reply 1\r\nSUB _INBOX.taken 2\r\n")
        self.ask("$JS.API.STREAM.CREATE.BENCH", {"name": "BENCH", "subjects": ["bench"], "storage": "file", "retention": "workqueue"})
        consumer = {"durable_name": "taker", "ack_policy": "explicit", "max_ack_pending": 100_000}
        self.ask("$JS.API.CONSUMER.DURABLE.CREATE.BENCH.taker", {"stream_name": "BENCH", "config": consumer})

    def ask(self, subject, body):
        """The document with which the server answers a request."""
        self.connection.sendall(published(subject, "_INBOX.reply", json.dumps(body).encode()))
        answer = json.loads(self.message()[2])
        if "error" in answer:
            raise RuntimeError(f"nats-server refused: {answer['error']}")
        return answer

    def message(self):
        """The next message: the number of its subscription, the subject for answers, its bytes."""
        while True:
            found_line = self.LINE.match(self.data)
            if found_line is None:
                self.read()
                continue
            kind, words = found_line[1], found_line[2].split()
            if kind in (b"MSG", b"HMSG"):
                end = found_line.end() + int(words[-1])
                while len(self.data) < end + 2:
                    self.read()
                body = self.data[found_line.end():end]
                self.data = self.data[end + 2:]
                head_words = 4 if kind == b"MSG" else 5
                return words[1], words[2] if len(words) == head_words else b"", body
            self.data = self.data[found_line.end():]
            if kind == b"PING":
                self.connection.sendall(b"PONG\r\n")
            elif kind == b"-ERR":
                raise RuntimeError(f"nats-server: {found_line[2]!r}")

    def publish(self, count, byte_count, at_once):
        """Publishes that many messages, with up to so many that are not acknowledged."""
        one = published("bench", "_INBOX.reply", b"x" * byte_count)
        sent = acknowledged = 0
        while acknowledged < count:
            if (room := min(at_once - (sent - acknowledged), count - sent)) > 0:
                self.connection.sendall(one * room)
                sent += room
            answer = self.message()[2]
            if b'"error"' in answer:
                raise RuntimeError(f"nats-server refused: {answer[:200]!r}")
            acknowledged += 1

    def take(self, count, at_once):
        """Takes and acknowledges all messages, so many with each request, until the stream is empty."""
        for start in range(0, count, at_once):
            number = min(at_once, count - start)
            self.connection.sendall(published("$JS.API.CONSUMER.MSG.NEXT.BENCH.taker", "_INBOX.taken", json.dumps({"batch": number}).encode()))
            replies = [self.message()[1] for _ in range(number)]
            self.connection.sendall(b"".join(b"PUB %s 4\r\n+ACK\r\n" % reply for reply in replies))
        while self.ask("$JS.API.STREAM.INFO.BENCH", {})["state"]["messages"] > 0:
            pass


def published(subject, reply, body):
    return f"PUB {subject} {reply} {len(body)}\r\n".encode() + body + b"\r\n"
