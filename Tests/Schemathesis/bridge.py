"""A loopback TCP port through which a tool that knows no Unix sockets reaches one."""
import select
import socket
import socketserver
import threading


class Bridge:
    """Passes bytes on, both ways, and looks at none of them. The daemon sees this process's user.

    Whoever can open the port has that user's rights with the daemon, so this is for daemons with nothing in them.
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
                # One of the two went away in the middle: what the tool says about that counts.
                pass

        self._server = Server(("127.0.0.1", 0), Passing)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        # By this name, which the daemon takes for its own; a number would look like somebody else's host.
        self.url = f"http://localhost:{self._server.server_address[1]}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def _pass_on(one, other):
    """Until both have said all, or one is gone."""
    ways = {one: other, other: one}
    while ways:
        for source in select.select(list(ways), [], [])[0]:
            data = source.recv(1 << 16)
            if data:
                ways[source].sendall(data)
            else:
                # It may still want to hear the rest.
                ways.pop(source).shutdown(socket.SHUT_WR)
