"""A proxy between two daemons, which ends their connection on request and counts the bytes of the next one."""
import selectors
import socket
import threading
import time

from benches.node import wait_for


class Proxy:
    """Passes each connection on to another address, in a thread of its own, within the block."""

    def __init__(self, host, port):
        self.target = (host, port)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self._told, self._tells = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._others = {}
        self._thread = threading.Thread(target=self._run, daemon=True)
        #: Whether bytes are read and not passed on, until the connection is ended.
        self.keeps_back = False
        #: The times of the acceptance of the last connection and of its last byte, and its bytes both ways; no acceptance since the last end is None.
        self.accepted, self.last, self.bytes = None, 0.0, 0
        self._ended = threading.Event()

    def __enter__(self):
        self._selector.register(self.server, selectors.EVENT_READ)
        self._selector.register(self._told, selectors.EVENT_READ)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._tells.sendall(b"q")
        self._thread.join()
        for one in (self.server, self._told, self._tells):
            one.close()
        self._selector.close()

    def end_connections(self):
        """Ends all connections; returns once they are ended."""
        self._ended.clear()
        self._tells.sendall(b"e")
        if not self._ended.wait(10):
            raise TimeoutError("the proxy does not end its connections")

    def wait_for_connection(self, seconds=60):
        """Waits until a connection was accepted since the last end."""
        wait_for("the other device to dial again", lambda: self.accepted is not None, seconds=seconds, pause=0.002)

    def wait_for_quiet(self, seconds):
        """Waits until no byte has passed for that long; returns the seconds from the acceptance to the last byte, and the bytes."""
        self.wait_for_connection()
        wait_for("quiet on the connection", lambda: time.perf_counter() - max(self.last, self.accepted) >= seconds, pause=0.01)
        return self.last - self.accepted, self.bytes

    def _run(self):
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._told:
                    command = self._told.recv(1)
                    self._end_all()
                    if command == b"q":
                        return
                    self._ended.set()
                    break
                if key.fileobj is self.server:
                    self._accept()
                elif key.fileobj in self._others:
                    self._pass(key.fileobj)

    def _accept(self):
        moment = time.perf_counter()
        dialling, _ = self.server.accept()
        try:
            listening = socket.create_connection(self.target)
        except OSError:
            dialling.close()
            return
        if self.accepted is None:
            self.accepted, self.last, self.bytes = moment, moment, 0
        for one, other in ((dialling, listening), (listening, dialling)):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._others[one] = other
            self._selector.register(one, selectors.EVENT_READ)

    def _pass(self, one):
        try:
            piece = one.recv(1 << 18)
            if piece and not self.keeps_back:
                self._others[one].sendall(piece)
                self.last, self.bytes = time.perf_counter(), self.bytes + len(piece)
        except OSError:
            piece = b""
        if not piece:
            for ended in (one, self._others[one]):
                self._end(ended)

    def _end(self, one):
        self._others.pop(one, None)
        self._selector.unregister(one)
        one.close()

    def _end_all(self):
        for one in list(self._others):
            self._end(one)
        self.keeps_back, self.accepted = False, None
