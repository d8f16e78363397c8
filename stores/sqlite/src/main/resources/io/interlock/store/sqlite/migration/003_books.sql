-- What is kept beside runs. Times are microseconds of the store's clock.

-- What somebody did about a dead letter.
CREATE TABLE ${schema}.${prefix}disposition (
  number    INTEGER PRIMARY KEY REFERENCES ${prefix}run (number) ON DELETE CASCADE,
  kind      TEXT    NOT NULL CHECK (kind IN ('REDRIVEN', 'DISCARDED')),
  actor     TEXT    NOT NULL,
  reason    TEXT    NOT NULL,
  at        INTEGER NOT NULL,
  successor TEXT                                   -- the run that does the work anew
) STRICT;

CREATE INDEX ${schema}.${prefix}run_dead ON ${prefix}run (state) WHERE state = 'DEAD';

-- For forgetting: the longest ended first.
CREATE INDEX ${schema}.${prefix}run_ended ON ${prefix}run (since)
  WHERE state IN ('SUCCEEDED', 'FAILED', 'ABORTED', 'TIMED_OUT', 'DEAD');

-- For readers of the log. Each of these ends with the number, as every index does.
CREATE INDEX ${schema}.${prefix}audit_tenant ON ${prefix}audit (tenant);
CREATE INDEX ${schema}.${prefix}audit_action ON ${prefix}audit (tenant, action);
CREATE INDEX ${schema}.${prefix}audit_run ON ${prefix}audit (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX ${schema}.${prefix}audit_at ON ${prefix}audit (at);

-- The chain that shows whether somebody has touched the log.
CREATE TABLE ${schema}.${prefix}seal (
  position INTEGER PRIMARY KEY CHECK (position > 0),
  sequence INTEGER NOT NULL UNIQUE,
  hash     TEXT    NOT NULL
) STRICT;

-- At most one row: the last link whose record was forgotten.
CREATE TABLE ${schema}.${prefix}seal_anchor (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  position INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  hash     TEXT    NOT NULL
) STRICT;

-- The end of what a run has to say.
CREATE TABLE ${schema}.${prefix}output (
  number INTEGER PRIMARY KEY REFERENCES ${prefix}run (number) ON DELETE CASCADE,
  text   TEXT NOT NULL
) STRICT;

-- How often submissions started nothing new.
CREATE TABLE ${schema}.${prefix}refusal_count (
  tenant  TEXT    NOT NULL,
  name    TEXT    NOT NULL,
  minute  INTEGER NOT NULL,
  node    TEXT    NOT NULL,
  policy  TEXT    NOT NULL,
  outcome TEXT    NOT NULL,
  count   INTEGER NOT NULL CHECK (count > 0),
  last    TEXT    NOT NULL,
  PRIMARY KEY (tenant, name, minute, node, policy, outcome)
) STRICT, WITHOUT ROWID;

CREATE INDEX ${schema}.${prefix}refusal_count_minute ON ${prefix}refusal_count (minute);

-- Processes that take work, as they last said of themselves.
CREATE TABLE ${schema}.${prefix}worker (
  instance TEXT    PRIMARY KEY,
  label    TEXT    NOT NULL,
  jobs     TEXT    NOT NULL,                       -- their names, with a space between
  slots    INTEGER NOT NULL,
  busy     INTEGER NOT NULL,
  version  TEXT    NOT NULL,
  seen_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX ${schema}.${prefix}worker_seen ON ${prefix}worker (seen_at);

-- Numbers under names, for the engine's own use.
CREATE TABLE ${schema}.${prefix}bookmark (
  name  TEXT    PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
