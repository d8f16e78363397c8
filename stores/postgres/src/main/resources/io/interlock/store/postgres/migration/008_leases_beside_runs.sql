-- The steps of leases, once more: now they know of runs. A bare lease is refused while a run has the key, is kept it or
-- comes first; whoever gives a lease back makes room for the next in line in the same step.

-- A run that has its verdict yet to come keeps its key closed, however long ago its lease has ended.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}obstacle(p_row ${schema}.${prefix}lease, p_at timestamptz, p_ask boolean,
                                                       p_cleared bigint)
RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN (p_row).reserved_run IS NOT NULL THEN 'reserved'
        WHEN (p_row).lease_id IS NULL THEN NULL
        WHEN (p_row).expires_at > p_at THEN 'held'
        WHEN (p_row).grace IS NOT NULL OR (p_row).expires_at + (p_row).lock_delay > p_at THEN 'delayed'
        WHEN p_ask AND (p_row).evicted_at IS NULL AND (p_row).token IS DISTINCT FROM p_cleared THEN 'probe'
    END
$$;

-- Whether a key has runs that have not ended, so that steps about its lease concern them.
CREATE FUNCTION ${schema}.${prefix}has_runs(p_tenant text, p_name text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM ${schema}.${prefix}run r
        WHERE r.tenant = p_tenant AND r.name = p_name AND r.state IN ('QUEUED', 'PENDING'))
    OR EXISTS (
        SELECT FROM ${schema}.${prefix}run r
        WHERE r.tenant = p_tenant AND r.name = p_name AND r.state IN ('PENDING', 'RUNNING'));
END $$;

-- The same of many keys at once.
CREATE FUNCTION ${schema}.${prefix}have_runs(p_tenants text[], p_names text[]) RETURNS boolean[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN ARRAY(
        SELECT coalesce(a.found, b.found, false) FROM unnest(p_tenants, p_names) WITH ORDINALITY u (tenant, name, key)
        LEFT JOIN LATERAL (
            SELECT true FROM ${schema}.${prefix}run r
            WHERE r.tenant = u.tenant AND r.name = u.name AND r.state IN ('QUEUED', 'PENDING') LIMIT 1) a (found) ON true
        LEFT JOIN LATERAL (
            SELECT true FROM ${schema}.${prefix}run r
            WHERE r.tenant = u.tenant AND r.name = u.name AND r.state IN ('PENDING', 'RUNNING') LIMIT 1) b (found) ON true
        ORDER BY u.key);
END $$;

-- Why a bare lease is not granted, in the words of an answer.
CREATE FUNCTION ${schema}.${prefix}refuse(p_request integer, p_verdict text, p_facts ${schema}.${prefix}facts,
                                          p_row ${schema}.${prefix}lease)
RETURNS ${schema}.${prefix}answer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_answer ${schema}.${prefix}answer := ${schema}.${prefix}say(p_request, p_verdict, p_facts.at,
        CASE p_verdict WHEN 'recovering' THEN p_facts.quiet WHEN 'delayed' THEN ${schema}.${prefix}opens_at(p_row) END,
        p_row);
    v_room   ${schema}.${prefix}room;
BEGIN
    IF p_verdict IN ('reserved', 'paused') THEN
        v_answer.refusal := ${schema}.${prefix}closed(${schema}.${prefix}look(p_facts, p_row));
    ELSIF p_verdict = 'ahead' THEN
        v_room := ${schema}.${prefix}look(p_facts, p_row);
        v_answer.refusal := ${schema}.${prefix}queued_ahead(v_room, ${schema}.${prefix}first(v_room));
    END IF;
    RETURN v_answer;
END $$;

-- Grants what is free. As before; besides, the verdicts reserved, paused and ahead (refusal). A look outside that clears a
-- key clears it for whoever is first in line.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}acquire(
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
    v_runs      boolean[];                      -- which keys have runs
    v_pending   integer[] := '{}';
    v_facts     ${schema}.${prefix}facts;
    v_room      ${schema}.${prefix}room;
    v_row       ${schema}.${prefix}lease;
    v_taken     ${schema}.${prefix}lease;
    v_item      record;
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
    FOR v_item IN
        SELECT u.key, l AS row FROM unnest(p_tenants, p_names) WITH ORDINALITY u(tenant, name, key)
        JOIN ${schema}.${prefix}lease l ON l.tenant = u.tenant AND l.name = u.name
    LOOP
        v_rows[v_item.key] := v_item.row;
    END LOOP;
    v_facts := ${schema}.${prefix}facts(false);
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
            IF v_facts.quiet IS NOT NULL THEN
                v_verdict := 'recovering';
                v_row := NULL;
                v_row.tenant := p_tenants[p_keys[p_first[i]]];
                v_row.name := p_names[p_keys[p_first[i]]];
            ELSE
                FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
                    k := p_keys[j];
                    v_row := v_rows[k];
                    -- What is due is settled first, and that needs a lock.
                    EXIT WHEN v_row.due_at <= v_facts.at OR v_row.max_running IS NOT NULL;
                    v_verdict := ${schema}.${prefix}obstacle(v_row, v_facts.at, p_asks[i], p_cleared[j]);
                    IF v_facts.paused AND (v_verdict IS NULL OR v_verdict = 'probe')
                        AND ${schema}.${prefix}is_paused(p_tenants[k], p_names[k], v_facts.at) THEN
                        v_row.tenant := p_tenants[k];
                        v_row.name := p_names[k];
                        v_verdict := 'paused';
                    END IF;
                    EXIT WHEN v_verdict IS NOT NULL;
                END LOOP;
                -- Whoever waits without a mark must leave one under the row lock, or the release in between wakes nobody.
                IF v_verdict IS NOT NULL AND p_waits[i]
                    AND (v_row.waiters_until > v_facts.at + c_refresh) IS NOT TRUE THEN
                    v_verdict := NULL;
                END IF;
            END IF;
        END IF;
        IF v_verdict IS NOT NULL THEN
            RETURN NEXT ${schema}.${prefix}refuse(i, v_verdict, v_facts, v_row);
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

    -- 2. Locks: first the epoch and pauses, then the rows.
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    IF ${schema}.${prefix}is_elsewhere() THEN
        FOREACH i IN ARRAY v_pending LOOP
            RETURN NEXT ${schema}.${prefix}say(i, 'reattach', v_facts.at, NULL, NULL);
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

    -- 3. The token floor of rows that are gone, the pauses and the clock: all after the locks.
    v_facts := ${schema}.${prefix}facts(true);

    -- 4. What time has brought about on keys that have runs.
    v_runs := ${schema}.${prefix}have_runs(p_tenants, p_names);
    IF true = ANY (v_runs) THEN
        PERFORM ${schema}.${prefix}hold_tenants(p_tenants, p_names, '{}');
        v_facts := ${schema}.${prefix}facts(true);
        FOR k IN 1..cardinality(p_tenants) LOOP
            v_row := v_rows[k];
            IF v_runs[k] AND v_row.tenant IS NOT NULL THEN
                v_room := ${schema}.${prefix}settle(${schema}.${prefix}look(v_facts, v_row));
                v_rows[k] := ${schema}.${prefix}leave(v_room);
                v_changed[k] := v_rows[k] IS DISTINCT FROM v_row;
            END IF;
        END LOOP;
    END IF;

    -- 5. Decide, request by request.
    FOREACH i IN ARRAY v_pending LOOP
        v_own := true;
        v_locked := true;
        v_verdict := NULL;
        v_taken := NULL;
        FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
            v_row := v_rows[p_keys[j]];
            v_locked := v_locked AND v_row.tenant IS NOT NULL;
            v_own := v_own AND (v_row.lease_id = p_ids[i] AND v_row.expires_at > v_facts.at
                AND v_row.evicted_at IS NULL) IS TRUE;
        END LOOP;
        IF NOT v_locked THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'open', v_facts.at, NULL, NULL);
            CONTINUE;
        ELSIF v_own THEN
            FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
                RETURN NEXT ${schema}.${prefix}say(i, 'granted', v_facts.at, NULL, v_rows[p_keys[j]]);
            END LOOP;
            CONTINUE;
        ELSIF v_facts.quiet IS NOT NULL THEN
            RETURN NEXT ${schema}.${prefix}refuse(i, 'recovering', v_facts, v_rows[p_keys[p_first[i]]]);
            CONTINUE;
        END IF;
        FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
            k := p_keys[j];
            v_verdict := ${schema}.${prefix}obstacle(v_rows[k], v_facts.at, p_asks[i], p_cleared[j]);
            IF v_facts.paused AND (v_verdict IS NULL OR v_verdict = 'probe')
                AND ${schema}.${prefix}is_paused(p_tenants[k], p_names[k], v_facts.at) THEN
                v_verdict := 'paused';
            END IF;
            IF v_verdict IS NULL AND v_runs[k] THEN
                v_room := ${schema}.${prefix}look(v_facts, v_rows[k]);
                IF (${schema}.${prefix}first(v_room)).id IS NOT NULL THEN
                    IF p_asks[i] AND ${schema}.${prefix}awaits_probe(v_rows[k]) THEN
                        v_room.lease := ${schema}.${prefix}freed(v_rows[k], v_facts.at);
                        v_room := ${schema}.${prefix}promote(v_room);
                        v_rows[k] := ${schema}.${prefix}leave(v_room);
                        v_changed[k] := true;
                    END IF;
                    v_verdict := ${schema}.${prefix}obstacle(v_rows[k], v_facts.at, false, NULL);
                    IF v_verdict IS NULL AND (${schema}.${prefix}first(v_room)).id IS NOT NULL THEN
                        v_verdict := 'ahead';
                    END IF;
                END IF;
            END IF;
            EXIT WHEN v_verdict IS NOT NULL;
        END LOOP;
        IF v_verdict IS NOT NULL THEN
            v_row := v_rows[k];
            RETURN NEXT ${schema}.${prefix}refuse(i, v_verdict, v_facts, v_row);
            IF p_waits[i] AND (v_row.waiters_until > v_facts.at + c_refresh) IS NOT TRUE THEN
                v_row.waiters_until := v_facts.at + c_mark;
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
            v_row.token := greatest(${schema}.${prefix}token_by_clock(v_facts.epoch, v_facts.at),
                                    v_taken.token + 1, v_facts.floor + 1);
            v_row.granted_at := v_facts.at;
            v_row.expires_at := v_facts.at + p_ttls[i] * interval '1 microsecond';
            v_row.lock_delay := p_delays[i] * interval '1 microsecond';
            v_row.evicted_by := NULL;
            v_row.evict_reason := NULL;
            v_row.evicted_at := NULL;
            v_row.freed_at := NULL;
            v_row.probed := p_asks[i];
            IF v_runs[k] THEN
                v_row := ${schema}.${prefix}leave(${schema}.${prefix}look(v_facts, v_row));
            END IF;
            v_rows[k] := v_row;
            v_changed[k] := true;
            RETURN NEXT ${schema}.${prefix}say(i, 'granted', v_facts.at, NULL, v_row);
            IF v_taken.lease_id IS NOT NULL THEN
                RETURN NEXT ${schema}.${prefix}say(i, 'taken', v_facts.at, NULL, v_taken);
            END IF;
        END LOOP;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;
END $$;

-- Extends leases that are live. Verdicts: renewed, expired, evicted, gone, overdue (a run's, past its max runtime), open.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}renew(p_patience integer, p_tenants text[], p_names text[], p_keys integer[],
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
        ELSIF v_row.overdue_at <= v_at THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'overdue', v_at, NULL, v_row);
        ELSE
            v_row.expires_at := greatest(v_row.expires_at, v_at + p_ttls[i] * interval '1 microsecond');
            IF v_row.due_at IS NOT NULL THEN
                v_row := ${schema}.${prefix}rearmed(${schema}.${prefix}facts(true), v_row, p_ttls[i]);
            END IF;
            v_rows[p_keys[i]] := v_row;
            v_changed[p_keys[i]] := true;
            RETURN NEXT ${schema}.${prefix}say(i, 'renewed', v_at, NULL, v_row);
        END IF;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;
END $$;

-- Ends leases whose holder is done; the next in line has the key. Verdicts: released, lapsed, gone, open; until = the mark of
-- whoever waits.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}release(p_patience integer, p_tenants text[], p_names text[],
                                                      p_keys integer[], p_ids uuid[], p_tokens bigint[])
RETURNS SETOF ${schema}.${prefix}answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_rows    ${schema}.${prefix}lease[];
    v_changed boolean[] := array_fill(false, ARRAY[cardinality(p_tenants)]);
    v_runs    boolean[];                        -- which keys have runs
    v_facts   ${schema}.${prefix}facts;
    v_room    ${schema}.${prefix}room;
    v_row     ${schema}.${prefix}lease;
    i         integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    v_rows := ${schema}.${prefix}hold(p_tenants, p_names, array_fill(true, ARRAY[cardinality(p_tenants)]),
                                      cardinality(p_ids) = 1);
    v_runs := ${schema}.${prefix}have_runs(p_tenants, p_names);
    IF true = ANY (v_runs) THEN
        PERFORM ${schema}.${prefix}hold_tenants(p_tenants, p_names, '{}');
    END IF;
    v_facts := ${schema}.${prefix}facts(true);
    FOR i IN 1..cardinality(p_ids) LOOP
        v_row := v_rows[p_keys[i]];
        -- Alone, it has waited: a row that is there by now was made after this lease's row was gone.
        IF v_row.tenant IS NULL AND cardinality(p_ids) > 1 AND EXISTS (
            SELECT FROM ${schema}.${prefix}lease l
            WHERE l.tenant = p_tenants[p_keys[i]] AND l.name = p_names[p_keys[i]]) THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'open', v_facts.at, NULL, NULL);
        ELSIF (v_row.lease_id = p_ids[i] AND v_row.token = p_tokens[i]) IS NOT TRUE THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'gone', v_facts.at, NULL, v_row);
        ELSE
            RETURN NEXT ${schema}.${prefix}say(i,
                CASE WHEN v_row.expires_at > v_facts.at AND v_row.evicted_at IS NULL THEN 'released' ELSE 'lapsed' END,
                v_facts.at, v_row.waiters_until, v_row);
            IF v_row.grace IS NOT NULL OR v_row.due_at IS NOT NULL OR v_runs[p_keys[i]] THEN
                v_room := ${schema}.${prefix}enter(v_facts, v_row);
                IF (v_room.lease).lease_id = p_ids[i] THEN
                    v_room := ${schema}.${prefix}stopped(v_room);
                END IF;
                v_rows[p_keys[i]] := ${schema}.${prefix}leave(v_room);
            ELSE
                v_rows[p_keys[i]] := ${schema}.${prefix}freed(v_row, v_facts.at);
            END IF;
            v_changed[p_keys[i]] := true;
        END IF;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;
END $$;

-- Takes a lease away by force; a run that worked under it is over. Verdicts: evicted (until = when the key opens), mismatch.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}evict(p_patience integer, p_tenant text, p_name text, p_expected bigint,
                                                    p_actor text, p_reason text)
RETURNS SETOF ${schema}.${prefix}answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_facts  ${schema}.${prefix}facts;
    v_room   ${schema}.${prefix}room;
    v_row    ${schema}.${prefix}lease;
    v_victim ${schema}.${prefix}lease;
    v_run    ${schema}.${prefix}run;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    v_row := (${schema}.${prefix}hold(ARRAY[p_tenant], ARRAY[p_name], ARRAY[true], true))[1];
    PERFORM ${schema}.${prefix}hold_tenants(ARRAY[p_tenant], ARRAY[p_name], '{}');
    v_facts := ${schema}.${prefix}facts(true);
    IF v_row.tenant IS NULL THEN
        RETURN NEXT ${schema}.${prefix}say(1, 'mismatch', v_facts.at, NULL, v_row);
        RETURN;
    END IF;
    v_room := ${schema}.${prefix}enter(v_facts, v_row);
    IF ((v_room.lease).lease_id IS NOT NULL AND (v_room.lease).token = p_expected) IS NOT TRUE THEN
        RETURN NEXT ${schema}.${prefix}say(1, 'mismatch', v_facts.at, NULL, v_room.lease);
    ELSE
        IF (v_room.lease).evicted_at IS NULL THEN
            v_room.lease.evicted_by := p_actor;
            v_room.lease.evict_reason := p_reason;
            v_room.lease.evicted_at := v_facts.at;
            INSERT INTO ${schema}.${prefix}audit (at, tenant, name, run_id, token, actor, action, before, after, reason)
            VALUES (v_facts.at, p_tenant, p_name, (v_room.lease).run_id, (v_room.lease).token, p_actor, 'evicted',
                    (v_room.lease).label, '', p_reason);
            v_victim := v_room.lease;
            IF (v_room.lease).grace IS NOT NULL THEN
                SELECT r.* INTO v_run FROM ${schema}.${prefix}run r
                WHERE r.id = (v_room.lease).run_id AND r.state = 'RUNNING' AND r.turn_token = (v_room.lease).token;
                IF FOUND THEN
                    v_room := ${schema}.${prefix}end_run(v_room, v_run, 'ABORTED', NULL, 'EVICTED',
                        'evicted by ' || p_actor || ': ' || p_reason, p_actor, p_reason);
                END IF;
            END IF;
            -- Only the run's grace, or that nobody had looked outside, may have kept the key closed.
            v_room := ${schema}.${prefix}promote(v_room);
        ELSE
            v_victim := v_room.lease;
        END IF;
        RETURN NEXT ${schema}.${prefix}say(1, 'evicted', v_facts.at, v_victim.expires_at + v_victim.lock_delay, v_victim);
    END IF;
    v_room.lease := ${schema}.${prefix}leave(v_room);
    IF v_room.lease IS DISTINCT FROM v_row THEN
        PERFORM ${schema}.${prefix}write(ARRAY[v_room.lease], ARRAY[true]);
    END IF;
END $$;

-- Clears leases that ended by themselves, with what that means for their runs, and forgets keys nobody used for a day. Rows
-- locked by others are left alone. Verdict: swept; until = the mark of whoever waits.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}sweep(p_patience integer, p_limit integer)
RETURNS SETOF ${schema}.${prefix}answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_rows    ${schema}.${prefix}lease[];
    v_changed boolean[];
    v_row     ${schema}.${prefix}lease;
    v_facts   ${schema}.${prefix}facts;
    v_room    ${schema}.${prefix}room;
    v_floor   bigint;
    i         integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    v_rows := ARRAY(
        SELECT l FROM ${schema}.${prefix}lease l
        WHERE l.lease_id IS NOT NULL AND l.expires_at + greatest(l.lock_delay, l.grace) <= clock_timestamp()
            AND (NOT l.probed OR l.evicted_at IS NOT NULL)
        ORDER BY l.tenant, l.name LIMIT p_limit FOR UPDATE SKIP LOCKED);
    v_facts := ${schema}.${prefix}facts(true);
    v_changed := array_fill(false, ARRAY[cardinality(v_rows)]);
    FOR i IN 1..cardinality(v_rows) LOOP
        v_row := v_rows[i];
        IF v_row.lease_id IS NOT NULL AND ${schema}.${prefix}opens_at(v_row) <= v_facts.at
            AND (NOT v_row.probed OR v_row.evicted_at IS NOT NULL) THEN
            IF v_row.grace IS NOT NULL OR v_row.due_at IS NOT NULL OR ${schema}.${prefix}has_runs(v_row.tenant, v_row.name) THEN
                v_room := ${schema}.${prefix}settle(${schema}.${prefix}look(v_facts, v_row));
                CONTINUE WHEN ${schema}.${prefix}is_taken(v_room);
                IF (v_room.lease).lease_id IS NOT NULL THEN
                    v_room.lease := ${schema}.${prefix}freed(v_room.lease, v_facts.at);
                END IF;
                v_rows[i] := ${schema}.${prefix}leave(v_room);
            ELSE
                v_rows[i] := ${schema}.${prefix}freed(v_row, v_facts.at);
            END IF;
            v_changed[i] := true;
            RETURN NEXT ${schema}.${prefix}say(i, 'swept', v_facts.at, v_row.waiters_until, v_row);
        END IF;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;

    -- A row may go only if its token is below what the clock gives: then the next grant of the key is greater anyway,
    -- and the floor keeps it so should the clock be set back. And it must know of no runs.
    WITH idle AS (
        SELECT l.tenant, l.name FROM ${schema}.${prefix}lease l
        WHERE l.lease_id IS NULL AND l.freed_at < v_facts.at - interval '24 hours'
            AND l.reserved_run IS NULL AND l.due_at IS NULL AND l.max_running IS NULL
            AND l.token < ${schema}.${prefix}token_by_clock((SELECT s.epoch FROM ${schema}.${prefix}store s), v_facts.at)
            AND NOT ${schema}.${prefix}has_runs(l.tenant, l.name)
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
