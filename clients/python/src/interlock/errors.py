"""What can go wrong. A refusal is an answer and names its cause; `Unavailable` means that there was no clear answer."""

from __future__ import annotations

from typing import Any, Dict, Optional, Type


class InterlockError(Exception):
    """Base class of all errors of this package."""


class Unavailable(InterlockError):
    """The server could not be reached, or could not answer now. Every request may be repeated."""


class LeaseLost(InterlockError):
    """The lease has ended or could not be confirmed in time. Another holder may work now: stop, and do not write any more."""


class Cancelled(InterlockError):
    """An operator or a newer run asked this run to stop."""


class PermanentFailure(InterlockError):
    """Raise this in a handler if another attempt would fail as well: the run is not tried again.

    :param code: what failed, for programs
    """

    def __init__(self, message: str, code: str = "PERMANENT_FAILURE") -> None:
        super().__init__(message)
        self.code = code


class ApiError(InterlockError):
    """The server refused a request.

    `code` is the problem code of the server's documentation, `status` the HTTP status, `problem` all that the server said.
    """

    def __init__(self, status: int, problem: Dict[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.code: str = str(problem.get("code", "http-%d" % status))
        super().__init__(problem.get("detail") or problem.get("title") or "the server answered with status %d" % status)

    @property
    def request_id(self) -> Optional[str]:
        """By what the server's log and audit log know the request."""
        return self.problem.get("instance")


class LockHeld(ApiError):
    """Another holder has the key. `holder` says who, since when and at which stage."""

    @property
    def holder(self) -> Dict[str, Any]:
        return self.problem.get("holder") or {}


class IngestionInProgressError(LockHeld):
    """The event is being ingested: the error that ingestion code expects instead of `LockHeld`."""


class KeyPaused(ApiError):
    """An operator paused the key."""


class QueueFull(ApiError):
    """As many runs wait for the key, or of the tenant, as may."""


class UnknownJob(ApiError):
    """The server has no job of this name."""


class NotFound(ApiError):
    """There is no such run, or it belongs to another tenant."""


class RunFinished(ApiError):
    """The run has ended already."""


class AccessDenied(ApiError):
    """The API key is wrong, has expired, or its role does not allow this."""


_BY_CODE: Dict[str, Type[ApiError]] = {
    "lock-held": LockHeld,
    "lock-delayed": LockHeld,
    "key-paused": KeyPaused,
    "queue-full": QueueFull,
    "tenant-limit": QueueFull,
    "tenant-busy": QueueFull,
    "unknown-job": UnknownJob,
    "not-found": NotFound,
    "run-finished": RunFinished,
    "unauthenticated": AccessDenied,
    "forbidden": AccessDenied,
}


def error_of(status: int, problem: Dict[str, Any]) -> InterlockError:
    """The error that an answer of the server stands for."""
    code = problem.get("code")
    if code == "lease-lost":
        return LeaseLost(problem.get("detail") or "the lease was lost")
    if status in (429, 500, 502, 503, 504) and code not in _BY_CODE:
        return Unavailable(problem.get("detail") or "the server answered with status %d" % status)
    return _BY_CODE.get(str(code), ApiError)(status, problem)
