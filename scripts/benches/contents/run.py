"""One run of `scripts/bench-assets`."""
import contextlib
import json
import os
import random
import socket
import tempfile

from benches.node import Node, wait_for

ZONE = "contents"
CONTAINER = "org.example.contents"


class Group:
    """Daemons of one account with a zone, which the first of them has made, and in a folder of their own."""

    def __init__(self, folder, program, count):
        self.folder = tempfile.mkdtemp(dir=folder)
        self.nodes = []
        for name in "abc"[:count]:
            self.nodes.append(Node(self.folder, name, program, peers=list(self.nodes)))

    def start(self):
        first = self.nodes[0]
        first.start()
        first.api.create_zone(ZONE, CONTAINER)
        for node in self.nodes[1:]:
            node.start()
            first.api.pair(node.api)
            wait_for("the zone on the other device", lambda: node.api.zone(ZONE))
            wait_for("the session", lambda: first.connected_to(node.api.status()["device"]))

    def stop(self):
        for node in reversed(self.nodes):
            node.stop()


class ContentRun:
    """The folder, the programs and the table that the measurements of a run share, and the large file."""

    def __init__(self, folder, arguments, table):
        self.folder, self.table = folder, table
        self.byte_count, self.file_count = arguments.mebibytes << 20, arguments.files
        self.program = os.path.join(arguments.bin, "kairand")
        self.tool = os.path.join(arguments.bin, "kairan")
        self.large = os.path.join(folder, "large")
        source = random.Random(5)
        with open(self.large, "wb") as file:
            for _ in range(arguments.mebibytes):
                file.write(source.randbytes(1 << 20))
            file.flush()
            os.fsync(file.fileno())
        # The seconds of the fetch by one device, once it is measured.
        self.fetched = None

    @contextlib.contextmanager
    def group(self, count):
        """Daemons that are paired at the beginning of the block, and stopped at its end."""
        group = Group(self.folder, self.program, count)
        try:
            group.start()
            yield group.nodes
        finally:
            group.stop()


def upload(node, path):
    """Streams a file to a daemon; returns the id of the asset, which is on the disk then."""
    size = os.path.getsize(path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection, open(path, "rb") as file:
        connection.connect(node.path)
        head = f"POST /v1/zones/{ZONE}/assets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {size}\r\n\r\n"
        connection.sendall(head.encode())
        connection.sendfile(file)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    if b" 201 " not in head.splitlines()[0]:
        raise RuntimeError(f"not taken: {answer[:300]}")
    return json.loads(body)["asset"]


def name(node, record, asset):
    """Writes a record that names an asset."""
    node.api.put(ZONE, record, {"content": {"$asset": {"asset": asset}}}, type="File")


def state(node, record):
    """The state of a record's asset on a device, and its percentage."""
    answer = node.api.request("GET", f"/v1/zones/{ZONE}/records/{record}/assets/content")
    return answer["state"], answer.get("percent", 0)


def wait_for_content(node, record, seconds=600):
    """The time at which all of a record's content is durable on a device."""
    return wait_for(f"the content of {record}", lambda: state(node, record)[0] == "present", seconds=seconds, pause=0.01)
