-- Leases, and one function per verb. Each function takes a batch and is one statement, one round trip, one commit.
--
-- The rules every function keeps, in the order of its statements:
--   1. decide what can be refused by a plain read: no row lock, no write;
--   2. lock the rows, in the order (tenant, name) COLLATE "C";
--   3. read the clock, in a later statement: anything evaluated in the statement that waits is older than the lock;
--   4. decide, then write.
-- Nothing here relies on the state of a session, so a pooler in transaction mode may stand in between. What is called from
-- outside sets the search path, so that nobody's functions and operators are taken for those of PostgreSQL.

CREATE TABLE ${schema}.${prefix}lease (
    tenant        text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    lease_id      uuid,                         -- null: nobody has the key; the row stays for its token
    instance      text,
    label         text,
    run_id        uuid,
    token         bigint NOT NULL DEFAULT 0 CHECK (token BETWEEN 0 AND 9007199254740991),
    granted_at    timestamptz,
    expires_at    timestamptz,
    lock_delay    interval NOT NULL DEFAULT '0',
    evicted_by    text,
    evict_reason  text,
    evicted_at    timestamptz,
    waiters_until timestamptz,                  -- somebody waits, so a release sends a wake-up
    freed_at      timestamptz,                  -- since when nobody has the key
    probed        boolean NOT NULL DEFAULT false, -- whoever succeeds it looks outside first, so no sweep clears it
    PRIMARY KEY (tenant, name),
    CHECK ((lease_id IS NULL) = (freed_at IS NOT NULL)),
    CHECK (lease_id IS NULL OR (instance IS NOT NULL AND label IS NOT NULL AND token > 0
        AND granted_at IS NOT NULL AND expires_at IS NOT NULL)),
    CHECK ((evicted_by IS NULL) = (evicted_at IS NULL) AND (evict_reason IS NULL) = (evicted_at IS NULL))
) WITH (fillfactor = 80);

-- Not on expires_at: a renewal then changes no indexed column and stays within its page.
CREATE INDEX ${prefix}lease_held ON ${schema}.${prefix}lease (tenant, name) WHERE lease_id IS NOT NULL;
CREATE INDEX ${prefix}lease_idle ON ${schema}.${prefix}lease (freed_at) WHERE lease_id IS NULL;

-- One row: which server this is, and what must outlive the rows above.
CREATE TABLE ${schema}.${prefix}store (
    one               boolean PRIMARY KEY DEFAULT true CHECK (one),
    system_identifier text,
    timeline          text,
    epoch             integer NOT NULL DEFAULT 0 CHECK (epoch BETWEEN 0 AND 2047),
    max_lease         interval NOT NULL DEFAULT '0',
    no_grant_before   timestamptz NOT NULL DEFAULT '-infinity',
    token_floor       bigint NOT NULL DEFAULT 0
);

INSERT INTO ${schema}.${prefix}store DEFAULT VALUES;

-- What every function answers with: a verdict about one key of one request, and the lease it is about.
CREATE TYPE ${schema}.${prefix}answer AS (
    request      integer,
    verdict      text,
    at           timestamptz,
    until        timestamptz,
    tenant       text,
    name         text,
    lease_id     uuid,
    instance     text,
    label        text,
    run_id       uuid,
    token        bigint,
    granted_at   timestamptz,
    expires_at   timestamptz,
    evicted_by   text,
    evict_reason text,
    evicted_at   timestamptz
);

CREATE FUNCTION ${schema}.${prefix}say(p_request integer, p_verdict text, p_at timestamptz, p_until timestamptz,
                                       p_row ${schema}.${prefix}lease)
RETURNS ${schema}.${prefix}answer LANGUAGE sql IMMUTABLE AS $$
    SELECT ROW (p_request, p_verdict, p_at, p_until, p_row.tenant, p_row.name, p_row.lease_id, p_row.instance,
                p_row.label, p_row.run_id, p_row.token, p_row.granted_at, p_row.expires_at, p_row.evicted_by,
                p_row.evict_reason, p_row.evicted_at)::${schema}.${prefix}answer
$$;

-- Grants hold it shared, a new epoch takes it exclusively: so every grant is before or after an epoch, never across.
CREATE FUNCTION ${schema}.${prefix}latch() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended('interlock ${schema}.${prefix}', 4711)
$$;

-- The timeline the server writes on now; pg_control_checkpoint() still shows the old one right after a promotion.
CREATE FUNCTION ${schema}.${prefix}timeline() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)
$$;

-- Binds what a transaction needs to that transaction. A weaker synchronous_commit would lose acknowledged grants.
CREATE FUNCTION ${schema}.${prefix}prepare_step(p_patience integer) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'interlock needs READ COMMITTED, not %', current_setting('transaction_isolation')
            USING ERRCODE = 'IL001';
    END IF;
    -- The plans are always the same, by primary key; making them anew for every call costs more than running them.
    PERFORM set_config('lock_timeout', p_patience || 'ms', true), set_config('plan_cache_mode', 'force_generic_plan', true);
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
END $$;

-- The token the clock gives in an epoch, and the next one of a key; TokenLayout in Java says the same.
CREATE FUNCTION ${schema}.${prefix}token_by_clock(p_epoch integer, p_at timestamptz)
RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT (p_epoch::bigint << 42)
        | (greatest(1, floor(extract(epoch FROM p_at) * 1000)::bigint - 1735689600000) & ((1::bigint << 42) - 1))
$$;

-- Locks rows and returns them by the number of their key; null where there is no row, or, in company, where somebody
-- else has it locked. Alone, it waits.
CREATE FUNCTION ${schema}.${prefix}hold(p_tenants text[], p_names text[], p_wanted boolean[], p_alone boolean)
RETURNS ${schema}.${prefix}lease[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_held ${schema}.${prefix}lease[] := array_fill(NULL::${schema}.${prefix}lease, ARRAY[cardinality(p_tenants)]);
    v_item record;
BEGIN
    IF p_alone THEN
        FOR v_item IN
            SELECT u.key, l AS row FROM unnest(p_tenants, p_names, p_wanted) WITH ORDINALITY u(tenant, name, wanted, key)
            JOIN ${schema}.${prefix}lease l ON l.tenant = u.tenant AND l.name = u.name
            WHERE u.wanted ORDER BY l.tenant, l.name FOR UPDATE OF l
        LOOP
            v_held[v_item.key] := v_item.row;
        END LOOP;
    ELSE
        FOR v_item IN
            SELECT u.key, l AS row FROM unnest(p_tenants, p_names, p_wanted) WITH ORDINALITY u(tenant, name, wanted, key)
            JOIN ${schema}.${prefix}lease l ON l.tenant = u.tenant AND l.name = u.name
            WHERE u.wanted ORDER BY l.tenant, l.name FOR UPDATE OF l SKIP LOCKED
        LOOP
            v_held[v_item.key] := v_item.row;
        END LOOP;
    END IF;
    RETURN v_held;
END $$;

-- Writes back rows that are locked by this transaction.
CREATE FUNCTION ${schema}.${prefix}write(p_rows ${schema}.${prefix}lease[], p_changed boolean[])
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    UPDATE ${schema}.${prefix}lease l
    SET lease_id = c.lease_id, instance = c.instance, label = c.label, run_id = c.run_id, token = c.token,
        granted_at = c.granted_at, expires_at = c.expires_at, lock_delay = c.lock_delay, evicted_by = c.evicted_by,
        evict_reason = c.evict_reason, evicted_at = c.evicted_at, waiters_until = c.waiters_until, freed_at = c.freed_at,
        probed = c.probed
    FROM unnest(p_rows) WITH ORDINALITY c
    WHERE l.tenant = c.tenant AND l.name = c.name AND p_changed[c.ordinality];
END $$;

-- The row of a key nobody has any more. Its token stays, and so does the mark of whoever waits.
CREATE FUNCTION ${schema}.${prefix}freed(p_row ${schema}.${prefix}lease, p_at timestamptz)
RETURNS ${schema}.${prefix}lease LANGUAGE sql IMMUTABLE AS $$
    SELECT ROW (p_row.tenant, p_row.name, NULL, NULL, NULL, NULL, p_row.token, NULL, NULL, '0'::interval, NULL, NULL, NULL,
                p_row.waiters_until, p_at, false)::${schema}.${prefix}lease
$$;

-- Why a key cannot be granted at a time; null if it can.
CREATE FUNCTION ${schema}.${prefix}obstacle(p_row ${schema}.${prefix}lease, p_at timestamptz, p_ask boolean, p_cleared bigint)
RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN (p_row).lease_id IS NULL THEN NULL
        WHEN (p_row).expires_at > p_at THEN 'held'
        WHEN (p_row).expires_at + (p_row).lock_delay > p_at THEN 'delayed'
        WHEN p_ask AND (p_row).evicted_at IS NULL AND (p_row).token IS DISTINCT FROM p_cleared THEN 'probe'
    END
$$;

-- Grants what is free.
--   p_tenants, p_names  the keys of the whole batch, sorted, each once
--   p_first             where the keys of request i begin in p_keys; one more entry than requests
--   p_keys, p_cleared   numbers into p_tenants; the token the asker has looked after, or null
-- Verdicts: granted (followed by taken, if a lease had ended by itself), held, delayed, probe, recovering, open (somebody
-- else has a row locked), reattach (the server is not the one the store knows: nothing may be granted).
CREATE FUNCTION ${schema}.${prefix}acquire(
    p_patience integer, p_tenants text[], p_names text[], p_ids uuid[], p_instances text[], p_labels text[],
    p_runs uuid[], p_ttls bigint[], p_delays bigint[], p_waits boolean[], p_asks boolean[], p_first integer[],
    p_keys integer[], p_cleared bigint[])
RETURNS SETOF ${schema}.${prefix}answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    c_mark      CONSTANT interval := '60 s';
    c_refresh   CONSTANT interval := '30 s';
    v_count     CONSTANT integer := cardinality(p_ids);
    v_none      CONSTANT boolean[] := array_fill(false, ARRAY[cardinality(p_tenants)]);
    v_rows      ${schema}.${prefix}lease[] := array_fill(NULL::${schema}.${prefix}lease, ARRAY[cardinality(p_tenants)]);
    v_wanted    boolean[] := v_none;
    v_changed   boolean[] := v_none;
    v_pending   integer[] := '{}';
    v_store     ${schema}.${prefix}store;
    v_row       ${schema}.${prefix}lease;
    v_taken     ${schema}.${prefix}lease;
    v_item      record;
    v_at        timestamptz;
    v_verdict   text;
    v_own       boolean;
    v_locked    boolean;
    v_tries     integer := 0;
    i           integer;
    j           integer;
    k           integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);

    -- 1. A plain read. It may refuse, and never grants.
    SELECT s.* INTO STRICT v_store FROM ${schema}.${prefix}store s;
    FOR v_item IN
        SELECT u.key, l AS row FROM unnest(p_tenants, p_names) WITH ORDINALITY u(tenant, name, key)
        JOIN ${schema}.${prefix}lease l ON l.tenant = u.tenant AND l.name = u.name
    LOOP
        v_rows[v_item.key] := v_item.row;
    END LOOP;
    v_at := clock_timestamp();
    FOR i IN 1..v_count LOOP
        v_own := true;
        v_locked := false;
        FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
            k := p_keys[j];
            v_locked := v_locked OR v_wanted[k];    -- an earlier request decides first
            v_own := v_own AND (v_rows[k].lease_id = p_ids[i]) IS TRUE;
        END LOOP;
        v_verdict := NULL;
        IF NOT v_locked AND NOT v_own THEN
            IF v_at < v_store.no_grant_before THEN
                v_verdict := 'recovering';
                v_row := NULL;
                v_row.tenant := p_tenants[p_keys[p_first[i]]];
                v_row.name := p_names[p_keys[p_first[i]]];
            ELSE
                FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
                    v_row := v_rows[p_keys[j]];
                    v_verdict := ${schema}.${prefix}obstacle(v_row, v_at, p_asks[i], p_cleared[j]);
                    EXIT WHEN v_verdict IS NOT NULL;
                END LOOP;
                -- Whoever waits without a mark must leave one under the row lock, or the release in between wakes nobody.
                IF v_verdict IS NOT NULL AND p_waits[i]
                    AND (v_row.waiters_until > v_at + c_refresh) IS NOT TRUE THEN
                    v_verdict := NULL;
                END IF;
            END IF;
        END IF;
        IF v_verdict IS NOT NULL THEN
            RETURN NEXT ${schema}.${prefix}say(i, v_verdict, v_at, CASE v_verdict
                WHEN 'recovering' THEN v_store.no_grant_before
                WHEN 'delayed' THEN v_row.expires_at + v_row.lock_delay END, v_row);
        ELSE
            v_pending := v_pending || i;
            FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
                v_wanted[p_keys[j]] := true;
            END LOOP;
        END IF;
    END LOOP;
    IF cardinality(v_pending) = 0 THEN
        RETURN;
    END IF;

    -- 2. Locks: first the epoch, then the rows.
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    SELECT s.* INTO STRICT v_store FROM ${schema}.${prefix}store s;
    IF v_store.timeline IS DISTINCT FROM ${schema}.${prefix}timeline() THEN
        FOREACH i IN ARRAY v_pending LOOP
            RETURN NEXT ${schema}.${prefix}say(i, 'reattach', v_at, NULL, NULL);
        END LOOP;
        RETURN;
    END IF;
    LOOP
        -- Only rows that were missing: for a row that somebody is changing, INSERT would wait.
        INSERT INTO ${schema}.${prefix}lease (tenant, name, freed_at)
        SELECT u.tenant, u.name, clock_timestamp()
        FROM unnest(p_tenants, p_names, v_wanted) WITH ORDINALITY u(tenant, name, wanted, key)
        WHERE u.wanted AND v_rows[u.key].tenant IS NULL
        ORDER BY u.tenant COLLATE "C", u.name COLLATE "C"
        ON CONFLICT DO NOTHING;
        v_rows := ${schema}.${prefix}hold(p_tenants, p_names, v_wanted, v_count = 1);
        -- Alone, a row can be missing only because a sweep forgot it between the two statements.
        EXIT WHEN v_count > 1 OR NOT EXISTS (
            SELECT FROM unnest(v_wanted) WITH ORDINALITY u(wanted, key) WHERE u.wanted AND v_rows[u.key].tenant IS NULL);
        v_tries := v_tries + 1;
        IF v_tries = 5 THEN
            RAISE EXCEPTION 'rows vanish as fast as they are made' USING ERRCODE = 'serialization_failure';
        END IF;
    END LOOP;

    -- 3. The token floor of rows that are gone, and the clock: both after the locks.
    SELECT s.* INTO STRICT v_store FROM ${schema}.${prefix}store s;
    v_at := clock_timestamp();

    -- 4. Decide, request by request.
    FOREACH i IN ARRAY v_pending LOOP
        v_own := true;
        v_locked := true;
        v_verdict := NULL;
        v_taken := NULL;
        FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
            v_row := v_rows[p_keys[j]];
            v_locked := v_locked AND v_row.tenant IS NOT NULL;
            v_own := v_own AND (v_row.lease_id = p_ids[i] AND v_row.expires_at > v_at AND v_row.evicted_at IS NULL) IS TRUE;
        END LOOP;
        IF NOT v_locked THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'open', v_at, NULL, NULL);
            CONTINUE;
        ELSIF v_own THEN
            FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
                RETURN NEXT ${schema}.${prefix}say(i, 'granted', v_at, NULL, v_rows[p_keys[j]]);
            END LOOP;
            CONTINUE;
        ELSIF v_at < v_store.no_grant_before THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'recovering', v_at, v_store.no_grant_before, v_rows[p_keys[p_first[i]]]);
            CONTINUE;
        END IF;
        FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
            k := p_keys[j];
            v_verdict := ${schema}.${prefix}obstacle(v_rows[k], v_at, p_asks[i], p_cleared[j]);
            EXIT WHEN v_verdict IS NOT NULL;
        END LOOP;
        IF v_verdict IS NOT NULL THEN
            v_row := v_rows[k];
            RETURN NEXT ${schema}.${prefix}say(i, v_verdict, v_at,
                CASE v_verdict WHEN 'delayed' THEN v_row.expires_at + v_row.lock_delay END, v_row);
            IF p_waits[i] AND (v_row.waiters_until > v_at + c_refresh) IS NOT TRUE THEN
                v_row.waiters_until := v_at + c_mark;
                v_rows[k] := v_row;
                v_changed[k] := true;
            END IF;
            CONTINUE;
        END IF;
        FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
            k := p_keys[j];
            v_taken := v_rows[k];
            v_row := v_taken;
            v_row.lease_id := p_ids[i];
            v_row.instance := p_instances[i];
            v_row.label := p_labels[i];
            v_row.run_id := p_runs[i];
            v_row.token := greatest(${schema}.${prefix}token_by_clock(v_store.epoch, v_at),
                                    v_taken.token + 1, v_store.token_floor + 1);
            v_row.granted_at := v_at;
            v_row.expires_at := v_at + p_ttls[i] * interval '1 microsecond';
            v_row.lock_delay := p_delays[i] * interval '1 microsecond';
            v_row.evicted_by := NULL;
            v_row.evict_reason := NULL;
            v_row.evicted_at := NULL;
            v_row.freed_at := NULL;
            v_row.probed := p_asks[i];
            v_rows[k] := v_row;
            v_changed[k] := true;
            RETURN NEXT ${schema}.${prefix}say(i, 'granted', v_at, NULL, v_row);
            IF v_taken.lease_id IS NOT NULL THEN
                RETURN NEXT ${schema}.${prefix}say(i, 'taken', v_at, NULL, v_taken);
            END IF;
        END LOOP;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;
END $$;

-- Extends leases that are live. Verdicts: renewed, expired, evicted, gone, open.
CREATE FUNCTION ${schema}.${prefix}renew(p_patience integer, p_tenants text[], p_names text[], p_keys integer[],
                                         p_ids uuid[], p_tokens bigint[], p_ttls bigint[])
RETURNS SETOF ${schema}.${prefix}answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_rows    ${schema}.${prefix}lease[];
    v_changed boolean[] := array_fill(false, ARRAY[cardinality(p_tenants)]);
    v_row     ${schema}.${prefix}lease;
    v_at      timestamptz;
    i         integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    v_rows := ${schema}.${prefix}hold(p_tenants, p_names, array_fill(true, ARRAY[cardinality(p_tenants)]),
                                      cardinality(p_ids) = 1);
    v_at := clock_timestamp();
    FOR i IN 1..cardinality(p_ids) LOOP
        v_row := v_rows[p_keys[i]];
        -- Alone, it has waited: a row that is there by now was made after this lease's row was gone.
        IF v_row.tenant IS NULL AND cardinality(p_ids) > 1 AND EXISTS (
            SELECT FROM ${schema}.${prefix}lease l
            WHERE l.tenant = p_tenants[p_keys[i]] AND l.name = p_names[p_keys[i]]) THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'open', v_at, NULL, NULL);
        ELSIF (v_row.lease_id = p_ids[i] AND v_row.token = p_tokens[i]) IS NOT TRUE THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'gone', v_at, NULL, v_row);
        ELSIF v_row.evicted_at IS NOT NULL THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'evicted', v_at, NULL, v_row);
        ELSIF v_row.expires_at <= v_at THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'expired', v_at, NULL, v_row);
        ELSE
            v_row.expires_at := greatest(v_row.expires_at, v_at + p_ttls[i] * interval '1 microsecond');
            v_rows[p_keys[i]] := v_row;
            v_changed[p_keys[i]] := true;
            RETURN NEXT ${schema}.${prefix}say(i, 'renewed', v_at, NULL, v_row);
        END IF;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;
END $$;

-- Ends leases whose holder is done. Verdicts: released, lapsed, gone, open; until = the mark of whoever waits.
CREATE FUNCTION ${schema}.${prefix}release(p_patience integer, p_tenants text[], p_names text[], p_keys integer[],
                                           p_ids uuid[], p_tokens bigint[])
RETURNS SETOF ${schema}.${prefix}answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_rows    ${schema}.${prefix}lease[];
    v_changed boolean[] := array_fill(false, ARRAY[cardinality(p_tenants)]);
    v_row     ${schema}.${prefix}lease;
    v_at      timestamptz;
    i         integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    v_rows := ${schema}.${prefix}hold(p_tenants, p_names, array_fill(true, ARRAY[cardinality(p_tenants)]),
                                      cardinality(p_ids) = 1);
    v_at := clock_timestamp();
    FOR i IN 1..cardinality(p_ids) LOOP
        v_row := v_rows[p_keys[i]];
        -- Alone, it has waited: a row that is there by now was made after this lease's row was gone.
        IF v_row.tenant IS NULL AND cardinality(p_ids) > 1 AND EXISTS (
            SELECT FROM ${schema}.${prefix}lease l
            WHERE l.tenant = p_tenants[p_keys[i]] AND l.name = p_names[p_keys[i]]) THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'open', v_at, NULL, NULL);
        ELSIF (v_row.lease_id = p_ids[i] AND v_row.token = p_tokens[i]) IS NOT TRUE THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'gone', v_at, NULL, v_row);
        ELSE
            RETURN NEXT ${schema}.${prefix}say(i,
                CASE WHEN v_row.expires_at > v_at AND v_row.evicted_at IS NULL THEN 'released' ELSE 'lapsed' END,
                v_at, v_row.waiters_until, v_row);
            v_rows[p_keys[i]] := ${schema}.${prefix}freed(v_row, v_at);
            v_changed[p_keys[i]] := true;
        END IF;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;
END $$;

-- Takes a lease away by force. Verdicts: evicted (until = when the key opens), mismatch.
CREATE FUNCTION ${schema}.${prefix}evict(p_patience integer, p_tenant text, p_name text, p_expected bigint, p_actor text,
                                         p_reason text)
RETURNS SETOF ${schema}.${prefix}answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_row ${schema}.${prefix}lease;
    v_at  timestamptz;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    v_row := (${schema}.${prefix}hold(ARRAY[p_tenant], ARRAY[p_name], ARRAY[true], true))[1];
    v_at := clock_timestamp();
    IF (v_row.lease_id IS NOT NULL AND v_row.token = p_expected) IS NOT TRUE THEN
        RETURN NEXT ${schema}.${prefix}say(1, 'mismatch', v_at, NULL, v_row);
        RETURN;
    END IF;
    IF v_row.evicted_at IS NULL THEN
        v_row.evicted_by := p_actor;
        v_row.evict_reason := p_reason;
        v_row.evicted_at := v_at;
        PERFORM ${schema}.${prefix}write(ARRAY[v_row], ARRAY[true]);
    END IF;
    RETURN NEXT ${schema}.${prefix}say(1, 'evicted', v_at, v_row.expires_at + v_row.lock_delay, v_row);
END $$;

-- The leases of these keys, also those that ended by themselves.
CREATE FUNCTION ${schema}.${prefix}find(p_tenants text[], p_names text[])
RETURNS SETOF ${schema}.${prefix}answer LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.* FROM unnest(p_tenants, p_names) WITH ORDINALITY u(tenant, name, request)
    JOIN ${schema}.${prefix}lease l ON l.tenant = u.tenant AND l.name = u.name AND l.lease_id IS NOT NULL
    CROSS JOIN LATERAL ${schema}.${prefix}say(u.request::integer, 'found', clock_timestamp(), NULL, l) a
$$;

-- Leases that have not ended, in the order of their keys.
CREATE FUNCTION ${schema}.${prefix}list(p_tenant text, p_prefix text, p_after_tenant text, p_after_name text, p_limit integer)
RETURNS SETOF ${schema}.${prefix}answer LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.* FROM (
        SELECT l AS r, clock_timestamp() AS at FROM ${schema}.${prefix}lease l
        WHERE l.lease_id IS NOT NULL AND l.expires_at > clock_timestamp()
            AND (p_tenant IS NULL OR l.tenant = p_tenant) AND starts_with(l.name, p_prefix)
            AND (p_after_tenant IS NULL OR (l.tenant, l.name) > (p_after_tenant, p_after_name))
        ORDER BY l.tenant, l.name LIMIT p_limit) f
    CROSS JOIN LATERAL ${schema}.${prefix}say(0, 'found', f.at, NULL, f.r) a
    ORDER BY a.tenant COLLATE "C", a.name COLLATE "C"
$$;

-- Clears leases that ended by themselves, and forgets keys nobody used for a day. Rows locked by others are left alone.
-- Verdict: swept; until = the mark of whoever waits.
CREATE FUNCTION ${schema}.${prefix}sweep(p_patience integer, p_limit integer)
RETURNS SETOF ${schema}.${prefix}answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_rows    ${schema}.${prefix}lease[];
    v_changed boolean[];
    v_row     ${schema}.${prefix}lease;
    v_at      timestamptz;
    v_floor   bigint;
    i         integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    v_rows := ARRAY(
        SELECT l FROM ${schema}.${prefix}lease l
        WHERE l.lease_id IS NOT NULL AND l.expires_at + l.lock_delay <= clock_timestamp()
            AND (NOT l.probed OR l.evicted_at IS NOT NULL)
        ORDER BY l.tenant, l.name LIMIT p_limit FOR UPDATE SKIP LOCKED);
    v_at := clock_timestamp();
    v_changed := array_fill(false, ARRAY[cardinality(v_rows)]);
    FOR i IN 1..cardinality(v_rows) LOOP
        v_row := v_rows[i];
        IF v_row.lease_id IS NOT NULL AND v_row.expires_at + v_row.lock_delay <= v_at
            AND (NOT v_row.probed OR v_row.evicted_at IS NOT NULL) THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'swept', v_at, v_row.waiters_until, v_row);
            v_rows[i] := ${schema}.${prefix}freed(v_row, v_at);
            v_changed[i] := true;
        END IF;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;

    -- A row may go only if its token is below what the clock gives: then the next grant of the key is greater anyway,
    -- and the floor keeps it so should the clock be set back.
    WITH idle AS (
        SELECT l.tenant, l.name FROM ${schema}.${prefix}lease l
        WHERE l.lease_id IS NULL AND l.freed_at < v_at - interval '24 hours'
            AND l.token < ${schema}.${prefix}token_by_clock((SELECT s.epoch FROM ${schema}.${prefix}store s), v_at)
        ORDER BY l.tenant, l.name LIMIT p_limit FOR UPDATE SKIP LOCKED
    ), forgotten AS (
        DELETE FROM ${schema}.${prefix}lease l USING idle
        WHERE l.tenant = idle.tenant AND l.name = idle.name RETURNING l.token
    )
    SELECT max(f.token) INTO v_floor FROM forgotten f;
    IF v_floor > 0 THEN
        UPDATE ${schema}.${prefix}store SET token_floor = greatest(token_floor, v_floor);
    END IF;
END $$;

-- Starts a new epoch, above every token given out, and stays quiet until every lease given out before must be over.
CREATE FUNCTION ${schema}.${prefix}bump_epoch(p_patience integer)
RETURNS timestamptz LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_top   bigint;
    v_epoch integer;
    v_until timestamptz;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    PERFORM pg_advisory_xact_lock(${schema}.${prefix}latch());
    PERFORM FROM ${schema}.${prefix}store FOR UPDATE;
    SELECT coalesce(max(l.token), 0) INTO v_top FROM ${schema}.${prefix}lease l;
    SELECT greatest(s.epoch, (greatest(v_top, s.token_floor) >> 42)::integer) + 1 INTO v_epoch
    FROM ${schema}.${prefix}store s;
    IF v_epoch > 2047 THEN
        RAISE EXCEPTION 'the last epoch, 2047, is used up' USING ERRCODE = 'IL002';
    END IF;
    UPDATE ${schema}.${prefix}store
    SET epoch = v_epoch, no_grant_before = greatest(no_grant_before, clock_timestamp() + max_lease)
    RETURNING no_grant_before INTO v_until;
    RETURN v_until;
END $$;

-- Ties the store to the server it is on. A server it does not know (promoted, restored, copied) may lack leases that were
-- acknowledged: new epoch, quiet period. Also raises the longest lease, which must be known before it is first used.
CREATE FUNCTION ${schema}.${prefix}attach(p_patience integer, p_system text, p_max_lease bigint,
    OUT changed text, OUT epoch integer, OUT no_grant_before timestamptz, OUT max_lease_before bigint,
    OUT max_lease bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_longest CONSTANT interval := p_max_lease * interval '1 microsecond';
    v_now     CONSTANT text := ${schema}.${prefix}timeline();
    v_store   ${schema}.${prefix}store;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    SELECT s.* INTO STRICT v_store FROM ${schema}.${prefix}store s;
    max_lease_before := extract(epoch FROM v_store.max_lease) * 1000000;
    IF (v_store.timeline = v_now) IS NOT TRUE OR v_store.max_lease < v_longest
        OR (p_system IS NOT NULL AND (v_store.system_identifier = p_system) IS NOT TRUE) THEN
        PERFORM pg_advisory_xact_lock(${schema}.${prefix}latch());
        SELECT s.* INTO STRICT v_store FROM ${schema}.${prefix}store s FOR UPDATE;
        UPDATE ${schema}.${prefix}store SET max_lease = greatest(max_lease, v_longest);
        IF v_store.system_identifier <> p_system THEN
            changed := 'system identifier ' || v_store.system_identifier || ' is now ' || p_system;
        ELSIF v_store.timeline <> v_now THEN
            changed := 'timeline ' || v_store.timeline || ' is now ' || v_now;
        END IF;
        IF changed IS NOT NULL THEN
            PERFORM ${schema}.${prefix}bump_epoch(p_patience);
        END IF;
        UPDATE ${schema}.${prefix}store SET timeline = v_now, system_identifier = coalesce(p_system, system_identifier);
        SELECT s.* INTO STRICT v_store FROM ${schema}.${prefix}store s;
    END IF;
    epoch := v_store.epoch;
    no_grant_before := v_store.no_grant_before;
    max_lease := extract(epoch FROM v_store.max_lease) * 1000000;
END $$;
