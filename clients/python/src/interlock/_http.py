"""Requests to the server: JSON over HTTP/1.1, connections kept open, redirects not followed."""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import threading
from typing import Any, Dict, List, Optional
from urllib.parse import urlencode, urlsplit

from .errors import InterlockError, Unavailable

_MOST_IDLE = 8
_NO_CONTENT = 204

# A proxy may want clients to wait for longer than the server is away.
_LONGEST_PAUSE = 5.0


class Answer:
    """An answer of the server."""

    def __init__(
        self, status: int, body: Dict[str, Any], retry_after: Optional[float], lapsed: Optional[str] = None
    ) -> None:
        self.status = status
        self.body = body
        self.retry_after = retry_after
        #: Why a lease that was given back was over before.
        self.lapsed = lapsed
        #: Whether the request was sent before, and may have been carried out then.
        self.repeated = False

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300


class Transport:
    """Sends requests. Safe for use by many threads; after a fork each process opens connections of its own."""

    def __init__(self, url: str, api_key: str, cafile: Optional[str]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise InterlockError("server %r is not an address like https://interlock.example:8080" % url)
        api_key = api_key.strip()
        if not api_key:
            raise InterlockError("no API key: pass api_key, or set INTERLOCK_API_KEY")
        if not (api_key.isascii() and api_key.isprintable()):
            raise InterlockError("the API key has characters that no API key has")
        self._host = parts.hostname
        self._port = parts.port
        self._path = parts.path.rstrip("/") + "/api/v1"
        self._tls = ssl.create_default_context(cafile=cafile) if parts.scheme == "https" else None
        self._headers = {"x-api-key": api_key, "Content-Type": "application/json", "Accept": "application/json"}
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def send(
        self,
        method: str,
        path: str,
        body: Optional[Dict[str, Any]] = None,
        query: Optional[Dict[str, Any]] = None,
        timeout: float = 10.0,
        headers: Optional[Dict[str, str]] = None,
        expects: Optional[str] = None,
    ) -> Answer:
        """Sends one request. Raises `Unavailable` if no answer came: the request may or may not have been carried out.

        :param expects: a member that each success of the server has
        """
        target = self._path + path
        if query:
            target += "?" + urlencode({name: value for name, value in query.items() if value is not None})
        payload = None if body is None else json.dumps({k: v for k, v in body.items() if v is not None}).encode()
        connection = self._take(timeout)
        try:
            connection.request(method, target, payload, {**self._headers, **(headers or {})})
            response = connection.getresponse()
            raw = response.read()
        except (OSError, http.client.HTTPException) as broken:
            connection.close()
            raise Unavailable("no answer from %s: %s" % (self._host, broken or type(broken).__name__)) from broken
        self._give_back(connection, response.will_close)
        body = {} if response.status == _NO_CONTENT else _object(raw)
        # A refusal counts in any words. But a success that is not the server's, such as a page of a proxy, proves nothing.
        if 200 <= response.status < 300 and (body is None or (expects is not None and expects not in body)):
            raise Unavailable("another program than an Interlock server answered at %s" % self._host)
        if body is None:
            body = {"detail": raw[:200].decode("utf-8", "replace")}
        lapsed = response.getheader("X-Lease-Lapsed")
        return Answer(response.status, body, _seconds(response.getheader("Retry-After")), lapsed)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self, timeout: float) -> http.client.HTTPConnection:
        if self._process != os.getpid():
            # Two processes on one connection would read each other's answers, and a thread that is not here may have the lock.
            inherited = self._idle
            self._begin()
            for connection in inherited:
                connection.close()
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._open(timeout)
            if connection.sock is not None and not _is_closed(connection.sock):
                connection.sock.settimeout(timeout)
                return connection
            connection.close()

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)

    def _give_back(self, connection: http.client.HTTPConnection, closing: bool) -> None:
        with self._lock:
            if not closing and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()


def _is_closed(sock: socket.socket) -> bool:
    """Whether the server has closed an idle connection: then it is readable."""
    try:
        sock.settimeout(0)
        return sock.recv(1, socket.MSG_PEEK) is not None
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    except (OSError, ValueError):
        # A TLS socket cannot peek: a new connection costs little.
        return True


def _object(raw: bytes) -> Optional[Dict[str, Any]]:
    """The JSON object that it is, or None."""
    try:
        body = json.loads(raw)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _seconds(text: Optional[str]) -> Optional[float]:
    try:
        return None if text is None else min(_LONGEST_PAUSE, max(0.0, float(text)))
    except ValueError:
        return None


