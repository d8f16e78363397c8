-- Leases, runs and what belongs to them. All moments are microseconds since 1970 by the store's clock: the server's, plus
-- store.clock_offset. Texts compare by their code points, spaces at their end included; ids are 36 ASCII characters.
-- MariaDB commits each of these statements by itself, so each may be run again.
-- There are no partial indexes: columns that are NULL where a row does not matter stand first in theirs.

-- One row: what holds for all keys.
CREATE TABLE IF NOT EXISTS ${prefix}store (
  one            smallint      NOT NULL PRIMARY KEY CHECK (one = 1),
  server         varchar(1000) NOT NULL,       -- the server this store was last seen on
  server_started bigint        NOT NULL,       -- when that server was started, to a second
  clock_offset   bigint        NOT NULL,       -- added to the server's clock, so that the store's time never goes back
  epoch          integer       NOT NULL,       -- the upper bits of tokens
  token_floor    bigint        NOT NULL,       -- no smaller than any token whose row was deleted
  max_lease      bigint        NOT NULL,       -- the longest lease that may have been granted
  quiet_until    bigint        NOT NULL,       -- nothing is granted before
  last_heard     bigint        NOT NULL,       -- when a waiting caller or a sweep was last heard of
  heard_since    bigint        NOT NULL        -- waiting callers could report since then
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- One row, which never changes: steps lock it together, and what must be alone locks it alone.
CREATE TABLE IF NOT EXISTS ${prefix}latch (
  one smallint NOT NULL PRIMARY KEY CHECK (one = 1)
) ENGINE = InnoDB;
INSERT INTO ${prefix}latch (one) VALUES (1) ON DUPLICATE KEY UPDATE one = 1;

-- Written by steps that change nothing else, but have to know that what they saw is on disk.
CREATE TABLE IF NOT EXISTS ${prefix}flushed (
  slot  smallint NOT NULL PRIMARY KEY,
  times bigint   NOT NULL
) ENGINE = InnoDB;

-- One row for each key in use: its lease, the run it is kept for, its queue in numbers, its resource. An acquire, a renewal
-- and a release change no column that an index names.
CREATE TABLE IF NOT EXISTS ${prefix}lease (
  tenant           varchar(64)  NOT NULL,
  name             varchar(512) NOT NULL,
  plain            smallint     NOT NULL,      -- 1: a bare lease may be granted without a look at anything else
  token            bigint       NOT NULL DEFAULT 0,
  granted_at       bigint,
  expires_at       bigint,
  used_at          bigint       NOT NULL,
  waiters_until    bigint       NOT NULL DEFAULT 0,
  lock_delay       bigint,
  lease_id         char(36)     CHARACTER SET ascii COLLATE ascii_bin,  -- NULL: the key is free
  probed           smallint     NOT NULL DEFAULT 0,
  queued           integer      NOT NULL DEFAULT 0,
  resting          integer      NOT NULL DEFAULT 0,
  instance         varchar(200),
  label            varchar(200),
  run_id           char(36)     CHARACTER SET ascii COLLATE ascii_bin,
  evicted_by       varchar(500),
  evicted_why      varchar(500),
  evicted_at       bigint,
  reserved_for     char(36)     CHARACTER SET ascii COLLATE ascii_bin,
  reserved_since   bigint,
  reserved_until   bigint,
  due_at           bigint,
  blocked_priority smallint,
  blocked_since    bigint,
  blocked_number   bigint,
  blocked_below    integer,
  resource_kind    varchar(500),
  resource_state   varchar(500),
  resource_version bigint,
  resource_owner   char(36)     CHARACTER SET ascii COLLATE ascii_bin,
  resource_settled varchar(500),          -- the state when no run moved it last, and since when; "previous" takes it back there
  resource_since   bigint,
  PRIMARY KEY (tenant, name),
  KEY due (due_at),
  KEY blocked (blocked_number),
  KEY blocked_of_tenant (tenant, blocked_priority DESC, blocked_number),
  KEY resource (resource_kind)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- One row for each run, for as long as history is kept. No index names what changes.
CREATE TABLE IF NOT EXISTS ${prefix}run (
  run_id       char(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  number       bigint       NOT NULL,
  tenant       varchar(64)  NOT NULL,
  name         varchar(512) NOT NULL,
  job          varchar(100) NOT NULL,
  priority     smallint     NOT NULL,
  submitted_at bigint       NOT NULL,
  spec         mediumtext   NOT NULL,          -- what was asked for; never changes
  since        bigint,                         -- when it ended
  state        varchar(20),                    -- as what it ended; NULL while it is open
  status       mediumtext,                     -- what else is known of its end
  KEY of_tenant (tenant, number),
  KEY of_key (tenant, name, number),
  KEY of_job (tenant, job, number)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE SEQUENCE IF NOT EXISTS ${prefix}run_number ENGINE = InnoDB;

-- The first number of each minute, so that runs are found by time.
CREATE TABLE IF NOT EXISTS ${prefix}run_minute (
  minute bigint NOT NULL PRIMARY KEY,
  number bigint NOT NULL
) ENGINE = InnoDB;

-- One row for each run that has not ended. The busy run of a key (PENDING or RUNNING) has rank and seq 0, so that no key has
-- two; a waiting one has its priority, negated, as rank, and 20000 more while it rests.
CREATE TABLE IF NOT EXISTS ${prefix}open_run (
  tenant       varchar(64)  NOT NULL,
  payload      int          NOT NULL,              -- how many bytes its parameters have
  busy         smallint     NOT NULL,
  name         varchar(512) NOT NULL,
  rank         smallint     NOT NULL,
  seq          bigint       NOT NULL,
  number       bigint       NOT NULL,
  run_id       char(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  job          varchar(100) NOT NULL,
  state        varchar(20)  NOT NULL,
  priority     smallint     NOT NULL,
  submitted_at bigint       NOT NULL,
  claimable    smallint     NOT NULL,
  claim_id     char(36)     CHARACTER SET ascii COLLATE ascii_bin,
  seen_at      bigint,                         -- when its caller was last heard of, if its caller does the work
  missed       smallint     NOT NULL,          -- 1: its caller did not take the key when it was offered
  due_at       bigint,                         -- when time alone changes something about it
  since        bigint       NOT NULL,          -- since when it is in that state
  status       mediumtext   NOT NULL,          -- where it stands otherwise
  PRIMARY KEY (tenant, busy, name, rank, seq),
  CHECK (busy = 0 OR (rank = 0 AND seq = 0)),   -- so that a key has one run under way at most
  KEY waiting (seq),
  KEY claim (claimable, tenant, job, priority DESC, number),
  KEY claimed (claim_id, number),
  KEY due (busy, due_at),
  KEY waiting_due (tenant, busy, name, due_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Locked by steps that a tenant's limit concerns.
CREATE TABLE IF NOT EXISTS ${prefix}tenant_place (
  tenant varchar(64) NOT NULL PRIMARY KEY
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Runs that ended otherwise than by success, found by state and by when they ended; of dead ones, what was done about them.
CREATE TABLE IF NOT EXISTS ${prefix}failed_run (
  tenant     varchar(64)  NOT NULL,
  state      varchar(20)  NOT NULL,
  number     bigint       NOT NULL,
  run_id     char(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name       varchar(512) NOT NULL,
  job        varchar(100) NOT NULL,
  since      bigint       NOT NULL,
  code       varchar(100) NOT NULL,
  settled    smallint     NOT NULL DEFAULT 0,
  kind       varchar(20),
  actor      text,
  reason     text,
  settled_at bigint,
  successor  char(36)     CHARACTER SET ascii COLLATE ascii_bin,
  PRIMARY KEY (tenant, state, number),
  KEY of_state (state, number),
  KEY failed_run_since (tenant, since)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Attempts after which a run was tried again. The last attempt of a run is part of its row.
CREATE TABLE IF NOT EXISTS ${prefix}attempt (
  run_id   char(36)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  attempt  integer     NOT NULL,
  ended_at bigint      NOT NULL,
  next     varchar(20) NOT NULL,
  facts    mediumtext  NOT NULL,
  PRIMARY KEY (run_id, attempt)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- What a tenant submitted under a name of its own.
CREATE TABLE IF NOT EXISTS ${prefix}idempotency (
  tenant      varchar(64)  NOT NULL,
  name        varchar(500) NOT NULL,
  fingerprint varchar(500) NOT NULL,
  run_id      char(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  until       bigint       NOT NULL,
  PRIMARY KEY (tenant, name),
  KEY of_run (run_id, until),
  KEY until (until)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Keys under which nothing is granted; a pause that has ended stays until all its keys are settled.
CREATE TABLE IF NOT EXISTS ${prefix}pause (
  tenant     varchar(64)  NOT NULL,
  pattern    varchar(512) NOT NULL,
  actor      varchar(500) NOT NULL,
  reason     varchar(500) NOT NULL,
  since      bigint       NOT NULL,
  until      bigint,
  resumed    smallint     NOT NULL,
  settled_to varchar(512) NOT NULL,
  PRIMARY KEY (tenant, pattern)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Every change. Secondary indexes end with the primary key.
CREATE TABLE IF NOT EXISTS ${prefix}audit (
  sequence     bigint       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  at           bigint       NOT NULL,
  token        bigint,
  run_id       char(36)     CHARACTER SET ascii COLLATE ascii_bin,
  tenant       varchar(64)  NOT NULL,
  name         varchar(512) NOT NULL,
  actor        text         NOT NULL,
  action       varchar(200) NOT NULL,
  state_before text         NOT NULL,
  state_after  text         NOT NULL,
  reason       text         NOT NULL,
  correlation  text,
  address      text,
  KEY of_tenant (tenant),
  KEY of_key (tenant, name),
  KEY of_action (tenant, action)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Pages of the audit log that are sealed: each has the hash of its last record, in which all before it are part.
CREATE TABLE IF NOT EXISTS ${prefix}seal (
  position       bigint       NOT NULL PRIMARY KEY CHECK (position > 0),  -- of the last record of the page
  sequence       bigint       NOT NULL,                                   -- its number
  hash           varchar(200) NOT NULL,
  first_position bigint       NOT NULL,
  first_sequence bigint       NOT NULL,       -- no greater than the number of the page's first record
  at             bigint       NOT NULL,       -- when the last record was made
  KEY at (at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- At most one row: the last record that was forgotten. Locked by steps that add pages or forget them.
CREATE TABLE IF NOT EXISTS ${prefix}seal_anchor (
  one      smallint     NOT NULL PRIMARY KEY CHECK (one = 1),
  position bigint       NOT NULL,
  sequence bigint       NOT NULL,
  hash     varchar(200) NOT NULL,
  signed_position bigint       NOT NULL DEFAULT 0,  -- the last record that was signed with a key outside the store
  signature       varchar(200) NOT NULL DEFAULT ''
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- The end of the output of the last attempts of a run.
CREATE TABLE IF NOT EXISTS ${prefix}output (
  run_id  char(36)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  attempt integer    NOT NULL,
  text    mediumtext NOT NULL,
  PRIMARY KEY (run_id, attempt)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- How often submissions started nothing new. Keys are limited to 3072 bytes: the first characters of a process's name tell it
-- from others.
CREATE TABLE IF NOT EXISTS ${prefix}refusal_count (
  tenant  varchar(64)  NOT NULL,
  name    varchar(512) NOT NULL,
  minute  bigint       NOT NULL,
  node    varchar(500) NOT NULL,
  policy  varchar(20)  NOT NULL,
  outcome varchar(20)  NOT NULL,
  count   bigint       NOT NULL CHECK (count > 0),
  last    text         NOT NULL,
  PRIMARY KEY (tenant, name, minute, policy, outcome, node(140)),
  KEY minute (minute)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- What became of runs in periods of different lengths, of each job and, without a name, of all.
CREATE TABLE IF NOT EXISTS ${prefix}run_period (
  tenant   varchar(64)  NOT NULL,
  seconds  bigint       NOT NULL,             -- how long the period is
  job      varchar(100) NOT NULL,
  start_at bigint       NOT NULL,
  facts    text         NOT NULL,
  PRIMARY KEY (tenant, seconds, job, start_at),
  KEY of_start (seconds, start_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Processes that take work, as they last said of themselves.
CREATE TABLE IF NOT EXISTS ${prefix}worker (
  instance varchar(200) NOT NULL PRIMARY KEY,
  label    varchar(200) NOT NULL,
  jobs     mediumtext   NOT NULL,             -- their names, with a space between
  slots    integer      NOT NULL,
  busy     integer      NOT NULL,
  version  varchar(500) NOT NULL,
  seen_at  bigint       NOT NULL,
  tenant   varchar(64),                       -- whose runs it takes; NULL for those of any tenant
  KEY of_tenant (tenant, seen_at),
  KEY of_version (version, seen_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Numbers under names, for the engine's own use.
CREATE TABLE IF NOT EXISTS ${prefix}bookmark (
  name  varchar(700) NOT NULL PRIMARY KEY,
  value bigint       NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- API keys, without their secrets.
CREATE TABLE IF NOT EXISTS ${prefix}access_key (
  number     bigint       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  id         varchar(100) NOT NULL,
  tenant     varchar(64)  NOT NULL,
  role       varchar(20)  NOT NULL,
  label      varchar(500) NOT NULL,
  hash       varchar(500) NOT NULL,
  created_at bigint       NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  used_at    bigint,                           -- about when it was last used
  UNIQUE KEY id (id)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS ${prefix}sign_in (
  hash      varchar(64)   NOT NULL PRIMARY KEY,
  key_id    varchar(100)  NOT NULL,
  label     varchar(500),                      -- of a person whom an identity provider named
  roles     text,                              -- of that person: tenant=ROLE, separated by spaces
  opened_at bigint        NOT NULL,
  used_at   bigint        NOT NULL             -- about when it was last used
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
