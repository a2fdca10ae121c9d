"""Three nats-servers, set up as docs/operations/relay-cluster.md says."""
import json
import os
import shutil
import subprocess
import textwrap
import urllib.request

from benches.node import free_ports, wait_for
from benches.relay import BYTES
from benches.relay.prerequisites import NATS_SERVER
from benches.relay.run import say


class Cluster:
    """Three nats-servers of our own, which end with the block."""

    def __init__(self, folder, count):
        self.folder, self.count, self.processes = folder, count, []
        ports = free_ports(9)
        self.client_ports, self.route_ports, self.http_ports = ports[:3], ports[3:6], ports[6:]

    @property
    def urls(self):
        return [f"nats://relay:bench@127.0.0.1:{port}" for port in self.client_ports]

    @property
    def pids(self):
        return [process.pid for process in self.processes]

    def __enter__(self):
        say("starting three nats-servers")
        os.makedirs(self.folder)
        for index in range(3):
            path = os.path.join(self.folder, f"server-{index + 1}.conf")
            with open(path, "w") as file:
                file.write(self.settings(index))
            log = os.path.join(self.folder, f"server-{index + 1}.log")
            self.processes.append(subprocess.Popen([NATS_SERVER, "-c", path, "-l", log], stdin=subprocess.DEVNULL))
        try:
            wait_for("the servers to agree upon a leader", self.is_whole, pause=0.1)
        except BaseException:
            self.__exit__()
            raise
        return self

    def settings(self, index):
        """The configuration of one server."""
        others = ", ".join(f'"nats://127.0.0.1:{port}"' for port in self.route_ports if port != self.route_ports[index])
        return textwrap.dedent(
            f"""\
            server_name: bench-{index + 1}
            listen: "127.0.0.1:{self.client_ports[index]}"
            http: "127.0.0.1:{self.http_ports[index]}"
            jetstream {{
              store_dir: "{self.folder}/store-{index + 1}"
              sync_interval: always
              max_file_store: {(1 << 30) + 6 * self.count * (BYTES + 1_500)}
              max_memory_store: 64MB
            }}
            cluster {{ name: bench, listen: "127.0.0.1:{self.route_ports[index]}", routes: [{others}] }}
            accounts {{
              RELAYS: {{ jetstream: enabled, users: [{{ user: relay, password: bench }}] }}
              SYS: {{ users: [] }}
            }}
            system_account: SYS
            """
        )

    def is_whole(self):
        """Whether all servers follow one leader and are as far as it is."""
        for index, process in enumerate(self.processes):
            if process.poll() is not None:
                raise RuntimeError(f"nats-server ended with {process.returncode}; its log: {self.tail(index)}")
        groups = {}
        for index, port in enumerate(self.http_ports):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/jsz", timeout=5) as answer:
                groups[f"bench-{index + 1}"] = json.load(answer).get("meta_cluster") or {}
        leaders = {group.get("leader") for group in groups.values()}
        if len(leaders) != 1 or not leaders <= set(groups):
            return False
        # Only the leader knows how far the others are.
        replicas = groups[leaders.pop()].get("replicas") or []
        return len(replicas) == 2 and all(replica.get("current") and not replica.get("offline") for replica in replicas)

    def tail(self, index):
        """The last ten lines of a server's log."""
        with open(os.path.join(self.folder, f"server-{index + 1}.log"), errors="replace") as log:
            return "".join(log.readlines()[-10:])

    def __exit__(self, *_):
        for process in self.processes:
            # Their data are not needed any more.
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
