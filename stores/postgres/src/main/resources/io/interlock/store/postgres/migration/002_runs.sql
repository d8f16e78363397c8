-- Runs beside leases, in one key space: tables, and the words functions about runs use among themselves.
--
-- A run's lock is the lease row of its key. Beside the lease that row says for whom the key is kept, and when somebody has
-- to look at the key although nobody asks about it. Whatever is said about a run is changed under the lock of that row.

ALTER TABLE ${schema}.${prefix}lease
    ADD COLUMN reserved_run   uuid,             -- the key is kept for this run; then nobody has it
    ADD COLUMN reserved_since timestamptz,
    ADD COLUMN offer_until    timestamptz,      -- when it lapses, if the run's caller has to take it; null: a worker will
    ADD COLUMN grace          interval,         -- null unless a RUNNING run works under the lease: its verdict comes so late
    ADD COLUMN overdue_at     timestamptz,      -- from when on that run's lease is not renewed any more
    ADD COLUMN due_at         timestamptz,      -- not before then does time alone change anything here
    ADD COLUMN max_running    integer,          -- only the tenant's limit keeps its line waiting: look once fewer are under way
    ADD CHECK ((reserved_run IS NULL) = (reserved_since IS NULL)),
    ADD CHECK (reserved_run IS NULL OR lease_id IS NULL);

-- Beats do not move due_at each time, so that most of them change no indexed column and stay within their page.
CREATE INDEX ${prefix}lease_due ON ${schema}.${prefix}lease (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ${prefix}lease_limited ON ${schema}.${prefix}lease ((tenant || ''), max_running)
    WHERE max_running IS NOT NULL;

CREATE SEQUENCE ${schema}.${prefix}run_number;

-- Times that are lengths are microseconds.
CREATE TABLE ${schema}.${prefix}run (
    id              uuid PRIMARY KEY,
    tenant          text COLLATE "C" NOT NULL,
    name            text COLLATE "C" NOT NULL,
    number          bigint NOT NULL,
    submitted_at    timestamptz NOT NULL,
    -- what was asked for; never changes
    job             text COLLATE "C" NOT NULL,
    policy          text NOT NULL,
    execution       text NOT NULL CHECK (execution IN ('WORKER', 'CALLER')),
    priority        integer NOT NULL,
    parameters      text NOT NULL,
    labels          text[] NOT NULL,            -- name, value, name, value
    ttl             bigint NOT NULL,
    lock_delay      bigint NOT NULL,
    max_wait        bigint,
    max_runtime     bigint,
    expiry_grace    bigint NOT NULL,
    retry_attempts  integer NOT NULL,
    retry_backoff   bigint NOT NULL,
    retry_multiplier double precision NOT NULL,
    retry_longest   bigint NOT NULL,
    guard_kind      text,                       -- null: it moves no resource
    guard_from      text[],
    guard_during    text,
    guard_success   text,
    guard_failure   text,
    submitter       text NOT NULL,
    reason          text,
    correlation     text,
    trace           text,
    queue_cap       integer NOT NULL,
    max_running     integer NOT NULL,
    -- where it stands
    state           text NOT NULL CHECK (state IN
        ('QUEUED', 'PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'ABORTED', 'TIMED_OUT', 'DEAD')),
    since           timestamptz NOT NULL,
    attempts        integer NOT NULL,
    not_before      timestamptz,
    waiter_seen     timestamptz,
    waiter_missed   boolean,
    turn_attempt    integer,
    turn_lease      uuid,
    turn_token      bigint,
    turn_instance   text,
    turn_label      text,
    turn_since      timestamptz,
    turn_claim      uuid,                       -- the claim that took it
    stages          text[] NOT NULL,
    stage_times     timestamptz[] NOT NULL,
    progress_done   bigint NOT NULL,
    progress_total  bigint,
    stop_code       text,
    stop_actor      text,
    stop_reason     text,
    stop_at         timestamptz,
    result          text,
    error_code      text,
    error_message   text,
    due_at          timestamptz,                -- while it waits: when time alone may change something about it
    CHECK (state <> 'RUNNING' OR turn_token IS NOT NULL)
) WITH (fillfactor = 85);

-- Before the server knows how its tables are filled, one index seems as good as another to it. So whatever is over many runs is
-- over (tenant || '') or (state || ''), and only what is written so can be looked up there.

-- The second guard, independent of the lease row: whatever went wrong there, a key has one run under way.
CREATE UNIQUE INDEX ${prefix}run_one_per_key ON ${schema}.${prefix}run (tenant, name)
    WHERE state IN ('PENDING', 'RUNNING');
CREATE INDEX ${prefix}run_line ON ${schema}.${prefix}run (tenant, name, due_at) WHERE state IN ('QUEUED', 'PENDING');
CREATE INDEX ${prefix}run_limited ON ${schema}.${prefix}run (tenant, name)
    WHERE state = 'QUEUED' AND max_running < 2147483647;
CREATE INDEX ${prefix}run_pending ON ${schema}.${prefix}run ((tenant || ''), job, priority, number)
    WHERE state || '' = 'PENDING';
CREATE INDEX ${prefix}run_claimed ON ${schema}.${prefix}run (turn_claim)
    WHERE state = 'RUNNING' AND turn_claim IS NOT NULL;
CREATE INDEX ${prefix}run_past ON ${schema}.${prefix}run (tenant, name, since)
    WHERE state || '' = 'SUCCEEDED';
CREATE INDEX ${prefix}run_list ON ${schema}.${prefix}run ((tenant || ''), number);
CREATE INDEX ${prefix}run_list_of_key ON ${schema}.${prefix}run ((tenant || ''), name, number);
CREATE INDEX ${prefix}run_list_by_state ON ${schema}.${prefix}run ((tenant || ''), (state || ''), number)
    WHERE state <> 'SUCCEEDED';

-- Attempts that are over.
CREATE TABLE ${schema}.${prefix}attempt (
    run_id        uuid NOT NULL,
    attempt       integer NOT NULL,
    lease_id      uuid NOT NULL,
    token         bigint NOT NULL,
    instance      text NOT NULL,
    label         text NOT NULL,
    started_at    timestamptz NOT NULL,
    ended_at      timestamptz NOT NULL,
    next          text NOT NULL,
    error_code    text,
    error_message text,
    PRIMARY KEY (run_id, attempt)
);

CREATE TABLE ${schema}.${prefix}resource (
    tenant  text COLLATE "C" NOT NULL,
    name    text COLLATE "C" NOT NULL,
    kind    text NOT NULL,
    state   text NOT NULL,
    version bigint NOT NULL,
    owner   uuid,
    PRIMARY KEY (tenant, name)
);

CREATE TABLE ${schema}.${prefix}pause (
    tenant  text COLLATE "C" NOT NULL,
    pattern text COLLATE "C" NOT NULL,
    actor   text NOT NULL,
    reason  text NOT NULL,
    since   timestamptz NOT NULL,
    until   timestamptz,
    PRIMARY KEY (tenant, pattern)
);

-- What a tenant submitted under an idempotency key.
CREATE TABLE ${schema}.${prefix}remembered (
    tenant      text COLLATE "C" NOT NULL,
    name        text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    run_id      uuid NOT NULL,
    until       timestamptz NOT NULL,
    PRIMARY KEY (tenant, name)
);
CREATE INDEX ${prefix}remembered_until ON ${schema}.${prefix}remembered (until);

CREATE TABLE ${schema}.${prefix}audit (
    seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          timestamptz NOT NULL,
    tenant      text COLLATE "C" NOT NULL,
    name        text COLLATE "C" NOT NULL,
    run_id      uuid,
    token       bigint,
    actor       text NOT NULL,
    action      text NOT NULL,
    before      text NOT NULL,
    after       text NOT NULL,
    reason      text NOT NULL,
    correlation text
);
CREATE INDEX ${prefix}audit_of_key ON ${schema}.${prefix}audit (tenant, name, seq);

-- Why a key cannot be had: held, delayed, recovering, reserved, paused, probe, ahead, full, tenant, state; null: it can be
-- had. The lease of held, delayed and probe is the one in the key's row.
CREATE TYPE ${schema}.${prefix}refusal AS (
    word    text,
    until   timestamptz,
    run     uuid,
    job     text,
    since   timestamptz,
    waiting integer,
    most    integer,
    state   text,
    allowed text[],
    pause   ${schema}.${prefix}pause
);

-- What functions about runs answer with. mark: until when somebody waits for the key, so that a wake-up is sent.
CREATE TYPE ${schema}.${prefix}run_answer AS (
    request  integer,
    verdict  text,
    at       timestamptz,
    mark     timestamptz,
    position integer,
    length   bigint,
    refusal  ${schema}.${prefix}refusal,
    lease    ${schema}.${prefix}lease,
    run      ${schema}.${prefix}run
);

-- Something that settling a key did.
CREATE TYPE ${schema}.${prefix}action AS (
    run   uuid,
    state text,
    why   text
);

-- What a step has to know beside its keys, read after they were locked.
CREATE TYPE ${schema}.${prefix}facts AS (
    at     timestamptz,
    epoch  integer,
    floor  bigint,
    quiet  timestamptz,     -- nothing is granted before; null if that is over
    paused boolean,         -- whether there are any pauses
    sure   boolean          -- whether the keys are locked; if not, nothing may be granted or written
);

-- A key in the middle of a step: its row as the step leaves it, and what holds for it.
CREATE TYPE ${schema}.${prefix}room AS (
    lease ${schema}.${prefix}lease,
    facts ${schema}.${prefix}facts,
    pause ${schema}.${prefix}pause,
    next  ${schema}.${prefix}run,       -- whose turn it is, where a function says so
    done  ${schema}.${prefix}action[]
);

ALTER TYPE ${schema}.${prefix}answer ADD ATTRIBUTE refusal ${schema}.${prefix}refusal;

-- Plans are made once for a session, maybe while the tables are still empty, and must be good when they are full: so they go
-- from row to row by index, and nothing is compiled for that.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}prepare_step(p_patience integer)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'interlock needs READ COMMITTED, not %', current_setting('transaction_isolation')
            USING ERRCODE = 'IL001';
    END IF;
    PERFORM set_config('lock_timeout', p_patience || 'ms', true), set_config('plan_cache_mode', 'force_generic_plan', true),
            set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
            set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true),
            set_config('jit', 'off', true);
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION ${schema}.${prefix}say(p_request integer, p_verdict text, p_at timestamptz,
                                                  p_until timestamptz, p_row ${schema}.${prefix}lease)
RETURNS ${schema}.${prefix}answer LANGUAGE sql IMMUTABLE AS $$
    SELECT ROW (p_request, p_verdict, p_at, p_until, p_row.tenant, p_row.name, p_row.lease_id, p_row.instance,
                p_row.label, p_row.run_id, p_row.token, p_row.granted_at, p_row.expires_at, p_row.evicted_by,
                p_row.evict_reason, p_row.evicted_at, NULL)::${schema}.${prefix}answer
$$;

CREATE OR REPLACE FUNCTION ${schema}.${prefix}write(p_rows ${schema}.${prefix}lease[], p_changed boolean[])
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    UPDATE ${schema}.${prefix}lease l
    SET lease_id = c.lease_id, instance = c.instance, label = c.label, run_id = c.run_id, token = c.token,
        granted_at = c.granted_at, expires_at = c.expires_at, lock_delay = c.lock_delay, evicted_by = c.evicted_by,
        evict_reason = c.evict_reason, evicted_at = c.evicted_at, waiters_until = c.waiters_until, freed_at = c.freed_at,
        probed = c.probed, reserved_run = c.reserved_run, reserved_since = c.reserved_since, offer_until = c.offer_until,
        grace = c.grace, overdue_at = c.overdue_at, due_at = c.due_at, max_running = c.max_running
    FROM unnest(p_rows) WITH ORDINALITY c
    WHERE l.tenant = c.tenant AND l.name = c.name AND p_changed[c.ordinality];
END $$;

CREATE OR REPLACE FUNCTION ${schema}.${prefix}freed(p_row ${schema}.${prefix}lease, p_at timestamptz)
RETURNS ${schema}.${prefix}lease LANGUAGE sql IMMUTABLE AS $$
    SELECT ROW (p_row.tenant, p_row.name, NULL, NULL, NULL, NULL, p_row.token, NULL, NULL, '0'::interval, NULL, NULL, NULL,
                p_row.waiters_until, p_at, false, p_row.reserved_run, p_row.reserved_since, p_row.offer_until, NULL, NULL,
                p_row.due_at, p_row.max_running)::${schema}.${prefix}lease
$$;
