-- All times are microseconds of the store's clock: booted_at + time since boot. It never goes back, not even when the
-- machine's wall clock does.

-- One row: what holds for all keys.
CREATE TABLE ${schema}.${prefix}store (
  one         INTEGER PRIMARY KEY CHECK (one = 1),
  boot_id     TEXT    NOT NULL,                -- the boot in which uptime was read
  booted_at   INTEGER NOT NULL,                -- the moment of that boot
  uptime      INTEGER NOT NULL,                -- the greatest time since boot that anybody has written
  epoch       INTEGER NOT NULL,                -- the upper bits of tokens
  token_floor INTEGER NOT NULL,                -- no smaller than any token whose row was deleted
  max_lease   INTEGER NOT NULL,                -- the longest lease anybody may have been granted
  quiet_until INTEGER NOT NULL                 -- nothing is granted before
) STRICT;

-- One row for each lease that was neither released nor swept. A key without a row is free.
CREATE TABLE ${schema}.${prefix}lease (
  tenant       TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  lease_id     TEXT    NOT NULL,
  instance     TEXT    NOT NULL,
  label        TEXT    NOT NULL,
  run_id       TEXT,
  token        INTEGER NOT NULL CHECK (token > 0),
  granted_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL CHECK (expires_at >= granted_at),
  lock_delay   INTEGER NOT NULL CHECK (lock_delay >= 0),
  probed       INTEGER NOT NULL,               -- 1: whoever succeeds it looks outside first, so no sweep clears it
  evicted_by   TEXT,
  evicted_why  TEXT,
  evicted_at   INTEGER,
  PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

-- For the sweep: the moment a key opens by itself.
CREATE INDEX ${schema}.${prefix}lease_opens ON ${prefix}lease (expires_at + lock_delay);
