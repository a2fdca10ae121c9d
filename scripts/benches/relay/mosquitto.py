"""Messages of MQTT that wait for a client."""
import collections
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

from benches.machine import allocated_bytes
from benches.node import free_port, wait_for
from benches.relay import ALONE, AT_ONCE, BYTES
from benches.relay.figures import Pace, add_client_share, add_pace, add_weight, footprint
from benches.relay.prerequisites import mosquitto_program
from benches.relay.run import say


class Mosquitto:
    """A broker of our own that writes waiting messages to the disk as with its default settings."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.file = os.path.join(folder, "mosquitto.db")
        self.log = os.path.join(folder, "log")

    def __enter__(self):
        os.makedirs(self.folder)
        settings = [
            f"listener {self.port} 127.0.0.1", "allow_anonymous true",
            "persistence true", f"persistence_location {self.folder}/", "autosave_interval 1800",
            # Without this, it drops all messages but the first hundred or thousand.
            "max_queued_messages 0", f"max_inflight_messages {AT_ONCE}",
            "set_tcp_nodelay true", f"log_dest file {self.log}",
        ]
        if os.geteuid() == 0:
            settings.append("user root")
        path = os.path.join(self.folder, "mosquitto.conf")
        with open(path, "w") as file:
            file.write("\n".join(settings) + "\n")
        self.process = subprocess.Popen([mosquitto_program(), "-c", path], stdin=subprocess.DEVNULL)
        try:
            wait_for("mosquitto to listen", self.listens)
        except BaseException:
            self.__exit__()
            raise
        return self

    def listens(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"mosquitto ended with {self.process.returncode}; its log: {self.tail()}")
        with socket.create_connection(("127.0.0.1", self.port)):
            return True

    def tail(self):
        """The last ten lines of the log."""
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-10:])

    def footprint(self):
        return footprint(self.folder, [self.process.pid])

    def write(self):
        """Makes the broker write its file; returns the duration, during which the broker does nothing else."""
        begun = time.perf_counter()
        known = os.stat(self.file).st_mtime_ns if os.path.exists(self.file) else 0
        self.process.send_signal(signal.SIGUSR1)
        # The broker writes a new file and renames it.
        written = lambda: os.path.exists(self.file) and os.stat(self.file).st_mtime_ns > known  # noqa: E731
        return wait_for("mosquitto to write its file", written, seconds=600) - begun

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Client:
    """A client with a session of its own."""

    def __init__(self, name, clean):
        import paho.mqtt.client as mqtt

        self.mqtt = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name, clean_session=clean)
        self.mqtt.max_inflight_messages_set(AT_ONCE)
        self.mqtt.on_socket_open = lambda c, u, s: s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connect(self, broker):
        """Connects, and waits for the broker's confirmation."""
        stands = threading.Event()
        self.mqtt.on_connect = lambda *_: stands.set()
        self.mqtt.connect("127.0.0.1", broker.port)
        self.mqtt.loop_start()
        if not stands.wait(60):
            raise TimeoutError("mosquitto did not accept the connection")

    def end(self):
        self.mqtt.disconnect()
        self.mqtt.loop_stop()


def mosquitto(run):
    """Baseline of sqlite and jetstream: an offline client with a persistent session, messages of the same size to it with QoS 1, 64 at once not yet
    acknowledged; then it connects and receives them. Messages a second, memory and bytes on the disk per waiting message, and the seconds in which
    the broker writes its file."""
    with Mosquitto(os.path.join(run.folder, "mosquitto")) as broker:
        say("mosquitto")
        figures = queued(broker, run.count)
    add_pace(run.table, "mosquitto, not synced", "mosquitto", figures)
    add_client_share(run.table, figures)
    for name, key in (("SQLite", "sqlite"), ("JetStream", "jetstream")):
        for part in ("put", "drain"):
            rate = run.table.figures.get(f"{key}_{part}_per_second")
            if rate is not None:
                ratio = rate / figures[part]["per_second"]
                run.table.add(f"  {name} beside it: {part}", f"{ratio:.2f} x", **{f"{key}_{part}_beside_mosquitto": ratio})
    add_weight(run.table, run.count, "mosquitto", figures)
    seconds = figures["write_seconds"]
    run.table.add("  writing its file, unresponsive meanwhile", f"{seconds:.1f} s", mosquitto_write_seconds=seconds)


def queued(broker, count):
    """The figures of an offline session, and of messages that wait for it."""
    subscribe_away(broker)
    broker.write()
    before = broker.footprint()
    sender = Client("sender", clean=True)
    sender.connect(broker)
    alone = min(ALONE, count)
    put_alone = publish(sender, Pace("published, one at once", alone), 1)
    put = publish(sender, Pace(f"published, {AT_ONCE} at once", count - alone), AT_ONCE)
    sender.end()
    waiting = broker.footprint()
    seconds = broker.write()
    waiting["disk"] = allocated_bytes(broker.folder)
    drain = take_all(broker, count)
    return {"put_alone": put_alone, "put": put, "drain": drain, "before": before, "waiting": waiting, "write_seconds": seconds}


def subscribe_away(broker):
    """A persistent session that subscribes, and is offline afterwards."""
    away = Client("away", clean=False)
    subscribed = threading.Event()
    away.mqtt.on_subscribe = lambda *_: subscribed.set()
    away.connect(broker)
    away.mqtt.subscribe("parcels", qos=1)
    if not subscribed.wait(60):
        raise TimeoutError("mosquitto did not take the subscription")
    away.end()


def publish(sender, pace, at_once):
    """Publishes the messages of a pace, with up to that many not yet acknowledged."""
    room, done = threading.Semaphore(at_once), threading.Event()
    # Acknowledgements come in the order of the messages.
    begun = collections.deque()

    def acknowledged(*_):
        pace.add(time.perf_counter() - begun.popleft())
        room.release()
        if pace.count == pace.total:
            done.set()

    sender.mqtt.on_publish = acknowledged
    for _ in range(pace.total):
        message = os.urandom(BYTES)
        if not room.acquire(timeout=60):
            raise TimeoutError("mosquitto acknowledges nothing")
        begun.append(time.perf_counter())
        sender.mqtt.publish("parcels", message, qos=1)
    if pace.total > 0 and not done.wait(60):
        raise TimeoutError("mosquitto did not acknowledge everything")
    return pace.figures()


def take_all(broker, count):
    """Connects the session that was offline, until all messages are delivered to it."""
    pace, done = Pace("messages taken", count), threading.Event()

    def arrived(client, _, message):
        assert len(message.payload) == BYTES
        pace.add()
        if pace.count == count:
            done.set()

    away = Client("away", clean=False)
    away.mqtt.on_message = arrived
    away.connect(broker)
    known = -1
    while not done.wait(60):
        if pace.count == known:
            raise TimeoutError(f"mosquitto delivered {known} of {count}")
        known = pace.count
    drain = pace.figures()
    away.end()
    return drain
