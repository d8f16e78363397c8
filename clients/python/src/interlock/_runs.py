"""Runs: started for workers, done by this process, or taken as a worker."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from typing import Any, Callable, Dict, Mapping, Optional

from ._held import REFUSED_FOR_GOOD, Held, clock, seconds
from ._http import Answer, Transport
from .errors import ApiError, Cancelled, InterlockError, LeaseLost, PermanentFailure, RunFinished, Unavailable, error_of

log = logging.getLogger("interlock")

_LONGEST_TEXT = 4000


class Run:
    """A run as the server last described it."""

    def __init__(self, transport: Transport, facts: Dict[str, Any]) -> None:
        self._transport = transport
        self.facts = facts

    @property
    def id(self) -> str:
        return str(self.facts.get("id", ""))

    @property
    def state(self) -> str:
        """QUEUED, PENDING, RUNNING, SUCCEEDED, FAILED, ABORTED, TIMED_OUT, DEAD, or SKIPPED if nothing was started."""
        return str(self.facts["state"])

    @property
    def has_ended(self) -> bool:
        return self.state not in ("QUEUED", "PENDING", "RUNNING")

    @property
    def result(self) -> Any:
        """What the work returned."""
        return self.facts.get("result")

    @property
    def error(self) -> Dict[str, Any]:
        """`code` and `message` of a run that did not succeed."""
        return self.facts.get("error") or {}

    @property
    def explanation(self) -> str:
        """What the run waits for, or how it ended, in one sentence."""
        return str(self.facts.get("explanation", ""))

    def wait(self, timeout: Optional[float] = None) -> "Run":
        """Waits until the run has ended, or the time is over; `has_ended` says which."""
        deadline = None if timeout is None else clock() + timeout
        while not self.has_ended:
            left = 20.0 if deadline is None else min(20.0, deadline - clock())
            if left <= 0:
                break
            wait = {"Prefer": "wait=%d" % max(1, int(left))}
            try:
                self._take(self._transport.send("GET", "/runs/" + self.id, timeout=left + 10, headers=wait, expects="state"))
            except Unavailable:
                time.sleep(min(1.0, left))
        return self

    def refresh(self) -> "Run":
        """Asks the server how it stands."""
        self._take(self._transport.send("GET", "/runs/" + self.id, expects="state"))
        return self

    def cancel(self, reason: str) -> None:
        """Asks the run to stop. Raises `RunFinished` if it has ended."""
        answer = self._transport.send("POST", "/runs/%s/cancel" % self.id, {"reason": reason}, expects="state")
        if not answer.is_good:
            raise error_of(answer.status, answer.body)

    def _take(self, answer: Answer) -> None:
        if not answer.is_good:
            raise error_of(answer.status, answer.body)
        self.facts = answer.body

    def __repr__(self) -> str:
        return "<Run %s %s>" % (self.id, self.state)


class Work(Held):
    """A run that this process does: with `Client.execute`, or in a handler of a `Worker`."""

    def __init__(
        self, transport: Transport, run: Dict[str, Any], grant: Dict[str, Any], lease: Optional[float], sent_at: float
    ) -> None:
        super().__init__(transport, grant, lease, sent_at)
        self.run_id = str(run["id"])
        self.key = str(run["key"])
        self.attempt = int(run.get("attempt", 1))
        #: What the run was submitted with.
        self.parameters: Dict[str, Any] = grant.get("parameters") or run.get("parameters") or {}
        #: The trace that the run belongs to, as a W3C `traceparent`, or None.
        self.traceparent: Optional[str] = grant.get("traceparent")
        #: What the run is to return; it is part of the run's record. JSON of at most 64 KiB.
        self.result: Any = None
        self._cancelled: Optional[str] = None
        self._report: Dict[str, Any] = {}
        self._begin()

    @property
    def is_cancelled(self) -> bool:
        """Whether the run was asked to stop."""
        return self._cancelled is not None

    def check(self) -> None:
        """Raises `LeaseLost` once the lease is lost, and `Cancelled` once the run was asked to stop."""
        super().check()
        if self._cancelled is not None:
            raise Cancelled(self._cancelled)

    def stage(self, name: str) -> None:
        """Names the stage that the work is at, for the callers that wait. Raises like `check`."""
        Held.check(self)
        with self._lock:
            self._report["stage"] = str(name)
        self._renew()
        self.check()

    def progress(self, done: int, total: Optional[int] = None) -> None:
        """Says how far the work is; it is told with the next renewal. Raises like `check`."""
        Held.check(self)
        with self._lock:
            self._report["progress"] = {"done": int(done)} if total is None else {"done": int(done), "total": int(total)}
        self.check()

    def _renewal(self) -> "tuple[str, Dict[str, Any]]":
        with self._lock:
            return "/runs/%s/heartbeat" % self.run_id, dict(self._report)

    def _drop_report(self) -> bool:
        with self._lock:
            dropped, self._report = self._report, {}
        return bool(dropped)

    def _heard(self, body: Dict[str, Any]) -> None:
        if body.get("cancelRequested"):
            self._cancelled = body.get("cancelReason") or "no reason given"

    def _finish(self, error: Optional[BaseException]) -> None:
        """Tells the server how the work ended."""
        if self._report and not self.is_lost:
            self._renew()
        self._end()
        if self.is_lost:
            raise LeaseLost(self._lost)
        body = {**self._proof(), "outcome": "SUCCEEDED", "result": self.result}
        if error is not None:
            cancelled = isinstance(error, (Cancelled, KeyboardInterrupt, SystemExit))
            body.update(
                outcome="ABORTED" if cancelled else "FAILED",
                result=None,
                retryable=None if cancelled else not isinstance(error, PermanentFailure),
                error={"code": _code(error)[:100], "message": str(error)[:_LONGEST_TEXT]},
            )
        try:
            self._tell(body)
        except (TypeError, ValueError, ApiError) as refused:
            if isinstance(refused, ApiError) and refused.status not in REFUSED_FOR_GOOD:
                raise
            # It can never be told as it is, such as a result that is no JSON. That the work has ended still counts.
            why = "how it ended cannot be told: %s" % refused
            error_told = {"code": "UNTELLABLE", "message": why[:_LONGEST_TEXT]}
            self._tell({**self._proof(), "outcome": "FAILED", "retryable": False, "error": error_told})
            raise

    def _tell(self, body: Dict[str, Any]) -> None:
        try:
            self._insist("/runs/%s/finish" % self.run_id, body, expects="state")
        except RunFinished:
            log.info("run %s had ended before its end was told", self.run_id)

    def __enter__(self) -> "Work":
        return self

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        try:
            self._finish(error)
        except InterlockError as untold:
            if error is None:
                raise
            log.warning("the end of run %s could not be told: %s", self.run_id, untold)


def _code(error: BaseException) -> str:
    return error.code if isinstance(error, PermanentFailure) else type(error).__name__


class Worker:
    """Takes runs of some jobs from the server and does them, up to `slots` at a time.

    A handler is called with a `Work` and may return JSON. An exception fails the attempt, and the run is tried again as its job
    says; `PermanentFailure` ends it for good.

    :param handlers: by the name of the job
    """

    def __init__(
        self,
        transport: Transport,
        handlers: Mapping[str, Callable[[Work], Any]],
        slots: int = 1,
        name: Optional[str] = None,
    ) -> None:
        if not handlers or slots < 1:
            raise InterlockError("a worker needs at least one handler and one slot")
        self._transport = transport
        self._handlers = dict(handlers)
        self._slots = slots
        self._name = name or "%s/%d" % (socket.gethostname(), os.getpid())
        self._free = slots
        self._changed = threading.Condition()
        self._taking = False
        self._stopping = False

    def run(self) -> None:
        """Works until `stop` is called, then lets what is under way end."""
        try:
            while self._await_slot():
                # The same id until there is an answer: what an unclear request took comes with the next one.
                claim_id = str(uuid.uuid4())
                self._claim(claim_id)
        finally:
            with self._changed:
                self._taking = False
                self._changed.notify_all()
        with self._changed:
            self._changed.wait_for(self._is_idle)

    def start(self) -> "Worker":
        """Works on a thread of its own."""
        threading.Thread(target=self.run, name="interlock-worker", daemon=True).start()
        return self

    def stop(self, timeout: Optional[float] = None) -> bool:
        """Takes no more work, and waits for what is under way: whether it has ended in time. A claim may take 20 s to return."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            return self._changed.wait_for(self._is_idle, timeout)

    def _is_idle(self) -> bool:
        return not self._taking and self._free == self._slots

    def _await_slot(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self._free > 0)
            # Until it returns, what a claim brings is under way.
            self._taking = not self._stopping
            return self._taking

    def _claim(self, claim_id: str) -> None:
        body = {
            "claimId": claim_id,
            "worker": self._name,
            "jobs": sorted(self._handlers),
            "max": min(100, self._free),
            "wait": "PT20S",
        }
        # What a request without an answer took comes with the next one, and its time has begun with the first.
        sent_at = clock()
        # What an unclear claim took when the worker stops is given to others once its lease has ended.
        while not self._stopping:
            try:
                answer = self._transport.send("POST", "/claims", body, timeout=40, expects="items")
            except Unavailable as unclear:
                log.warning("no work could be taken, trying again: %s", unclear)
                self._pause(1)
                continue
            if answer.is_good:
                for item in answer.body["items"]:
                    self._begin(item, sent_at)
                return
            error = error_of(answer.status, answer.body)
            if not isinstance(error, Unavailable):
                raise error
            self._pause(answer.retry_after or 1)

    def _pause(self, duration: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopping, duration)

    def _begin(self, item: Dict[str, Any], sent_at: float) -> None:
        lease = seconds(item.get("lease"), 3 * seconds(item.get("heartbeatEvery"), 10))
        work: Optional[Work] = None
        with self._changed:
            self._free -= 1
        try:
            work = Work(self._transport, item["run"], item, lease, sent_at)
            threading.Thread(target=self._do, args=(item["run"]["job"], work), name="interlock-work", daemon=True).start()
        except (LeaseLost, RuntimeError) as not_begun:  # lost, or no more threads: it is not renewed, and left to others
            log.warning("run %s was not begun: %s", item["run"]["id"], not_begun)
            if work is not None:
                work._end()
            with self._changed:
                self._free += 1
                self._changed.notify_all()

    def _do(self, job: str, work: Work) -> None:
        try:
            with work:
                work.result = self._handlers[job](work)
        except Exception as failure:  # told to the server already, or lost: the worker goes on
            log.warning("run %s under %s failed: %s", work.run_id, work.key, failure, exc_info=True)
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()
