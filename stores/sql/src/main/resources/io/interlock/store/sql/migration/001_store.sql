-- Leases, runs and what belongs to them, for all databases; see Migration.Words for ${...} and @. All moments are microseconds since
-- 1970 by the store's clock, which is that of the database, or of the machine, plus store.clock_offset. Texts compare by their
-- code points.

-- One row: what holds for all keys.
${create} ${schema}.${prefix}store (
  one            ${small}    NOT NULL PRIMARY KEY CHECK (one = 1),
@sqlite   boot_id ${text} NOT NULL,           -- the boot in which uptime was read
@sqlite   booted_at ${big} NOT NULL,          -- the moment of that boot
@sqlite   uptime ${big} NOT NULL,             -- the greatest time since boot that was written
@sqlite   run_number ${big} NOT NULL,         -- the number of the last run that was submitted
@postgres,mariadb   server ${key 1000} NOT NULL,       -- the server this store was last seen on, with its timeline if it has one
@postgres,mariadb   server_started ${big} NOT NULL,    -- when that server was started
  clock_offset   ${big}      NOT NULL,        -- added to the clock, so that the store's time never goes back
  epoch          ${int}      NOT NULL,        -- the upper bits of tokens
  token_floor    ${big}      NOT NULL,        -- no smaller than any token whose row was deleted
  max_lease      ${big}      NOT NULL,        -- the longest lease that may have been granted
  quiet_until    ${big}      NOT NULL,        -- nothing is granted before
  last_heard     ${big}      NOT NULL,        -- a recent time: when a waiting caller or a sweep was last heard of
  heard_since    ${big}      NOT NULL         -- waiting callers could report since then
) ${numberedRows};

-- MariaDB: one row, which never changes. Steps lock it together, and what must be alone locks it alone.
@mariadb ${create} ${prefix}latch (one smallint NOT NULL PRIMARY KEY CHECK (one = 1)) ${rows};
@mariadb INSERT INTO ${prefix}latch (one) VALUES (1) ON DUPLICATE KEY UPDATE one = 1;
-- MariaDB: written by steps that change nothing else, but have to know that what they saw is on disk.
@mariadb ${create} ${prefix}flushed (slot smallint NOT NULL PRIMARY KEY, times bigint NOT NULL) ${rows};

-- One row for each key in use: its lease, the run it is kept for, its queue in numbers, its resource. An acquire, a renewal
-- and a release change no column that an index names, so in PostgreSQL they stay on their page (HOT).
${create} ${schema}.${prefix}lease (
  tenant           ${key 64}  NOT NULL,
  name             ${key 512} NOT NULL,
  plain            ${small}   NOT NULL,           -- 1: a bare lease may be granted without a look at anything else
  token            ${big}     NOT NULL DEFAULT 0,
  granted_at       ${big},
  expires_at       ${big},
  used_at          ${big}     NOT NULL,
  waiters_until    ${big}     NOT NULL DEFAULT 0, -- until then a release wakes all clients, once
@postgres   waiters text COLLATE "C" NOT NULL DEFAULT '', -- otherwise the first of these; "woken,next,next"
  lock_delay       ${big},
  lease_id         ${uuid},                       -- NULL: the key is free
  probed           ${small}   NOT NULL DEFAULT 0,
  queued           ${int}     NOT NULL DEFAULT 0,
  resting          ${int}     NOT NULL DEFAULT 0,
  instance         ${key 200},
  label            ${key 200},
  run_id           ${uuid},
  evicted_by       ${key 500},
  evicted_why      ${key 500},
  evicted_at       ${big},
  reserved_for     ${uuid},
  reserved_since   ${big},
  reserved_until   ${big},
  due_at           ${big},
  blocked_place    ${big},        -- of the first run in its queue, while that waits for a place under its tenant's limit only
  blocked_number   ${big},
  blocked_below    ${int},
  resource_kind    ${key 500},
  resource_state   ${key 500},
  resource_version ${big},
  resource_owner   ${uuid},
  resource_settled ${key 500},    -- the state when no run moved it last, and since when; "previous" takes it back there
  resource_since   ${big},
  PRIMARY KEY (tenant, name)
) ${rows};
${index} ${prefix}lease_due ${on}lease (due_at) ${only due_at IS NOT NULL};
@sqlite,postgres ${index} ${prefix}lease_offer ${on}lease (tenant) WHERE reserved_until IS NOT NULL;
@mariadb ${index} ${prefix}lease_offer ${on}lease (tenant, reserved_until);
@sqlite,postgres ${index} ${prefix}lease_blocked ${on}lease (tenant, blocked_place, blocked_number)
@sqlite,postgres   WHERE blocked_number IS NOT NULL;
@mariadb ${index} ${prefix}lease_blocked ${on}lease (blocked_number);
@mariadb ${index} ${prefix}lease_blocked_of ${on}lease (tenant, blocked_place, blocked_number);
@sqlite,postgres ${index} ${prefix}lease_resource ${on}lease (resource_kind, tenant, name) WHERE resource_kind IS NOT NULL;
@mariadb ${index} ${prefix}lease_resource ${on}lease (resource_kind);

-- One row for each run, for as long as history is kept: inserted once, changed once, at its end. No index names what changes.
${create} ${schema}.${prefix}run (
@sqlite   number INTEGER PRIMARY KEY,
@sqlite   run_id TEXT NOT NULL UNIQUE,
@postgres,mariadb   run_id ${uuid} NOT NULL PRIMARY KEY,
@postgres,mariadb   number ${big} NOT NULL,
  tenant       ${key 64}  NOT NULL,
  name         ${key 512} NOT NULL,
  job          ${key 100} NOT NULL,
  place        ${big}     NOT NULL,           -- before which others it goes: submitted_at, a minute earlier for each point of priority
  submitted_at ${big}     NOT NULL,
  since        ${big},                        -- when it ended
  state        ${key 20},                     -- as what it ended; NULL while it is open
  status       ${long},                       -- what else is known of its end
  spec         ${long}    NOT NULL            -- what was asked for; never changes
) ${numberedRows};
@postgres CREATE SEQUENCE ${schema}.${prefix}run_number;
@mariadb CREATE SEQUENCE IF NOT EXISTS ${prefix}run_number ENGINE = InnoDB;
@postgres CREATE UNIQUE INDEX ${prefix}run_tenant ${on}run (tenant, number);
@sqlite,mariadb ${index} ${prefix}run_tenant ${on}run (tenant${then number});
@mariadb ${index} ${prefix}run_submitted ${on}run (tenant, submitted_at, number);
${index} ${prefix}run_key ${on}run (tenant, name${then number});
${index} ${prefix}run_job ${on}run (tenant, job${then number});

-- Labels of runs, so that runs are found by them.
${create} ${schema}.${prefix}run_label (
  number ${big}     NOT NULL,
  tenant ${key 64}  NOT NULL,
  label  ${key 100} NOT NULL,
  value  ${key 100} NOT NULL,
  PRIMARY KEY (number, label)
) ${numberedRows};
${index} ${prefix}run_label_value ${on}run_label (tenant, label, value, number);

-- One row for each run that has not ended: where it stands. The busy run of a key (PENDING or RUNNING) has rank and seq 0, so
-- that no key has two; a waiting one has its place as rank, and 2^61 more while it rests.
${create} ${schema}.${prefix}open_run (
  seq          ${big}     NOT NULL,
  number       ${big}     NOT NULL,
  submitted_at ${big}     NOT NULL,
  rank         ${big}     NOT NULL,
  place        ${big}     NOT NULL,
  run_id       ${uuid}    NOT NULL,
  payload      ${int}     NOT NULL,               -- how many bytes its parameters have
  busy         ${small}   NOT NULL,
  tenant       ${key 64}  NOT NULL,
  name         ${key 512} NOT NULL,
  job          ${key 100} NOT NULL,
  since        ${big}     NOT NULL,               -- since when it is in its state
  due_at       ${big},                            -- when time alone changes something about it
  seen_at      ${big},                            -- when its caller was last heard of, if its caller does the work
  claim_id     ${uuid},
  claimable    ${small}   NOT NULL,
  missed       ${small}   NOT NULL,               -- 1: its caller did not take the key when it was offered
  state        ${key 20}  NOT NULL,
  status       ${long}    NOT NULL,               -- where it stands otherwise
  PRIMARY KEY (tenant, busy, name, rank, seq),
  CHECK (busy = 0 OR (rank = 0 AND seq = 0))      -- so that a key has one run under way at most
) ${rows};
@sqlite,postgres ${index} ${prefix}open_run_claim ${on}open_run (tenant, job, place, number) WHERE claimable = 1;
@sqlite,postgres ${index} ${prefix}open_run_claimed ${on}open_run (claim_id) WHERE claim_id IS NOT NULL;
@sqlite,postgres ${index} ${prefix}open_run_due ${on}open_run (due_at) WHERE busy = 1 AND due_at IS NOT NULL;
@sqlite,postgres ${index} ${prefix}open_run_waiting_due ${on}open_run (tenant, name, due_at)
@sqlite,postgres   WHERE busy = 0 AND due_at IS NOT NULL;
@mariadb ${index} ${prefix}open_run_claim ${on}open_run (claimable, tenant, job, place, number);
@mariadb ${index} ${prefix}open_run_claimed ${on}open_run (claim_id, number);
@mariadb ${index} ${prefix}open_run_due ${on}open_run (busy, due_at);
@mariadb ${index} ${prefix}open_run_waiting_due ${on}open_run (tenant, busy, name, due_at);
@mariadb ${index} ${prefix}open_run_waiting ${on}open_run (seq);

-- Rows of these tables are changed in place: their pages keep room for that.
@postgres ALTER TABLE ${schema}.${prefix}lease SET (fillfactor = 50);
@postgres ALTER TABLE ${schema}.${prefix}run SET (fillfactor = 40);
@postgres ALTER TABLE ${schema}.${prefix}open_run SET (fillfactor = 50);

-- Locked by steps that a tenant's limit concerns.
${create} ${schema}.${prefix}tenant_place (
  tenant ${key 64} NOT NULL PRIMARY KEY
) ${rows};

-- Runs that ended otherwise than by success, found by state and by when they ended; of dead ones, what was done about them.
${create} ${schema}.${prefix}failed_run (
  tenant     ${key 64}  NOT NULL,
  state      ${key 20}  NOT NULL,
  number     ${big}     NOT NULL,
  run_id     ${uuid}    NOT NULL,
  name       ${key 512} NOT NULL,
  job        ${key 100} NOT NULL,
  since      ${big}     NOT NULL,
  code       ${key 100} NOT NULL,
  settled    ${small}   NOT NULL DEFAULT 0,
  kind       ${key 20},
  actor      ${text},
  reason     ${text},
  settled_at ${big},
  successor  ${uuid},
  PRIMARY KEY (tenant, state, number)
) ${rows};
@sqlite,postgres ${index} ${prefix}failed_run_dead ${on}failed_run (number) WHERE state = 'DEAD';
@mariadb ${index} ${prefix}failed_run_dead ${on}failed_run (state, number);
${index} ${prefix}failed_run_since ${on}failed_run (tenant, since);

-- Attempts after which a run was tried again. The last attempt of a run is part of its row.
${create} ${schema}.${prefix}attempt (
  run_id   ${uuid}   NOT NULL,
  attempt  ${int}    NOT NULL,
  ended_at ${big}    NOT NULL,
  next     ${key 20} NOT NULL,
  facts    ${long}   NOT NULL,
  PRIMARY KEY (run_id, attempt)
) ${rows};

-- What a tenant submitted under a name of its own.
${create} ${schema}.${prefix}idempotency (
  tenant      ${key 64}  NOT NULL,
  name        ${key 500} NOT NULL,
  fingerprint ${key 500} NOT NULL,
  run_id      ${uuid}    NOT NULL,
  until       ${big}     NOT NULL,
  PRIMARY KEY (tenant, name)
) ${rows};
${index} ${prefix}idempotency_run ${on}idempotency (run_id, until);
${index} ${prefix}idempotency_until ${on}idempotency (until);

-- Keys under which nothing is granted; a pause that has ended stays until all its keys are settled.
${create} ${schema}.${prefix}pause (
  tenant     ${key 64}  NOT NULL,
  pattern    ${key 512} NOT NULL,
  actor      ${key 500} NOT NULL,
  reason     ${key 500} NOT NULL,
  since      ${big}     NOT NULL,
  until      ${big},
  resumed    ${small}   NOT NULL,
  settled_to ${key 512} NOT NULL,
  PRIMARY KEY (tenant, pattern)
) ${rows};

-- Every change. In SQLite numbers rise by one, also after records were deleted.
${create} ${schema}.${prefix}audit (
  sequence     ${numbered},
  at           ${big}     NOT NULL,
  token        ${big},
  run_id       ${uuid},
  tenant       ${key 64}  NOT NULL,
  name         ${key 512} NOT NULL,
  actor        ${text}    NOT NULL,
  action       ${key 200} NOT NULL,
  state_before ${text}    NOT NULL,
  state_after  ${text}    NOT NULL,
  reason       ${text}    NOT NULL,
  correlation  ${text},
  address      ${text}
) ${numberedRows};
${index} ${prefix}audit_tenant ${on}audit (tenant${then sequence});
${index} ${prefix}audit_key ${on}audit (tenant, name${then sequence});
${index} ${prefix}audit_action ${on}audit (tenant, action${then sequence})
  ${only action NOT IN ('submitted', 'run', 'resource')};

-- Pages of the audit log that are sealed: each has the hash of its last record, in which all before it are part.
${create} ${schema}.${prefix}seal (
  position       ${big}     NOT NULL PRIMARY KEY CHECK (position > 0),  -- of the last record of the page
  sequence       ${big}     NOT NULL,                                   -- its number
  hash           ${key 200} NOT NULL,
  first_position ${big}     NOT NULL,
  first_sequence ${big}     NOT NULL,        -- no greater than the number of the page's first record
  at             ${big}     NOT NULL         -- when the last record was made
) ${numberedRows};
${index} ${prefix}seal_at ${on}seal (at);

-- At most one row: the last record that was forgotten. Locked by steps that add pages or forget them.
${create} ${schema}.${prefix}seal_anchor (
  one             ${small}   NOT NULL PRIMARY KEY CHECK (one = 1),
  position        ${big}     NOT NULL,
  sequence        ${big}     NOT NULL,
  hash            ${key 200} NOT NULL,
  signed_position ${big}     NOT NULL DEFAULT 0,  -- the last record that was signed with a key outside the store
  signature       ${key 200} NOT NULL DEFAULT ''
) ${numberedRows};

-- The end of the output of the last attempts of a run.
${create} ${schema}.${prefix}output (
  run_id  ${uuid} NOT NULL,
  attempt ${int}  NOT NULL,
  text    ${long} NOT NULL,
  PRIMARY KEY (run_id, attempt)
) ${numberedRows};

-- How often submissions started nothing new. A key of MariaDB has at most 3072 bytes: there the first characters of a process's
-- name tell it from others.
${create} ${schema}.${prefix}refusal_count (
  tenant  ${key 64}  NOT NULL,
  name    ${key 512} NOT NULL,
  minute  ${big}     NOT NULL,
  node    ${key 500} NOT NULL,
  policy  ${key 20}  NOT NULL,
  outcome ${key 20}  NOT NULL,
  count   ${big}     NOT NULL CHECK (count > 0),
  last    ${text}    NOT NULL,
@mariadb   PRIMARY KEY (tenant, name, minute, policy, outcome, node(140))
@sqlite,postgres   PRIMARY KEY (tenant, name, minute, node, policy, outcome)
) ${rows};
${index} ${prefix}refusal_count_minute ${on}refusal_count (minute);

-- What became of runs in periods of different lengths, of each job and, without a name, of all.
${create} ${schema}.${prefix}run_period (
  tenant   ${key 64}  NOT NULL,
  seconds  ${big}     NOT NULL,              -- how long the period is
  job      ${key 100} NOT NULL,
  start_at ${big}     NOT NULL,
  facts    ${text}    NOT NULL,
  PRIMARY KEY (tenant, seconds, job, start_at)
) ${rows};
${index} ${prefix}run_period_start ${on}run_period (seconds, start_at);

-- Processes that take work, as they last described themselves.
${create} ${schema}.${prefix}worker (
  instance ${key 200} NOT NULL PRIMARY KEY,
  label    ${key 200} NOT NULL,
  jobs     ${long}    NOT NULL,              -- their names, with a space between
  slots    ${int}     NOT NULL,
  busy     ${int}     NOT NULL,
  version  ${key 500} NOT NULL,
  seen_at  ${big}     NOT NULL,
  tenant   ${key 64}                         -- whose runs it takes; NULL for those of any tenant
) ${rows};
${index} ${prefix}worker_tenant ${on}worker (tenant, seen_at);
@sqlite,postgres ${index} ${prefix}worker_remote ${on}worker (seen_at) WHERE version = 'remote';
@mariadb ${index} ${prefix}worker_remote ${on}worker (version, seen_at);

-- Numbers under names, for the engine's own use.
${create} ${schema}.${prefix}bookmark (
  name  ${key 700} NOT NULL PRIMARY KEY,
  value ${big}     NOT NULL
) ${rows};

-- API keys, without their secrets.
${create} ${schema}.${prefix}access_key (
  number     ${numbered},
  id         ${key 100} NOT NULL UNIQUE,
  tenant     ${key 64}  NOT NULL,
  role       ${key 20}  NOT NULL,
  label      ${key 500} NOT NULL,
  hash       ${key 500} NOT NULL,
  created_at ${big}     NOT NULL,
  expires_at ${big},
  revoked_at ${big},
  used_at    ${big}                          -- about when it was last used
) ${numberedRows};

-- Sign-ins with a browser, without their secrets.
${create} ${schema}.${prefix}sign_in (
  hash      ${key 64}  NOT NULL PRIMARY KEY,
  key_id    ${key 100} NOT NULL,
  label     ${key 500},                      -- of a person whom an identity provider named
  roles     ${text},                         -- of that person: tenant=ROLE, separated by spaces
  opened_at ${big}     NOT NULL,
  used_at   ${big}     NOT NULL              -- about when it was last used
) ${rows};

-- What SQLite's planner is to assume about the tables that grow: else it takes records of a tenant to be as few as those of a key.
@sqlite ANALYZE ${schema}.${prefix}audit;
@sqlite INSERT INTO ${schema}.sqlite_stat1 (tbl, idx, stat) VALUES
@sqlite   ('${prefix}audit', '${prefix}audit_tenant', '1000000 100000'),
@sqlite   ('${prefix}audit', '${prefix}audit_key', '1000000 100000 1000'),
@sqlite   ('${prefix}audit', '${prefix}audit_action', '10000 5000 500'),
@sqlite   ('${prefix}run', '${prefix}run_tenant', '1000000 100000'),
@sqlite   ('${prefix}run', '${prefix}run_key', '1000000 100000 1000'),
@sqlite   ('${prefix}run', '${prefix}run_job', '1000000 100000 10000');
