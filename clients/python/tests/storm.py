"""One process of the storm: takes the key again and again, and makes fenced writes under it.

    python3 -m tests.storm KEY DATABASE UNTIL_THIS_FILE_EXISTS

Each write is refused if the target has seen a greater token. What it prints is judged by `test_storm`.
"""

import os
import sqlite3
import sys
import time

from interlock import Client, InterlockError, LeaseLost, LockHeld

WRITES = 10


def write(database, token):
    """Adds one under the token; whether the target took it."""
    with database:
        database.execute("BEGIN IMMEDIATE")
        changed = database.execute("UPDATE total SET token = ?, value = value + 1 WHERE token <= ?", (token, token)).rowcount
        if changed:
            database.execute("INSERT INTO written (token) VALUES (?)", (token,))
        return bool(changed)


def main(key, path, end):
    client = Client()
    database = sqlite3.connect(path, timeout=30, isolation_level=None)
    while not os.path.exists(end):
        try:
            with client.lease(key, wait=20, ttl=2) as lease:
                print("granted", lease.token, flush=True)
                for _ in range(WRITES):
                    if not write(database, lease.token):
                        print("refused", lease.token, "lost" if lease.is_lost else "LIVE", flush=True)
                        break
                    print("wrote", lease.token, flush=True)
                    time.sleep(0.01)
                    lease.check()
        except LeaseLost:
            print("lost", lease.token, flush=True)
        except (LockHeld, InterlockError) as unclear:
            print("error", unclear, flush=True)
            time.sleep(0.1)
    print("over", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
