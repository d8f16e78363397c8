"""One execution per key at a time, across threads, processes and machines.

    import interlock

    with interlock.lease("ledger/4711", wait=10) as lease:
        for entry in entries:
            lease.check()                      # raises LeaseLost before another holder can start
            write(entry, fencing_token=lease.token)

`INTERLOCK_SERVER` and `INTERLOCK_API_KEY` say where; `Client` takes both as arguments.
"""

from __future__ import annotations

from typing import Optional, Type

from ._client import Client
from ._held import Lease
from ._runs import Run, Work, Worker
from .errors import (
    AccessDenied,
    ApiError,
    Cancelled,
    IngestionInProgressError,
    InterlockError,
    KeyPaused,
    LeaseLost,
    LockHeld,
    NotFound,
    PermanentFailure,
    QueueFull,
    RunFinished,
    Unavailable,
    UnknownJob,
)

_default: Optional[Client] = None


def lease(key: str, wait: float = 0.0, ttl: float = 30.0, held: Type[LockHeld] = LockHeld) -> Lease:
    """Takes a key with the client that the environment describes, see `Client.lease`."""
    global _default
    if _default is None:
        _default = Client()
    return _default.lease(key, wait, ttl, held)


__all__ = [
    "AccessDenied",
    "ApiError",
    "Cancelled",
    "Client",
    "IngestionInProgressError",
    "InterlockError",
    "KeyPaused",
    "Lease",
    "LeaseLost",
    "LockHeld",
    "NotFound",
    "PermanentFailure",
    "QueueFull",
    "Run",
    "RunFinished",
    "Unavailable",
    "UnknownJob",
    "Work",
    "Worker",
    "lease",
]
