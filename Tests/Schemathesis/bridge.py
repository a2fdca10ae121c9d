"""A loopback TCP port through which a tool without support for Unix sockets reaches one."""
import select
import socket
import socketserver
import threading


class Bridge:
    """Forwards bytes in both directions without reading them. The daemon sees this process's user.

    Every process that can open the port has that user's rights with the daemon, so this is only for test daemons.
    """

    def __init__(self, path):
        class Passing(socketserver.BaseRequestHandler):
            def handle(self):
                with socket.socket(socket.AF_UNIX) as inside:
                    inside.connect(path)
                    _pass_on(self.request, inside)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                # One of the two disconnected early: the tool reports that if it matters.
                pass

        self._server = Server(("127.0.0.1", 0), Passing)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        # By this name, which the daemon accepts as its own; an address would look like a foreign host.
        self.url = f"http://localhost:{self._server.server_address[1]}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def _pass_on(one, other):
    """Until both have finished sending, or one is gone."""
    ways = {one: other, other: one}
    while ways:
        for source in select.select(list(ways), [], [])[0]:
            data = source.recv(1 << 16)
            if data:
                ways[source].sendall(data)
            else:
                # It may still read the rest.
                ways.pop(source).shutdown(socket.SHUT_WR)
