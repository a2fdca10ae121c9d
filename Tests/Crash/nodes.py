"""Real daemons on loopback: started, killed in the middle of their work, and restarted."""
import ctypes
import os
import random
import select
import signal
import socket
import struct
import subprocess
import threading
import time

from socketapi import Connection, Refused

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
# The time limit for each step of a daemon; a busy machine must not cause a failure.
PATIENCE = 30


class Found(Exception):
    """A broken promise: the expected state and the actual one."""


def loopback():
    """An address of 127/8 of our own, so that ports of other programs and of a second run do not collide."""
    pid = os.getpid()
    return f"127.{1 + random.SystemRandom().randrange(253)}.{pid >> 8 & 255}.{1 + pid % 253}"


def free_port(address):
    """A port outside of the range for outgoing connections."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        low, high = map(int, file.read().split())
    chance = random.SystemRandom()
    for _ in range(1000):
        port = chance.randrange(10_000, 60_000)
        if low <= port <= high:
            continue
        with socket.socket() as held:
            try:
                held.bind((address, port))
                return port
            except OSError:
                pass
    raise RuntimeError("no free port")


class Node:
    """One kairand: its state, socket, port and log stay the same across all its restarts."""

    def __init__(self, program, folder, name, address):
        self.program, self.folder, self.name = program, folder, name
        self.state = os.path.join(folder, name)
        self.path = os.path.join(folder, name + ".sock")
        self.log = os.path.join(folder, name + ".log")
        self.address, self.port = address, free_port(address)
        self.peers = []
        self.process = None
        self.kills = 0
        # The time at which the last process ended: no earlier request can take effect after it.
        self.ended = 0.0
        # Set just before the kill: from then on, broken connections are expected.
        self.doomed = threading.Event()
        self.who = None
        self.credentials = None

    def launch(self):
        """Starts it without waiting."""
        arguments = [self.program, "--state", self.state, "--socket", self.path, "--no-mdns", "--log-level", "debug"]
        arguments += ["--listen", f"{self.address}:{self.port}"]
        for peer in self.peers:
            arguments += ["--peer", f"{peer.address}:{peer.port}"]
        with open(self.log, "ab") as log:
            log.write(f"---- life {self.kills + 1}\n".encode())
            log.flush()
            self.process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment()
            )
        self.doomed.clear()

    def seal(self):
        """From now on its keys are sealed, with a key in place of the service manager's credential."""
        self.credentials = self.state + ".credentials"
        os.makedirs(self.credentials, mode=0o700, exist_ok=True)
        with open(os.path.join(self.credentials, "kairan-key"), "w") as key:
            key.write("a key of the crash tests, long enough")

    def _environment(self):
        environment = {key: value for key, value in os.environ.items() if key != "CREDENTIALS_DIRECTORY"}
        if self.credentials is not None:
            environment["CREDENTIALS_DIRECTORY"] = self.credentials
        return environment

    def start(self):
        self.launch()
        return self.ready()

    def ready(self):
        """Waits until it answers that it is ready; returns its status."""
        deadline, api = time.monotonic() + PATIENCE, self.api()
        while True:
            try:
                status = api.status()
                if status["state"] == "ready":
                    api.close()
                    return status
                if status["state"] == "recovering":
                    self.check_health(status)
            except (Refused, OSError):
                status = None
            if self.process.poll() is not None:
                raise Found(f"{self.name} ended by itself with {self.process.returncode} instead of getting ready")
            if time.monotonic() > deadline:
                raise Found(f"{self.name} is not ready after {PATIENCE} s; its status: {status}")
            time.sleep(0.004)

    def api(self, timeout=PATIENCE):
        """A new connection."""
        return Connection(self.path, timeout)

    def make_zone(self, name):
        return self.api().request("POST", "/v1/zones", {"name": name, "container": "crash"})["zone"]

    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    def kill(self, is_stopping=False):
        """SIGKILL; returns when the process is gone. One that is stopping may have been quicker."""
        if self.process is None:
            return
        if self.process.poll() is not None and not (is_stopping and self.process.returncode == 0):
            raise Found(f"{self.name} ended by itself with {self.process.returncode} before it was killed")
        self.doomed.set()
        self.process.kill()
        self.process.wait()
        self.kills += 1
        self.process = None
        self.ended = time.monotonic()

    def terminate(self):
        """SIGTERM, and no waiting."""
        self.doomed.set()
        self.process.send_signal(signal.SIGTERM)

    def stop(self):
        """SIGTERM: it must end by itself, with exit code 0."""
        self.terminate()
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Found(f"{self.name} did not end within {PATIENCE} s after SIGTERM") from None
        self.process, self.ended = None, time.monotonic()
        if code != 0:
            raise Found(f"{self.name} ended with {code} after SIGTERM")

    def discard(self):
        """Ends it in any state, because nothing depends on it any more."""
        self.doomed.set()
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process = None

    def tail(self, count=15):
        try:
            with open(self.log, errors="replace") as log:
                return "".join(log.readlines()[-count:])
        except FileNotFoundError:
            return ""

    def check_identity(self, status):
        """A kill must not change the device's identity, nor cause a warning."""
        who = {key: status[key] for key in ("device", "account", "incarnation")}
        if self.who is None:
            self.who = who
        if who != self.who:
            raise Found(f"{self.name} was {self.who} before it was killed and is {who} now")
        self.check_health(status)

    def check_health(self, status):
        health = [item for item in status["health"] if self.credentials or item["code"] != "keys.unsealed"]
        if health:
            codes = ", ".join(f"{item['code']} ({item['message']})" for item in health)
            raise Found(f"after a kill {self.name} warns: {codes}")


def pair(host, guest, seconds=PATIENCE):
    """Pairs `guest` into the account of `host`; both must show the same words."""
    ticket = host.api().request("POST", "/v1/pairing/offers")["ticket"]
    accepted = guest.api(seconds).request("POST", "/v1/pairing/accept", {"ticket": ticket})
    offered = host.api().request("GET", f"/v1/pairing/offers/{ticket}?wait_ms={1000 * seconds}")
    if not offered or offered["words"] != accepted["words"]:
        raise Found(f"{host.name} and {guest.name} are paired, but show different results: {offered}, {accepted}")


class FileEvents:
    """Reports at once when files of a folder are made, changed or renamed: the most critical moments for a kill."""

    MODIFY, MOVED, CREATE, DELETE, CLOSED = 0x2, 0x80, 0x100, 0x200, 0x8

    def __init__(self):
        self._library = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._library.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")

    def watch(self, path, events):
        if self._library.inotify_add_watch(self._descriptor, os.fsencode(path), events) < 0:
            raise OSError(ctypes.get_errno(), f"inotify_add_watch {path}")

    def wait(self, wanted, count, seconds):
        """Returns as soon as `wanted(name)` was true of `count` events; the result is whether it was."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self._descriptor], [], [], left)[0]:
                return False
            data, at = os.read(self._descriptor, 65536), 0
            while at < len(data):
                _, _, _, size = struct.unpack_from("iIII", data, at)
                name = data[at + 16 : at + 16 + size].rstrip(b"\0").decode(errors="replace")
                at += 16 + size
                if wanted(name):
                    count -= 1
            if count <= 0:
                return True
        return False

    def close(self):
        os.close(self._descriptor)
