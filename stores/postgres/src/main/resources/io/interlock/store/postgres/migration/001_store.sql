-- Leases, runs and what belongs to them. All moments are microseconds since 1970 by the store's clock: the server's, plus
-- store.clock_offset. Texts compare by their bytes.

-- One row: what holds for all keys.
CREATE TABLE ${schema}.${prefix}store (
  one          smallint PRIMARY KEY CHECK (one = 1),
  server       text     NOT NULL,            -- the server this store was last seen on: its identifier and its timeline
  server_started bigint NOT NULL,            -- when that server was started
  clock_offset bigint   NOT NULL,            -- added to the server's clock, so that the store's time never goes back
  epoch        integer  NOT NULL,            -- the upper bits of tokens
  token_floor  bigint   NOT NULL,            -- no smaller than any token whose row was deleted
  max_lease    bigint   NOT NULL,            -- the longest lease that may have been granted
  quiet_until  bigint   NOT NULL,            -- nothing is granted before
  last_heard   bigint   NOT NULL,            -- when a waiting caller or a sweep was last heard of
  heard_since  bigint   NOT NULL             -- waiting callers could report since then
);

-- One row for each key in use: its lease, the run it is kept for, its queue in numbers, its resource. An acquire, a renewal
-- and a release change no column that an index names, so they stay on their page (HOT).
CREATE TABLE ${schema}.${prefix}lease (
  tenant           text     COLLATE "C" NOT NULL,
  name             text     COLLATE "C" NOT NULL,
  plain            smallint NOT NULL,          -- 1: a bare lease may be granted without a look at anything else
  token            bigint   NOT NULL DEFAULT 0,
  granted_at       bigint,
  expires_at       bigint,
  used_at          bigint   NOT NULL,
  waiters_until    bigint   NOT NULL DEFAULT 0, -- until then a release wakes all clients, once
  waiters          text     COLLATE "C" NOT NULL DEFAULT '', -- otherwise the first of these; "woken,next,next"
  lock_delay       bigint,
  lease_id         uuid,                       -- NULL: the key is free
  probed           smallint NOT NULL DEFAULT 0,
  queued           integer  NOT NULL DEFAULT 0,
  resting          integer  NOT NULL DEFAULT 0,
  instance         text,
  label            text,
  run_id           uuid,
  evicted_by       text,
  evicted_why      text,
  evicted_at       bigint,
  reserved_for     uuid,
  reserved_since   bigint,
  reserved_until   bigint,
  due_at           bigint,
  blocked_priority smallint,
  blocked_since    bigint,
  blocked_number   bigint,
  blocked_below    integer,
  resource_kind    text,
  resource_state   text,
  resource_version bigint,
  resource_owner   uuid,
  resource_settled text,          -- the state when no run moved it last, and since when; "previous" takes it back there
  resource_since   bigint,
  PRIMARY KEY (tenant, name)
) WITH (fillfactor = 50);

CREATE INDEX ${prefix}lease_due ON ${schema}.${prefix}lease (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ${prefix}lease_blocked ON ${schema}.${prefix}lease (tenant, blocked_priority, blocked_number)
  WHERE blocked_number IS NOT NULL;
CREATE INDEX ${prefix}lease_resource ON ${schema}.${prefix}lease (resource_kind, tenant, name)
  WHERE resource_kind IS NOT NULL;

-- One row for each run, for as long as history is kept: inserted once, changed once, at its end. No index names what changes.
CREATE TABLE ${schema}.${prefix}run (
  run_id       uuid     PRIMARY KEY,
  number       bigint   NOT NULL,
  tenant       text     COLLATE "C" NOT NULL,
  name         text     COLLATE "C" NOT NULL,
  job          text     COLLATE "C" NOT NULL,
  priority     smallint NOT NULL,
  submitted_at bigint   NOT NULL,
  spec         text     NOT NULL,              -- what was asked for; never changes
  since        bigint,                         -- when it ended
  state        text,                           -- as what it ended; NULL while it is open
  status       text                            -- what else is known of its end
) WITH (fillfactor = 40);

CREATE SEQUENCE ${schema}.${prefix}run_number;
CREATE UNIQUE INDEX ${prefix}run_tenant ON ${schema}.${prefix}run (tenant, number);
CREATE INDEX ${prefix}run_key ON ${schema}.${prefix}run (tenant, name, number);
CREATE INDEX ${prefix}run_job ON ${schema}.${prefix}run (tenant, job, number);

-- The first number of each minute, so that runs are found by time.
CREATE TABLE ${schema}.${prefix}run_minute (
  minute bigint PRIMARY KEY,
  number bigint NOT NULL
);

-- One row for each run that has not ended: where it stands. The busy run of a key (PENDING or RUNNING) has rank and seq 0, so
-- that no key has two; a waiting one has its priority, negated, as rank, and 20000 more while it rests.
CREATE TABLE ${schema}.${prefix}open_run (
  seq          bigint   NOT NULL,
  number       bigint   NOT NULL,
  submitted_at bigint   NOT NULL,
  run_id       uuid     NOT NULL,
  payload      integer NOT NULL,              -- how many bytes its parameters have
  busy         smallint NOT NULL,
  rank         smallint NOT NULL,
  priority     smallint NOT NULL,
  tenant       text     COLLATE "C" NOT NULL,
  name         text     COLLATE "C" NOT NULL,
  job          text     COLLATE "C" NOT NULL,
  since        bigint   NOT NULL,              -- since when it is in its state
  due_at       bigint,                         -- when time alone changes something about it
  seen_at      bigint,                         -- when its caller was last heard of, if its caller does the work
  claim_id     uuid,
  claimable    smallint NOT NULL,
  missed       smallint NOT NULL,              -- 1: its caller did not take the key when it was offered
  state        text     NOT NULL,
  status       text     NOT NULL,              -- where it stands otherwise
  PRIMARY KEY (tenant, busy, name, rank, seq),
  CHECK (busy = 0 OR (rank = 0 AND seq = 0))   -- so that a key has one run under way at most
) WITH (fillfactor = 50);

CREATE INDEX ${prefix}open_run_claim ON ${schema}.${prefix}open_run (tenant, job, priority DESC, number) WHERE claimable = 1;
CREATE INDEX ${prefix}open_run_claimed ON ${schema}.${prefix}open_run (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX ${prefix}open_run_due ON ${schema}.${prefix}open_run (due_at) WHERE busy = 1 AND due_at IS NOT NULL;
CREATE INDEX ${prefix}open_run_waiting_due ON ${schema}.${prefix}open_run (tenant, name, due_at)
  WHERE busy = 0 AND due_at IS NOT NULL;

-- Locked by steps that a tenant's limit concerns.
CREATE TABLE ${schema}.${prefix}tenant_place (
  tenant text COLLATE "C" PRIMARY KEY
);

-- Runs that ended otherwise than by success, found by state and by when they ended; of dead ones, what was done about them.
CREATE TABLE ${schema}.${prefix}failed_run (
  tenant     text   COLLATE "C" NOT NULL,
  state      text   COLLATE "C" NOT NULL,
  number     bigint NOT NULL,
  run_id     uuid   NOT NULL,
  name       text   COLLATE "C" NOT NULL,
  job        text   COLLATE "C" NOT NULL,
  since      bigint NOT NULL,
  code       text   COLLATE "C" NOT NULL,
  settled    smallint NOT NULL DEFAULT 0,
  kind       text,
  actor      text,
  reason     text,
  settled_at bigint,
  successor  uuid,
  PRIMARY KEY (tenant, state, number)
);
CREATE INDEX ${prefix}failed_run_dead ON ${schema}.${prefix}failed_run (number) WHERE state = 'DEAD';
CREATE INDEX ${prefix}failed_run_since ON ${schema}.${prefix}failed_run (tenant, since);

-- Attempts after which a run was tried again. The last attempt of a run is part of its row.
CREATE TABLE ${schema}.${prefix}attempt (
  run_id   uuid    NOT NULL,
  attempt  integer NOT NULL,
  ended_at bigint  NOT NULL,
  next     text    NOT NULL,
  facts    text    NOT NULL,
  PRIMARY KEY (run_id, attempt)
);

-- What a tenant submitted under a name of its own.
CREATE TABLE ${schema}.${prefix}idempotency (
  tenant      text   COLLATE "C" NOT NULL,
  name        text   COLLATE "C" NOT NULL,
  fingerprint text   NOT NULL,
  run_id      uuid   NOT NULL,
  until       bigint NOT NULL,
  PRIMARY KEY (tenant, name)
);
CREATE INDEX ${prefix}idempotency_run ON ${schema}.${prefix}idempotency (run_id);
CREATE INDEX ${prefix}idempotency_until ON ${schema}.${prefix}idempotency (until);

-- Keys under which nothing is granted; a pause that has ended stays until all its keys are settled.
CREATE TABLE ${schema}.${prefix}pause (
  tenant     text     COLLATE "C" NOT NULL,
  pattern    text     COLLATE "C" NOT NULL,
  actor      text     NOT NULL,
  reason     text     NOT NULL,
  since      bigint   NOT NULL,
  until      bigint,
  resumed    smallint NOT NULL,
  settled_to text     COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, pattern)
);

-- Every change.
CREATE TABLE ${schema}.${prefix}audit (
  sequence     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at           bigint NOT NULL,
  token        bigint,
  run_id       uuid,
  tenant       text   COLLATE "C" NOT NULL,
  name         text   COLLATE "C" NOT NULL,
  actor        text   NOT NULL,
  action       text   COLLATE "C" NOT NULL,
  state_before text   NOT NULL,
  state_after  text   NOT NULL,
  reason       text   NOT NULL,
  correlation  text,
  address      text
);
CREATE INDEX ${prefix}audit_tenant ON ${schema}.${prefix}audit (tenant, sequence);
CREATE INDEX ${prefix}audit_key ON ${schema}.${prefix}audit (tenant, name, sequence);
CREATE INDEX ${prefix}audit_action ON ${schema}.${prefix}audit (tenant, action, sequence)
  WHERE action NOT IN ('submitted', 'run', 'resource');

-- Pages of the audit log that are sealed: each has the hash of its last record, in which all before it are part.
CREATE TABLE ${schema}.${prefix}seal (
  position       bigint PRIMARY KEY CHECK (position > 0),  -- of the last record of the page
  sequence       bigint NOT NULL,                          -- its number
  hash           text   NOT NULL,
  first_position bigint NOT NULL,
  first_sequence bigint NOT NULL,                          -- no greater than the number of the page's first record
  at             bigint NOT NULL                           -- when the last record was made
);

CREATE INDEX ${prefix}seal_at ON ${schema}.${prefix}seal (at);

-- At most one row: the last record that was forgotten. Locked by steps that add pages or forget them.
CREATE TABLE ${schema}.${prefix}seal_anchor (
  one      smallint PRIMARY KEY CHECK (one = 1),
  position bigint NOT NULL,
  sequence bigint NOT NULL,
  hash     text   NOT NULL,
  signed_position bigint NOT NULL DEFAULT 0,  -- the last record that was signed with a key outside the store
  signature       text   NOT NULL DEFAULT ''
);

-- The end of the output of the last attempts of a run.
CREATE TABLE ${schema}.${prefix}output (
  run_id  uuid    NOT NULL,
  attempt integer NOT NULL,
  text    text    NOT NULL,
  PRIMARY KEY (run_id, attempt)
);

-- How often submissions started nothing new.
CREATE TABLE ${schema}.${prefix}refusal_count (
  tenant  text   COLLATE "C" NOT NULL,
  name    text   COLLATE "C" NOT NULL,
  minute  bigint NOT NULL,
  node    text   COLLATE "C" NOT NULL,
  policy  text   NOT NULL,
  outcome text   NOT NULL,
  count   bigint NOT NULL CHECK (count > 0),
  last    text   NOT NULL,
  PRIMARY KEY (tenant, name, minute, node, policy, outcome)
);
CREATE INDEX ${prefix}refusal_count_minute ON ${schema}.${prefix}refusal_count (minute);

-- What became of runs in periods of different lengths, of each job and, without a name, of all.
CREATE TABLE ${schema}.${prefix}run_period (
  tenant   text   COLLATE "C" NOT NULL,
  seconds  bigint NOT NULL,                               -- how long the period is
  job      text   COLLATE "C" NOT NULL,
  start_at bigint NOT NULL,
  facts    text   COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, seconds, job, start_at)
);

CREATE INDEX ${prefix}run_period_start ON ${schema}.${prefix}run_period (seconds, start_at);

-- Processes that take work, as they last said of themselves.
CREATE TABLE ${schema}.${prefix}worker (
  instance text     COLLATE "C" PRIMARY KEY,
  label    text     NOT NULL,
  jobs     text     NOT NULL,                              -- their names, with a space between
  slots    integer  NOT NULL,
  busy     integer  NOT NULL,
  version  text     NOT NULL,
  seen_at  bigint   NOT NULL,
  tenant   text     COLLATE "C"                            -- whose runs it takes; NULL for those of any tenant
);
CREATE INDEX ${prefix}worker_tenant ON ${schema}.${prefix}worker (tenant, seen_at);
CREATE INDEX ${prefix}worker_remote ON ${schema}.${prefix}worker (seen_at) WHERE version = 'remote';

-- Numbers under names, for the engine's own use.
CREATE TABLE ${schema}.${prefix}bookmark (
  name  text COLLATE "C" PRIMARY KEY,
  value bigint NOT NULL
);

-- API keys, without their secrets.
CREATE TABLE ${schema}.${prefix}access_key (
  number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id         text   COLLATE "C" NOT NULL UNIQUE,
  tenant     text   COLLATE "C" NOT NULL,
  role       text   NOT NULL,
  label      text   NOT NULL,
  hash       text   NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  used_at    bigint   -- about when it was last used
);

CREATE TABLE ${schema}.${prefix}sign_in (
  hash      text   COLLATE "C" NOT NULL PRIMARY KEY,
  key_id    text   COLLATE "C" NOT NULL,
  label     text,              -- of a person whom an identity provider named
  roles     text,              -- of that person: tenant=ROLE, separated by spaces
  opened_at bigint NOT NULL,
  used_at   bigint NOT NULL    -- about when it was last used
);
