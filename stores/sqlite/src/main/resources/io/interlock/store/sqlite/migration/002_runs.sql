-- Runs beside leases. Times are microseconds of the store's clock, as in 001. Columns are what SQL looks for; what only
-- rules and people read is text, one line for each fact (see FieldText).

-- One row for each run, also for those that have ended. What is written at every beat is short: see run_spec.
CREATE TABLE ${schema}.${prefix}run (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,  -- its place among all that were submitted, never given twice
  run_id       TEXT    NOT NULL UNIQUE,
  tenant       TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  job          TEXT    NOT NULL,
  priority     INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  state        TEXT    NOT NULL CHECK (state IN ('QUEUED', 'PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'ABORTED', 'TIMED_OUT', 'DEAD')),
  since        INTEGER NOT NULL,                   -- since when it is in that state
  claim_id     TEXT,                               -- the claim that took it last
  status       TEXT    NOT NULL                    -- where it stands otherwise
) STRICT;

-- What was asked for. Never changes, and may be long.
CREATE TABLE ${schema}.${prefix}run_spec (
  number INTEGER PRIMARY KEY REFERENCES ${prefix}run (number) ON DELETE CASCADE,
  spec   TEXT NOT NULL
) STRICT;

-- The second guard of what the rules promise: no key has two runs at once.
CREATE UNIQUE INDEX ${schema}.${prefix}run_one_per_key ON ${prefix}run (tenant, name)
  WHERE state IN ('PENDING', 'RUNNING');

-- The line of a key, and whoever is ahead of it.
CREATE INDEX ${schema}.${prefix}run_open ON ${prefix}run (tenant, name)
  WHERE state IN ('QUEUED', 'PENDING', 'RUNNING');

-- For claims: in it is all that decides who is first.
CREATE INDEX ${schema}.${prefix}run_pending ON ${prefix}run (tenant, job, priority, submitted_at, name)
  WHERE state = 'PENDING';

CREATE INDEX ${schema}.${prefix}run_claim ON ${prefix}run (claim_id) WHERE state = 'RUNNING';

-- How long the last runs of a key took.
CREATE INDEX ${schema}.${prefix}run_past ON ${prefix}run (tenant, name, since) WHERE state = 'SUCCEEDED';

-- For lists. Each of these ends with the number, as every index does.
CREATE INDEX ${schema}.${prefix}run_tenant ON ${prefix}run (tenant);
CREATE INDEX ${schema}.${prefix}run_key ON ${prefix}run (tenant, name);
CREATE INDEX ${schema}.${prefix}run_state ON ${prefix}run (tenant, state);
CREATE INDEX ${schema}.${prefix}run_job ON ${prefix}run (tenant, job);
CREATE INDEX ${schema}.${prefix}run_submitted ON ${prefix}run (tenant, submitted_at);

-- One row for each key that has a resource, or runs that have not ended.
CREATE TABLE ${schema}.${prefix}room (
  tenant           TEXT NOT NULL,
  name             TEXT NOT NULL,
  reserved_for     TEXT,                           -- the run the key is kept for
  reserved_since   INTEGER,
  reserved_until   INTEGER,                        -- when an offer lapses
  resource_kind    TEXT,
  resource_state   TEXT,
  resource_version INTEGER,
  resource_owner   TEXT,                           -- the run that moves it
  due_at           INTEGER,                        -- no later than when time alone changes something here
  blocked_below    INTEGER,                        -- free but for its tenant's limit: as soon as fewer are under way
  blocked_number   INTEGER,                        -- and the first run that waits for that
  PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

-- For sweeps, and for claims of one tenant.
CREATE INDEX ${schema}.${prefix}room_due ON ${prefix}room (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ${schema}.${prefix}room_tenant_due ON ${prefix}room (tenant, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ${schema}.${prefix}room_blocked ON ${prefix}room (tenant, blocked_number, blocked_below)
  WHERE blocked_number IS NOT NULL;

-- Attempts that are over.
CREATE TABLE ${schema}.${prefix}attempt (
  number   INTEGER NOT NULL REFERENCES ${prefix}run (number) ON DELETE CASCADE,
  attempt  INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  next     TEXT    NOT NULL,                       -- the state of the run after it
  facts    TEXT    NOT NULL,                       -- who worked, and why it did not succeed
  PRIMARY KEY (number, attempt)
) STRICT, WITHOUT ROWID;

-- What a tenant submitted under a name of its own.
CREATE TABLE ${schema}.${prefix}idempotency (
  tenant      TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL,
  run_id      TEXT    NOT NULL,
  until       INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX ${schema}.${prefix}idempotency_run ON ${prefix}idempotency (run_id);
CREATE INDEX ${schema}.${prefix}idempotency_until ON ${prefix}idempotency (until);

-- Keys under which nothing is granted.
CREATE TABLE ${schema}.${prefix}pause (
  tenant    TEXT    NOT NULL,
  pattern   TEXT    NOT NULL,
  actor     TEXT    NOT NULL,
  reason    TEXT    NOT NULL,
  since     INTEGER NOT NULL,
  until     INTEGER,
  PRIMARY KEY (tenant, pattern)
) STRICT, WITHOUT ROWID;

-- Every change, in the order in which it was made.
CREATE TABLE ${schema}.${prefix}audit (
  sequence     INTEGER PRIMARY KEY AUTOINCREMENT,  -- rises by one, also after records were forgotten
  at           INTEGER NOT NULL,
  tenant       TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  run_id       TEXT,
  token        INTEGER,
  actor        TEXT    NOT NULL,
  action       TEXT    NOT NULL,
  state_before TEXT    NOT NULL,
  state_after  TEXT    NOT NULL,
  reason       TEXT    NOT NULL,
  correlation  TEXT
) STRICT;

CREATE INDEX ${schema}.${prefix}audit_key ON ${prefix}audit (tenant, name);
