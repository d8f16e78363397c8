"""A lease in this process: renewed in the background, declared lost if it was not confirmed in time."""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from typing import Any, Callable, Dict, List, Optional

from ._http import Answer, Transport
from .errors import InterlockError, LeaseLost, Unavailable, error_of

log = logging.getLogger("interlock")

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?")
_LONGEST_REQUEST = 5.0

# Waits of a thread do not count the time in which the machine sleeps, so a deadline is looked at this often, in seconds.
_LOOK_EVERY = 0.5

# A request that is refused so will be refused again.
REFUSED_FOR_GOOD = (400, 413, 422)


def clock() -> float:
    """Seconds that never go back. Where the system allows it, time in which the machine slept counts."""
    # On macOS that is CLOCK_MONOTONIC; time.monotonic() stands still there while the machine sleeps.
    which = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
    return time.monotonic() if which is None else time.clock_gettime(which)


def seconds(duration: Optional[str], default: float) -> float:
    """`PT1M40S` is 100.0."""
    match = _DURATION.fullmatch(duration or "")
    if not match or not duration:
        return default
    return sum(float(part or 0) * unit for part, unit in zip(match.groups(), (86400, 3600, 60, 1)))


def text(duration: float) -> str:
    """100 seconds are `PT100S`."""
    return "PT%sS" % format(max(0.001, duration), ".3f").rstrip("0").rstrip(".")


class Held:
    """What a lease and a run have in common while this process holds them. Safe for use by many threads."""

    def __init__(self, transport: Transport, grant: Dict[str, Any], ttl: Optional[float], sent_at: float) -> None:
        self._transport = transport
        self._lease_id = str(grant["leaseId"])
        #: The fencing token: it grows with every grant of the key. Write with it, and let the target refuse smaller ones.
        self.token = int(grant["token"])
        every = seconds(grant.get("heartbeatEvery"), 10.0)
        self._every = every
        ttl = 3 * every if ttl is None else ttl
        # One hundredth less for clocks of different speed, a sixth less so that the work has time to stop.
        self._reliance = ttl * 0.99 - ttl / 6
        self._confirmed = sent_at
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._lost: Optional[str] = None
        self._listeners: List[Callable[[LeaseLost], None]] = []
        self._threads = [
            threading.Thread(target=self._keep, name="interlock-renewal", daemon=True),
            threading.Thread(target=self._watch, name="interlock-deadline", daemon=True),
        ]

    def _begin(self) -> None:
        """Begins to renew. A grant that was waited for may be as old as the wait: it is relied on from a renewal on."""
        for _ in range(3):
            if clock() - self._confirmed > self._reliance / 10 and self._lost is None:
                self._renew()
        # A run that was asked to stop meanwhile is still to be ended by its work.
        Held.check(self)
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError:  # no more threads: what does not begin must not be renewed for ever
            self._ended.set()
            raise

    @property
    def remaining(self) -> float:
        """For how many seconds the lease may be relied on without another renewal; 0 once it is lost."""
        if self._is_inherited:
            return 0.0
        with self._lock:
            return 0.0 if self._lost else max(0.0, self._reliance - (clock() - self._confirmed))

    @property
    def is_lost(self) -> bool:
        """Whether the work has to stop."""
        if self._is_inherited:
            self._lost = "it is held by the process that this one was forked from"
        elif self.remaining <= 0:
            self._lose("no renewal was confirmed in time")
        return self._lost is not None

    @property
    def _is_inherited(self) -> bool:
        """Whether this process is a fork of the holder, which renews the lease and gives it back; its locks may be held for ever here."""
        return self._process != os.getpid()

    def check(self) -> None:
        """Raises `LeaseLost` once the lease is lost. Call it before each write and between the steps of long work."""
        if self.is_lost:
            raise LeaseLost(self._lost)

    def on_lost(self, listener: Callable[[LeaseLost], None]) -> None:
        """Calls `listener` once, on another thread, when the lease is lost; at once if it is lost already."""
        with self._lock:
            if self._lost is None:
                self._listeners.append(listener)
                return
        listener(LeaseLost(self._lost))

    def _lose(self, reason: str) -> None:
        with self._lock:
            if self._lost is not None or self._ended.is_set():
                return
            self._lost = reason
            listeners, self._listeners = self._listeners, []
        log.warning("lease with token %d is lost: %s", self.token, reason)
        for listener in listeners:
            try:
                listener(LeaseLost(reason))
            except Exception:  # a listener must not keep the others from being called
                log.exception("a listener failed")

    def _keep(self) -> None:
        pause = self._every
        while not self._ended.wait(pause) and not self.is_lost:
            pause = self._every if self._renew() else self._every / 4

    def _watch(self) -> None:
        while not self._ended.wait(max(0.001, min(_LOOK_EVERY, self.remaining))):
            if self.is_lost:
                return

    def _renew(self) -> bool:
        """Whether the server answered."""
        sent_at = clock()
        try:
            timeout = min(_LONGEST_REQUEST, max(1.0, self.remaining))
            path, body = self._renewal()
            answer = self._transport.send("POST", path, {**self._proof(), **body}, timeout=timeout, expects="expiresAt")
        except Unavailable as unclear:
            log.info("renewal not confirmed, trying again: %s", unclear)
            return False
        if answer.is_good:
            with self._lock:
                if self._lost is None:
                    self._confirmed = sent_at
            self._heard(answer.body)
            return True
        error = error_of(answer.status, answer.body)
        if isinstance(error, Unavailable):
            return False
        if isinstance(error, LeaseLost):
            self._lose(str(error))
            return True
        log.warning("renewal refused: %s", error)
        # Unless it was refused for what it carried, it ends in time, as after the API key was revoked.
        return not (answer.status in REFUSED_FOR_GOOD and self._drop_report())

    def _renewal(self) -> "tuple[str, Dict[str, Any]]":
        """The path of a renewal, and what it carries beside its proof."""
        raise NotImplementedError

    def _drop_report(self) -> bool:
        """Forgets what the work has reported. Whether there was anything."""
        return False

    def _heard(self, body: Dict[str, Any]) -> None:
        """What an answer to a renewal says beside its end."""

    def _proof(self) -> Dict[str, Any]:
        return {"leaseId": self._lease_id, "token": self.token}

    def _end(self) -> None:
        """Renews no more."""
        if self._is_inherited:
            return
        self._ended.set()
        for thread in self._threads:
            if thread is not threading.current_thread() and thread.is_alive():
                thread.join()

    def _insist(self, path: str, body: Dict[str, Any], expects: Optional[str] = None) -> Answer:
        """Sends the end until the server answers or the lease is over. The same words get the same answer."""
        repeated = False
        while True:
            try:
                answer = self._transport.send("POST", path, body, timeout=_LONGEST_REQUEST, expects=expects)
                if answer.is_good:
                    answer.repeated = repeated
                    return answer
                error: InterlockError = error_of(answer.status, answer.body)
                if not isinstance(error, Unavailable):
                    raise error
            except Unavailable as unclear:
                error = unclear
            if self.remaining <= 0:
                raise error
            repeated = True
            time.sleep(min(1.0, self._every / 4))


class Lease(Held):
    """A key that this process holds, see `Client.lease`."""

    def __init__(self, transport: Transport, grant: Dict[str, Any], ttl: float, sent_at: float) -> None:
        super().__init__(transport, grant, ttl, sent_at)
        self.key = str(grant["key"])
        self._ttl = ttl
        self._begin()

    def release(self) -> None:
        """Gives the key back. Raises `LeaseLost` if it was lost before: then the work was not protected to its end."""
        self.check()
        self._end()
        try:
            answer = self._insist("/locks/release", {"key": self.key, **self._proof()})
        except Unavailable as unclear:
            # It was held to the end of the work; the key is free when the lease expires.
            log.warning("%s was not given back, it ends by itself: %s", self.key, unclear)
            return
        if answer.lapsed == "GONE" and answer.repeated:
            # Most likely given back by a try whose answer was lost: by the clock here it was held until then.
            log.warning("%s had been given back before, says the server", self.key)
        elif answer.lapsed:
            raise LeaseLost("the lease was %s before it was given back" % answer.lapsed.lower())

    def _renewal(self) -> "tuple[str, Dict[str, Any]]":
        return "/locks/renew", {"key": self.key, "ttl": text(self._ttl)}

    def __enter__(self) -> "Lease":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            self.release()
        except InterlockError:
            self._end()
            if error is None:
                raise
