"""Daemons that the measurements start and stop, and waiting for them."""
import contextlib
import os
import signal
import socket
import subprocess
import time

import localapi
from benches.data import ZONE


def free_ports(count):
    """Different free ports of loopback: each is held until all are found."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def free_port():
    """A free port of loopback."""
    return free_ports(1)[0]


def wait_for(what, condition, seconds=60, pause=0.005):
    """Polls until the condition holds; returns the time of that."""
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline:
        try:
            if condition():
                return time.perf_counter()
        except (OSError, localapi.Refused):
            pass  # the socket or the zone does not exist yet
        time.sleep(pause)
    raise TimeoutError(f"waited {seconds} s for {what}")


class Node:
    """A kairand of our own: state, socket, port, log."""

    def __init__(self, folder, name, program, peers=(), extra=(), level="warning", environment=None):
        self.name, self.program, self.extra, self.level = name, program, list(extra), level
        self.environment = environment
        self.state = os.path.join(folder, name)
        self.path = os.path.join(folder, name + ".sock")
        self.log = os.path.join(folder, name + ".log")
        self.host, self.port = "127.0.0.1", free_port()
        self.peers = [f"{peer.host}:{peer.port}" for peer in peers]
        self.process = None
        self.api = None

    @classmethod
    def relay(cls, folder, program):
        """A node that is a relay as well, with the address of its relay as `relay_address`."""
        address = f"127.0.0.1:{free_port()}"
        settings = os.path.join(folder, "relay.yaml")
        with open(settings, "w") as file:
            file.write(f'relay: true\nrelay-listen: ["{address}"]\n')
        made = cls(folder, "relay", program, extra=["--config", settings])
        made.relay_address = address
        return made

    def start(self):
        """Returns the seconds from exec to the first answer; by then the state is ready, or degraded."""
        arguments = [self.program, "--state", self.state, "--socket", self.path, "--no-mdns", "--log-level", self.level]
        arguments += ["--listen", f"{self.host}:{self.port}"]
        for peer in self.peers:
            arguments += ["--peer", peer]
        arguments += self.extra
        begun = time.perf_counter()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **(self.environment or {})}
            )
        self.api = localapi.Daemon(self.path, timeout=120)
        answered = wait_for(f"{self.name} to answer", lambda: self._alive() and self.api.status(), pause=0.001)
        wait_for(f"{self.name} to be ready", lambda: self.api.status()["state"] in ("ready", "degraded"))
        return answered - begun

    def _alive(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended with {self.process.returncode}; its log: {self.tail()}")
        return True

    def stop(self):
        if self.process is None:
            return
        self.api.close()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def tail(self):
        """The last ten lines of the log."""
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-10:])

    def holds(self, count):
        """Whether the zone has that many records here."""
        return self.api.zone(ZONE)["records"] == count

    def connected_to(self, other_device):
        return any(p["device"] == other_device and p["state"] == "connected" for p in self.api.request("GET", "/v1/peers"))

    # ---- messages

    def send(self, text):
        """Sends a message in the zone; returns its name."""
        return self.api.request("POST", f"/v1/zones/{ZONE}/messages", {"text": text})["message"]

    def send_all(self, texts):
        """Sends messages in the zone, all by one request."""
        self.api.request("POST", f"/v1/zones/{ZONE}/messages/batch", {"messages": [{"text": text} for text in texts]})

    def waiting(self, limit=1000, after=0):
        """The messages in the inbox behind the one with that number, up to so many."""
        behind = f"&after={after}" if after else ""
        return self.api.request("GET", f"/v1/inbox?limit={limit}{behind}")["messages"]

    def next_messages(self):
        """The messages in the inbox; waits for the first one, up to 30 s."""
        return self.api.request("GET", "/v1/inbox?wait_ms=30000")["messages"]

    def finish(self, message):
        self.api.request("POST", f"/v1/messages/{message}/finish")

    def finish_all(self, messages):
        """Finishes messages by one request; all have to be there."""
        answer = self.api.request("POST", "/v1/inbox/finish", {"messages": messages})
        assert answer["finished"] == len(messages), answer

    # ---- figures from /proc

    def memory(self, key="VmRSS"):
        """MiB; VmHWM is the peak of VmRSS."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith(key + ":"))

    def own_memory(self):
        """MiB; a page that several processes have is shared among them (PSS)."""
        with open(f"/proc/{self.process.pid}/smaps_rollup") as rollup:
            return next(int(line.split()[1]) / 1024 for line in rollup if line.startswith("Pss:"))

    def processor_seconds(self):
        """Processor time of all threads since the start."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wake_ups(self):
        """Voluntary context switches of each of its threads, which is the number of its wake-ups."""
        counts = {}
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            try:
                with open(f"/proc/{self.process.pid}/task/{thread}/status") as status:
                    counts[thread] = next(int(line.split()[1]) for line in status if line.startswith("voluntary_ctxt"))
            except (FileNotFoundError, ProcessLookupError):
                pass  # the thread ended meanwhile
        return counts

    def rest(self, seconds):
        """The processor seconds and the wake-ups, both a second, of that time, in which the caller asks nothing."""
        processor, woken, begun = self.processor_seconds(), self.wake_ups(), time.perf_counter()
        time.sleep(seconds)
        passed = time.perf_counter() - begun
        # The count of a thread that ended meanwhile is lost: a small error, and to the daemon's advantage.
        woken = sum(count - woken.get(thread, 0) for thread, count in self.wake_ups().items())
        return (self.processor_seconds() - processor) / passed, woken / passed
