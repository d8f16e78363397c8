"""The way to an Interlock server."""

from __future__ import annotations

import os
import socket
import time
import uuid
from typing import Any, Callable, Dict, Mapping, Optional, Type

from ._held import Lease, clock, text
from ._http import Answer, Transport
from ._runs import Run, Work, Worker
from .errors import InterlockError, LockHeld, RunFinished, Unavailable, error_of

_LONGEST_WAIT = 30.0


class Client:
    """Leases and runs of one tenant on an Interlock server. Safe for use by many threads.

    :param server: as `https://interlock.example:8080`; by default from `INTERLOCK_SERVER`
    :param api_key: by default from `INTERLOCK_API_KEY`
    :param holder: what others see as the holder of a key; by default host and process
    :param cafile: authorities to trust instead of those of the system
    """

    def __init__(
        self,
        server: Optional[str] = None,
        api_key: Optional[str] = None,
        holder: Optional[str] = None,
        cafile: Optional[str] = None,
    ) -> None:
        server = server or os.environ.get("INTERLOCK_SERVER")
        if not server:
            raise InterlockError("no server: pass its address, or set INTERLOCK_SERVER")
        self._transport = Transport(server, api_key or os.environ.get("INTERLOCK_API_KEY", ""), cafile)
        self._holder = holder or "%s/%d" % (socket.gethostname(), os.getpid())

    def lease(self, key: str, wait: float = 0.0, ttl: float = 30.0, held: Type[LockHeld] = LockHeld) -> Lease:
        """Takes a key: `with client.lease("ledger/4711") as lease:`.

        The lease is renewed in the background until the block ends. Raises `LockHeld` if another holder still has the key after
        `wait` seconds, and `LeaseLost` at the end of the block if the lease was lost during it.

        :param ttl: after how many seconds without renewal the key is free again
        :param held: the subclass of `LockHeld` to raise, as `IngestionInProgressError`
        """
        body = {"key": key, "leaseId": str(uuid.uuid4()), "ttl": text(ttl), "holder": self._holder}
        deadline = clock() + wait
        unclear_since: Optional[float] = None
        while True:
            left = max(0.0, deadline - clock())
            body["wait"] = text(min(left, _LONGEST_WAIT)) if left > 0 else None
            # What an earlier request without an answer was granted is told again, and its time has begun then.
            sent_at = clock() if unclear_since is None else unclear_since
            try:
                answer = self._transport.send("POST", "/locks/acquire", body, timeout=min(left, _LONGEST_WAIT) + 10, expects="token")
            except Unavailable:
                unclear_since = sent_at
                if clock() >= deadline:
                    raise
                time.sleep(min(0.5, max(0.0, deadline - clock())))
                continue
            if answer.is_good:
                return Lease(self._transport, answer.body, ttl, sent_at)
            error = error_of(answer.status, answer.body)
            if clock() >= deadline or not isinstance(error, (LockHeld, Unavailable)):
                raise held(error.status, error.problem) if isinstance(error, LockHeld) else error
            if isinstance(error, Unavailable):
                unclear_since = sent_at
                time.sleep(min(answer.retry_after or 0.5, max(0.0, deadline - clock())))

    def submit(self, key: str, job: str, *, idempotency_key: Optional[str] = None, **options: Any) -> Run:
        """Starts a run of `job` for a worker; what happens if the key is busy, the job or `on_conflict` says.

        Options: `on_conflict` (REJECT, SKIP, JOIN, QUEUE, QUEUE_LATEST, REPLACE), `parameters`, `priority`, `max_wait`, `lease`,
        `max_runtime` (seconds), `labels`, `reason`. The request carries an idempotency key, so it starts at most one run however
        often it has to be repeated.
        """
        body = {"key": key, "job": job, "idempotencyKey": idempotency_key or str(uuid.uuid4()), **_options(options)}
        return Run(self._transport, self._insist("/runs", body).body)

    def join(self, key: str, job: str, **options: Any) -> Run:
        """As `submit`, but attaches to the run under way if there is one."""
        return self.submit(key, job, on_conflict="JOIN", **options)

    def execute(self, key: str, job: Optional[str] = None, *, wait: Optional[float] = None, **options: Any) -> Work:
        """Starts a run that this process does itself: `with client.execute("flow/7/import") as work:`.

        The run is on record like any other, with stages, progress and its end: an exception in the block fails it. Without `wait`
        it is refused with `LockHeld` if the key is busy; with `wait` it queues for as many seconds.
        """
        options.setdefault("on_conflict", "REJECT" if wait is None else "QUEUE")
        lease_id = str(uuid.uuid4())
        body = {
            "key": key,
            "job": job,
            "execution": "caller",
            "leaseId": lease_id,
            "idempotencyKey": str(uuid.uuid4()),
            **_options(options),
        }
        if wait is not None:
            body.setdefault("maxWait", text(wait))
        sent_at = clock()
        answer = self._insist("/runs", body)
        run = answer.body
        if answer.status == 202 and wait is not None:
            sent_at, run = self._await_turn(run, lease_id, wait)
        if run.get("leaseId") is None:
            raise LockHeld(409, {"code": "lock-held", "detail": run.get("explanation"), "holder": run.get("waitingFor")})
        return Work(self._transport, run, {**run, "parameters": options.get("parameters")}, options.get("lease"), sent_at)

    def run(self, run_id: str) -> Run:
        """The run with this id."""
        return Run(self._transport, {"id": run_id, "state": "PENDING"}).refresh()

    def is_valid(self, key: str, token: int) -> bool:
        """Whether `token` is the one of the lease that the key has now."""
        answer = self._transport.send("GET", "/locks/validate", query={"key": key, "token": token}, expects="valid")
        if not answer.is_good:
            raise error_of(answer.status, answer.body)
        return bool(answer.body["valid"])

    def worker(self, handlers: Mapping[str, Callable[[Work], Any]], slots: int = 1, name: Optional[str] = None) -> Worker:
        """A worker for the jobs that `handlers` names."""
        return Worker(self._transport, handlers, slots, name or self._holder)

    def close(self) -> None:
        """Closes idle connections. Leases stay."""
        self._transport.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()

    def _await_turn(self, run: Dict[str, Any], lease_id: str, wait: float) -> "tuple[float, Dict[str, Any]]":
        deadline = clock() + wait
        while True:
            left = deadline - clock()
            sent_at = clock()
            body = {"leaseId": lease_id, "wait": text(min(max(left, 0.001), 20.0))}
            answer = self._insist("/runs/%s/claim" % run["id"], body)
            if answer.status == 200:
                return sent_at, {**run, **answer.body}
            if clock() >= deadline:
                try:
                    Run(self._transport, run).cancel("its caller no longer waits")
                except RunFinished:
                    pass  # its max wait ended it
                raise LockHeld(409, {"code": "lock-held", "detail": answer.body.get("explanation")})

    def _insist(self, path: str, body: Dict[str, Any]) -> Answer:
        """Repeats a request without an answer a few times: each may be repeated."""
        for attempt in range(4):
            try:
                answer = self._transport.send("POST", path, body, timeout=40, expects="state")
            except Unavailable:
                if attempt == 3:
                    raise
                time.sleep(0.25 * 2**attempt)
                continue
            if answer.is_good:
                return answer
            error = error_of(answer.status, answer.body)
            if attempt == 3 or not isinstance(error, Unavailable):
                raise error
            time.sleep(answer.retry_after or 0.25 * 2**attempt)
        raise AssertionError("unreachable")


_DURATIONS = {"max_wait": "maxWait", "lease": "lease", "max_runtime": "maxRuntime"}
_PLAIN = {"on_conflict": "onConflict", "parameters": "parameters", "priority": "priority", "labels": "labels", "reason": "reason"}


def _options(options: Mapping[str, Any]) -> Dict[str, Any]:
    body: Dict[str, Any] = {}
    for name, value in options.items():
        if name in _DURATIONS:
            body[_DURATIONS[name]] = text(value)
        elif name in _PLAIN:
            body[_PLAIN[name]] = value
        else:
            raise TypeError("unknown option %r; there are %s" % (name, ", ".join(sorted({**_DURATIONS, **_PLAIN}))))
    return body
