"""Clients and followers that work at the same time, until the daemons are killed."""
import threading
import time

from client import ANSWER_SECONDS, Client
from nodes import Found


class Load:
    """Working clients and followers, each in a thread of its own."""

    def __init__(self, world, prefix, seed):
        self.world, self.prefix, self.seed = world, prefix, seed
        self.until, self.found, self.threads = threading.Event(), [], []
        self.clients = []

    def client(self, node, name, action, *arguments):
        client = Client(self.world, node, name, self.prefix, self.seed)
        self.clients.append(client)
        self._begin(lambda: client.run(self.until, self.found, action, *arguments))

    def follow(self, node, chance):
        """Follows the node's feed from the last token, by polling or by a stream."""
        follower = self.world.followers[node.name]
        until, limit = self.until, chance.choice((3, 20, 200))
        listens = chance.random() < 0.5 and follower.token

        def work():
            try:
                # Each thread ends its own wait: one broken stream does not end the load.
                follower.listen(_Linked(until)) if listens else follower.poll(until, limit)
            except Exception as problem:
                self.found.append(problem)

        self._begin(work)

    def mixed(self, nodes, chance, clients=3):
        for node in nodes:
            for name in range(clients):
                self.client(node, str(name), Client.mixed)
            self.follow(node, chance)

    def _begin(self, work):
        thread = threading.Thread(target=work, daemon=True)
        self.threads.append(thread)
        thread.start()

    def end(self):
        """Waits for all threads; raises the first error."""
        self.until.set()
        deadline = time.monotonic() + 2 * ANSWER_SECONDS
        for thread in self.threads:
            thread.join(max(0.1, deadline - time.monotonic()))
            if thread.is_alive():
                raise Found(f"a program waits for its answer for more than {ANSWER_SECONDS} s")
        for problem in self.found:
            raise problem
        return sum(client.requests for client in self.clients)


class _Linked(threading.Event):
    """Set when it is set itself, or when another event is."""

    def __init__(self, other):
        super().__init__()
        self.other = other

    def is_set(self):
        return super().is_set() or self.other.is_set()

    def wait(self, timeout=None):
        while not self.is_set():
            super().wait(0.01)
        return True
