-- Leases, runs and what belongs to them. All moments are microseconds since 1970 by the store's clock: the moment of the
-- machine's boot, plus the time since then, plus store.clock_offset. Texts compare by their bytes.

-- One row: what holds for all keys.
CREATE TABLE ${schema}.${prefix}store (
  one          INTEGER PRIMARY KEY CHECK (one = 1),
  boot_id      TEXT    NOT NULL,             -- the boot in which uptime was read
  booted_at    INTEGER NOT NULL,             -- the moment of that boot
  uptime       INTEGER NOT NULL,             -- the greatest time since boot that was written
  clock_offset INTEGER NOT NULL,
  run_number   INTEGER NOT NULL,             -- the number of the last run that was submitted
  epoch        INTEGER NOT NULL,             -- the upper bits of tokens
  token_floor  INTEGER NOT NULL,             -- no smaller than any token whose row was deleted
  max_lease    INTEGER NOT NULL,             -- the longest lease that may have been granted
  quiet_until  INTEGER NOT NULL,             -- nothing is granted before
  last_heard   INTEGER NOT NULL,             -- when a waiting caller or a sweep was last heard of
  heard_since  INTEGER NOT NULL              -- waiting callers could report since then
) STRICT;

-- One row for each key in use: its lease, the run it is kept for, its queue in numbers, its resource.
CREATE TABLE ${schema}.${prefix}lease (
  tenant           TEXT    NOT NULL,
  name             TEXT    NOT NULL,
  plain            INTEGER NOT NULL,           -- 1: a bare lease may be granted without a look at anything else
  token            INTEGER NOT NULL DEFAULT 0,
  granted_at       INTEGER,
  expires_at       INTEGER,
  used_at          INTEGER NOT NULL,
  waiters_until    INTEGER NOT NULL DEFAULT 0,
  lock_delay       INTEGER,
  lease_id         TEXT,                       -- NULL: the key is free
  probed           INTEGER NOT NULL DEFAULT 0,
  queued           INTEGER NOT NULL DEFAULT 0,
  resting          INTEGER NOT NULL DEFAULT 0,
  instance         TEXT,
  label            TEXT,
  run_id           TEXT,
  evicted_by       TEXT,
  evicted_why      TEXT,
  evicted_at       INTEGER,
  reserved_for     TEXT,
  reserved_since   INTEGER,
  reserved_until   INTEGER,
  due_at           INTEGER,
  blocked_priority INTEGER,
  blocked_since    INTEGER,
  blocked_number   INTEGER,
  blocked_below    INTEGER,
  resource_kind    TEXT,
  resource_state   TEXT,
  resource_version INTEGER,
  resource_owner   TEXT,
  resource_settled TEXT,          -- the state when no run moved it last, and since when; "previous" takes it back there
  resource_since   INTEGER,
  PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX ${schema}.${prefix}lease_due ON ${prefix}lease (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ${schema}.${prefix}lease_blocked ON ${prefix}lease (tenant, blocked_priority, blocked_number)
  WHERE blocked_number IS NOT NULL;
CREATE INDEX ${schema}.${prefix}lease_resource ON ${prefix}lease (resource_kind, tenant, name)
  WHERE resource_kind IS NOT NULL;

-- One row for each run, for as long as history is kept. No index names what changes; each ends with the number.
CREATE TABLE ${schema}.${prefix}run (
  number       INTEGER PRIMARY KEY,
  run_id       TEXT    NOT NULL UNIQUE,
  tenant       TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  job          TEXT    NOT NULL,
  priority     INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  since        INTEGER,                        -- when it ended
  state        TEXT,                           -- as what it ended; NULL while it is open
  status       TEXT,                           -- what else is known of its end
  spec         TEXT    NOT NULL                -- what was asked for; never changes
) STRICT;

CREATE INDEX ${schema}.${prefix}run_tenant ON ${prefix}run (tenant);
CREATE INDEX ${schema}.${prefix}run_key ON ${prefix}run (tenant, name);
CREATE INDEX ${schema}.${prefix}run_job ON ${prefix}run (tenant, job);

-- The first number of each minute, so that runs are found by time.
CREATE TABLE ${schema}.${prefix}run_minute (
  minute INTEGER PRIMARY KEY,
  number INTEGER NOT NULL
) STRICT;

-- One row for each run that has not ended. The busy run of a key (PENDING or RUNNING) has rank and seq 0, so that no key has
-- two; a waiting one has its priority, negated, as rank, and 20000 more while it rests.
CREATE TABLE ${schema}.${prefix}open_run (
  tenant       TEXT    NOT NULL,
  payload      INTEGER NOT NULL,              -- how many bytes its parameters have
  busy         INTEGER NOT NULL,
  name         TEXT    NOT NULL,
  rank         INTEGER NOT NULL,
  seq          INTEGER NOT NULL,
  number       INTEGER NOT NULL,
  run_id       TEXT    NOT NULL,
  job          TEXT    NOT NULL,
  state        TEXT    NOT NULL,
  priority     INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  claimable    INTEGER NOT NULL,
  claim_id     TEXT,
  seen_at      INTEGER,                        -- when its caller was last heard of, if its caller does the work
  missed       INTEGER NOT NULL,               -- 1: its caller did not take the key when it was offered
  due_at       INTEGER,                        -- when time alone changes something about it
  since        INTEGER NOT NULL,               -- since when it is in that state
  status       TEXT    NOT NULL,               -- where it stands otherwise
  PRIMARY KEY (tenant, busy, name, rank, seq),
  CHECK (busy = 0 OR (rank = 0 AND seq = 0))   -- so that a key has one run under way at most
) STRICT, WITHOUT ROWID;

CREATE INDEX ${schema}.${prefix}open_run_claim ON ${prefix}open_run (tenant, job, priority DESC, number) WHERE claimable = 1;
CREATE INDEX ${schema}.${prefix}open_run_claimed ON ${prefix}open_run (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX ${schema}.${prefix}open_run_due ON ${prefix}open_run (due_at) WHERE busy = 1 AND due_at IS NOT NULL;
CREATE INDEX ${schema}.${prefix}open_run_waiting_due ON ${prefix}open_run (tenant, name, due_at)
  WHERE busy = 0 AND due_at IS NOT NULL;

-- Locked by steps that a tenant's limit concerns.
CREATE TABLE ${schema}.${prefix}tenant_place (
  tenant TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Runs that ended otherwise than by success, found by state and by when they ended; of dead ones, what was done about them.
CREATE TABLE ${schema}.${prefix}failed_run (
  tenant     TEXT    NOT NULL,
  state      TEXT    NOT NULL,
  number     INTEGER NOT NULL,
  run_id     TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  job        TEXT    NOT NULL,
  since      INTEGER NOT NULL,
  code       TEXT    NOT NULL,
  settled    INTEGER NOT NULL DEFAULT 0,
  kind       TEXT,
  actor      TEXT,
  reason     TEXT,
  settled_at INTEGER,
  successor  TEXT,
  PRIMARY KEY (tenant, state, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX ${schema}.${prefix}failed_run_dead ON ${prefix}failed_run (number) WHERE state = 'DEAD';
CREATE INDEX ${schema}.${prefix}failed_run_since ON ${prefix}failed_run (tenant, since);

-- Attempts after which a run was tried again. The last attempt of a run is part of its row.
CREATE TABLE ${schema}.${prefix}attempt (
  run_id   TEXT    NOT NULL,
  attempt  INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  next     TEXT    NOT NULL,
  facts    TEXT    NOT NULL,
  PRIMARY KEY (run_id, attempt)
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

-- Keys under which nothing is granted; a pause that has ended stays until all its keys are settled.
CREATE TABLE ${schema}.${prefix}pause (
  tenant     TEXT    NOT NULL,
  pattern    TEXT    NOT NULL,
  actor      TEXT    NOT NULL,
  reason     TEXT    NOT NULL,
  since      INTEGER NOT NULL,
  until      INTEGER,
  resumed    INTEGER NOT NULL,
  settled_to TEXT    NOT NULL,
  PRIMARY KEY (tenant, pattern)
) STRICT, WITHOUT ROWID;

-- Every change, in the order in which it was made. Indexes end with the sequence.
CREATE TABLE ${schema}.${prefix}audit (
  sequence     INTEGER PRIMARY KEY AUTOINCREMENT,        -- rises by one, also after records were deleted
  at           INTEGER NOT NULL,
  token        INTEGER,
  run_id       TEXT,
  tenant       TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  actor        TEXT    NOT NULL,
  action       TEXT    NOT NULL,
  state_before TEXT    NOT NULL,
  state_after  TEXT    NOT NULL,
  reason       TEXT    NOT NULL,
  correlation  TEXT,
  address      TEXT
) STRICT;

CREATE INDEX ${schema}.${prefix}audit_tenant ON ${prefix}audit (tenant);
CREATE INDEX ${schema}.${prefix}audit_key ON ${prefix}audit (tenant, name);
CREATE INDEX ${schema}.${prefix}audit_action ON ${prefix}audit (tenant, action)
  WHERE action NOT IN ('submitted', 'run', 'resource');

-- Pages of the audit log that are sealed: each has the hash of its last record, in which all before it are part.
CREATE TABLE ${schema}.${prefix}seal (
  position       INTEGER PRIMARY KEY CHECK (position > 0),  -- of the last record of the page
  sequence       INTEGER NOT NULL,                          -- its number
  hash           TEXT    NOT NULL,
  first_position INTEGER NOT NULL,
  first_sequence INTEGER NOT NULL,                          -- no greater than the number of the page's first record
  at             INTEGER NOT NULL                           -- when the last record was made
) STRICT;

CREATE INDEX ${schema}.${prefix}seal_at ON ${prefix}seal (at);

-- At most one row: the last record that was forgotten.
CREATE TABLE ${schema}.${prefix}seal_anchor (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  position INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  hash     TEXT    NOT NULL,
  signed_position INTEGER NOT NULL DEFAULT 0,  -- the last record that was signed with a key outside the store
  signature       TEXT    NOT NULL DEFAULT ''
) STRICT;

-- The end of the output of the last attempts of a run.
CREATE TABLE ${schema}.${prefix}output (
  run_id  TEXT    NOT NULL,
  attempt INTEGER NOT NULL,
  text    TEXT    NOT NULL,
  PRIMARY KEY (run_id, attempt)
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

-- What became of runs in periods of different lengths, of each job and, without a name, of all.
CREATE TABLE ${schema}.${prefix}run_period (
  tenant   TEXT    NOT NULL,
  seconds  INTEGER NOT NULL,                              -- how long the period is
  job      TEXT    NOT NULL,
  start_at INTEGER NOT NULL,
  facts    TEXT    NOT NULL,
  PRIMARY KEY (tenant, seconds, job, start_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX ${schema}.${prefix}run_period_start ON ${prefix}run_period (seconds, start_at);

-- Processes that take work, as they last described themselves.
CREATE TABLE ${schema}.${prefix}worker (
  instance TEXT    PRIMARY KEY,
  label    TEXT    NOT NULL,
  jobs     TEXT    NOT NULL,                              -- their names, with a space between
  slots    INTEGER NOT NULL,
  busy     INTEGER NOT NULL,
  version  TEXT    NOT NULL,
  seen_at  INTEGER NOT NULL,
  tenant   TEXT                                           -- whose runs it takes; NULL for those of any tenant
) STRICT, WITHOUT ROWID;

CREATE INDEX ${schema}.${prefix}worker_tenant ON ${prefix}worker (tenant, seen_at);
CREATE INDEX ${schema}.${prefix}worker_remote ON ${prefix}worker (seen_at) WHERE version = 'remote';

-- Numbers under names, for the engine's own use.
CREATE TABLE ${schema}.${prefix}bookmark (
  name  TEXT    PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- API keys, without their secrets.
CREATE TABLE ${schema}.${prefix}access_key (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  tenant     TEXT    NOT NULL,
  role       TEXT    NOT NULL,
  label      TEXT    NOT NULL,
  hash       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  used_at    INTEGER  -- about when it was last used
) STRICT;

CREATE TABLE ${schema}.${prefix}sign_in (
  hash      TEXT    NOT NULL PRIMARY KEY,
  key_id    TEXT    NOT NULL,
  label     TEXT,              -- of a person whom an identity provider named
  roles     TEXT,              -- of that person: tenant=ROLE, separated by spaces
  opened_at INTEGER NOT NULL,
  used_at   INTEGER NOT NULL   -- about when it was last used
) STRICT, WITHOUT ROWID;

-- What the planner is to assume about the tables that grow: else it takes records of a tenant to be as few as those of a key.
ANALYZE ${schema}.${prefix}audit;
INSERT INTO ${schema}.sqlite_stat1 (tbl, idx, stat) VALUES
  ('${prefix}audit', '${prefix}audit_tenant', '1000000 100000'),
  ('${prefix}audit', '${prefix}audit_key', '1000000 100000 1000'),
  ('${prefix}audit', '${prefix}audit_action', '10000 5000 500'),
  ('${prefix}run', '${prefix}run_tenant', '1000000 100000'),
  ('${prefix}run', '${prefix}run_key', '1000000 100000 1000'),
  ('${prefix}run', '${prefix}run_job', '1000000 100000 10000');
