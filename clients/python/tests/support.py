"""What the tests share. They need a server: INTERLOCK_SERVER, INTERLOCK_API_KEY (an admin's), with the jobs of `tests/interlock.yaml`."""

import http.server
import socket
import threading
import time
import uuid

from interlock import Client

SOON = 30.0


def key(name="test"):
    """A key that no other test uses."""
    return "python/%s/%s" % (name, uuid.uuid4().hex[:8])


def until(condition, what="the condition"):
    """Waits for an event, with a limit that is only reached by a failure."""
    limit = time.monotonic() + SOON
    while not condition():
        if time.monotonic() > limit:
            raise AssertionError("%s did not come about in %d s" % (what, SOON))
        time.sleep(0.02)


def client_of(test, *arguments, **settings):
    """A client that the test closes."""
    client = Client(*arguments, **settings)
    test.addCleanup(client.close)
    return client


class OtherProgram:
    """Answers every request with a page, as a proxy in front of a server that is away may do."""

    def __init__(self, page=b"<html>Back soon</html>", status=200, headers=()):
        self.asked = threading.Event()
        asked = self.asked

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(status)
                self.send_header("Content-Length", str(len(page)))
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(page)
                asked.set()

            def log_message(self, *words):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Proxy:
    """Between client and server; `cut` lets nothing through any more, and no one hears of it."""

    def __init__(self, host, port):
        self._to = (host, port)
        self._cut = threading.Event()
        self._sockets = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        self._cut.set()

    def close(self):
        self._cut.set()
        for each in [self._listening] + self._sockets:
            each.close()

    def _accept(self):
        while not self._cut.is_set():
            try:
                here, _ = self._listening.accept()
                there = socket.create_connection(self._to)
            except OSError:
                return
            self._sockets += [here, there]
            for source, target in ((here, there), (there, here)):
                threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source, target):
        try:
            while True:
                data = source.recv(65536)
                if not data:
                    target.close()
                    return
                if self._cut.is_set():
                    return
                target.sendall(data)
        except OSError:
            return
