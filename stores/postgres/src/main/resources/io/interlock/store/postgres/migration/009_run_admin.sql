-- What operators and the janitor ask.

-- Ends a run that has not started, or asks one that has to stop.
-- Verdicts: cancelled, stop-requested, over (each with the run), unknown.
CREATE FUNCTION ${schema}.${prefix}cancel(p_patience integer, p_run uuid, p_actor text, p_reason text)
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_facts   ${schema}.${prefix}facts;
    v_answer  ${schema}.${prefix}run_answer;
    v_room    ${schema}.${prefix}room;
    v_row     ${schema}.${prefix}lease;
    v_run     ${schema}.${prefix}run;
    v_verdict text := 'over';
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    SELECT r.* INTO v_run FROM ${schema}.${prefix}run r WHERE r.id = p_run;
    IF NOT FOUND THEN
        v_answer.request := 1;
        v_answer.verdict := 'unknown';
        v_answer.at := clock_timestamp();
        RETURN NEXT v_answer;
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    v_row := (${schema}.${prefix}gather(ARRAY[v_run.tenant], ARRAY[v_run.name], ARRAY[true], true))[1];
    PERFORM ${schema}.${prefix}hold_tenants(ARRAY[v_run.tenant], ARRAY[v_run.name], '{}');
    v_facts := ${schema}.${prefix}facts(true);
    v_room := ${schema}.${prefix}enter(v_facts, v_row);
    SELECT r.* INTO v_run FROM ${schema}.${prefix}run r WHERE r.id = p_run;
    IF v_run.state = 'RUNNING' THEN
        v_verdict := 'stop-requested';
        PERFORM ${schema}.${prefix}ask_to_stop(v_facts.at, v_run, 'CANCELLED', p_actor, p_reason);
    ELSIF v_run.state IN ('QUEUED', 'PENDING') THEN
        v_verdict := 'cancelled';
        v_room := ${schema}.${prefix}promote(${schema}.${prefix}end_run(v_room, v_run, 'ABORTED', NULL, 'CANCELLED',
            'stopped for ' || p_actor || ': ' || p_reason, p_actor, p_reason));
    END IF;
    RETURN NEXT ${schema}.${prefix}answer(1, v_verdict, v_room, NULL, NULL, p_run);
    v_room.lease := ${schema}.${prefix}leave(v_room);
    IF v_room.lease IS DISTINCT FROM v_row THEN
        PERFORM ${schema}.${prefix}write(ARRAY[v_room.lease], ARRAY[true]);
    END IF;
END $$;

-- Lets the first in line of every key under a pattern have its turn, or counts anew when it may.
CREATE FUNCTION ${schema}.${prefix}settle_pattern(p_tenant text, p_pattern text)
RETURNS SETOF ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_names text[];
    v_rows  ${schema}.${prefix}lease[];
BEGIN
    v_names := ARRAY(
        SELECT DISTINCT r.name FROM ${schema}.${prefix}run r
        WHERE r.tenant = p_tenant AND r.state = 'QUEUED'
            AND CASE WHEN right(p_pattern, 1) = '*' THEN starts_with(r.name, left(p_pattern, -1))
                     ELSE r.name = p_pattern END
        ORDER BY 1);
    IF cardinality(v_names) = 0 THEN
        RETURN;
    END IF;
    v_rows := ${schema}.${prefix}gather(array_fill(p_tenant, ARRAY[cardinality(v_names)]), v_names,
                                        array_fill(true, ARRAY[cardinality(v_names)]), true);
    PERFORM ${schema}.${prefix}hold_tenants(array_fill(p_tenant, ARRAY[cardinality(v_names)]), v_names, '{}');
    RETURN QUERY SELECT s.* FROM ${schema}.${prefix}settle_all(v_rows) s;
END $$;

-- Stops grants under some keys. It takes exclusively what every step that grants holds shared, the latch of the epoch: so
-- when it has committed, every grant was made before it or knows of it. That costs grants nothing they do not pay already,
-- and because all take the latch before any row, nobody waits in a circle.
CREATE FUNCTION ${schema}.${prefix}pause(p_patience integer, p_tenant text, p_pattern text, p_actor text, p_reason text,
                                         p_micros bigint)
RETURNS ${schema}.${prefix}pause LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_pause ${schema}.${prefix}pause;
    v_again boolean;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    PERFORM pg_advisory_xact_lock(${schema}.${prefix}latch());
    v_pause := ROW (p_tenant, p_pattern, p_actor, p_reason, clock_timestamp(), NULL)::${schema}.${prefix}pause;
    v_pause.until := ${schema}.${prefix}after(v_pause.since, p_micros);
    v_again := EXISTS (SELECT FROM ${schema}.${prefix}pause p WHERE p.tenant = p_tenant AND p.pattern = p_pattern);
    INSERT INTO ${schema}.${prefix}pause VALUES (v_pause.*)
    ON CONFLICT (tenant, pattern) DO UPDATE
    SET actor = EXCLUDED.actor, reason = EXCLUDED.reason, since = EXCLUDED.since, until = EXCLUDED.until;
    INSERT INTO ${schema}.${prefix}audit (at, tenant, name, actor, action, before, after, reason)
    VALUES (v_pause.since, p_tenant, p_pattern, p_actor, 'paused', '', '', p_reason);
    IF v_again THEN
        -- It may end earlier than the one before, and so may the wait of those behind it.
        PERFORM FROM ${schema}.${prefix}settle_pattern(p_tenant, p_pattern);
    END IF;
    RETURN v_pause;
END $$;

-- Ends a pause. Verdict: resumed, once; then settled for every key somebody may wait for (lease).
CREATE FUNCTION ${schema}.${prefix}resume(p_patience integer, p_tenant text, p_pattern text, p_actor text, p_reason text)
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_answer ${schema}.${prefix}run_answer;
    v_room   ${schema}.${prefix}room;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    -- Exclusively, as pausing does: whoever queues meanwhile because of the pause would not be looked at by anybody.
    PERFORM pg_advisory_xact_lock(${schema}.${prefix}latch());
    DELETE FROM ${schema}.${prefix}pause p WHERE p.tenant = p_tenant AND p.pattern = p_pattern;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    v_answer.request := 1;
    v_answer.verdict := 'resumed';
    v_answer.at := clock_timestamp();
    RETURN NEXT v_answer;
    INSERT INTO ${schema}.${prefix}audit (at, tenant, name, actor, action, before, after, reason)
    VALUES (v_answer.at, p_tenant, p_pattern, p_actor, 'resumed', '', '', p_reason);
    FOR v_room IN SELECT s.* FROM ${schema}.${prefix}settle_pattern(p_tenant, p_pattern) s LOOP
        RETURN NEXT ${schema}.${prefix}answer(1, 'settled', v_room, NULL, NULL, NULL);
    END LOOP;
END $$;

-- Says where a resource stands, never while a run moves it. Answers with the resource as it is then.
CREATE FUNCTION ${schema}.${prefix}put_resource(p_patience integer, p_tenant text, p_name text, p_kind text, p_state text,
                                                p_version bigint, p_actor text, p_reason text,
    OUT changed boolean, OUT kind text, OUT state text, OUT version bigint, OUT owner uuid)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_row     ${schema}.${prefix}lease;
    v_after   ${schema}.${prefix}lease;
    v_facts   ${schema}.${prefix}facts;
    v_current ${schema}.${prefix}resource;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    v_row := (${schema}.${prefix}gather(ARRAY[p_tenant], ARRAY[p_name], ARRAY[true], true))[1];
    PERFORM ${schema}.${prefix}hold_tenants(ARRAY[p_tenant], ARRAY[p_name], '{}');
    v_facts := ${schema}.${prefix}facts(true);
    v_after := ${schema}.${prefix}leave(${schema}.${prefix}enter(v_facts, v_row));
    IF v_after IS DISTINCT FROM v_row THEN
        PERFORM ${schema}.${prefix}write(ARRAY[v_after], ARRAY[true]);
    END IF;
    SELECT o.* INTO v_current FROM ${schema}.${prefix}resource o WHERE o.tenant = p_tenant AND o.name = p_name;
    changed := coalesce(v_current.version, 0) = p_version AND v_current.owner IS NULL;
    IF changed THEN
        INSERT INTO ${schema}.${prefix}resource AS o (tenant, name, kind, state, version)
        VALUES (p_tenant, p_name, p_kind, p_state, p_version + 1)
        ON CONFLICT (tenant, name) DO UPDATE
        SET kind = EXCLUDED.kind, state = EXCLUDED.state, version = EXCLUDED.version;
        INSERT INTO ${schema}.${prefix}audit (at, tenant, name, actor, action, before, after, reason)
        VALUES (v_facts.at, p_tenant, p_name, p_actor, 'resource', coalesce(v_current.state, 'none'), p_state, p_reason);
        SELECT o.* INTO v_current FROM ${schema}.${prefix}resource o WHERE o.tenant = p_tenant AND o.name = p_name;
    END IF;
    kind := v_current.kind;
    state := v_current.state;
    version := v_current.version;
    owner := v_current.owner;
END $$;

-- Settles what time has brought about, on up to p_limit keys; with p_lost, first also keys whose row was lost or changed
-- behind our back, for which it looks at all runs under way. Rows locked by others are left alone. Every row is something
-- that was done; mark: somebody waits for the key.
CREATE FUNCTION ${schema}.${prefix}sweep_runs(p_patience integer, p_limit integer, p_lost boolean)
RETURNS TABLE (at timestamptz, mark timestamptz, tenant text, name text, run uuid, state text, why text)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_lost record;
    v_rows ${schema}.${prefix}lease[];
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    SELECT array_agg(o.tenant) AS tenants, array_agg(o.name) AS names INTO v_lost FROM (
        SELECT DISTINCT r.tenant, r.name FROM ${schema}.${prefix}run r
        LEFT JOIN ${schema}.${prefix}lease l ON l.tenant = r.tenant AND l.name = r.name
        WHERE p_lost AND r.state IN ('PENDING', 'RUNNING')
            AND CASE r.state WHEN 'RUNNING' THEN l.lease_id = r.turn_lease AND l.token = r.turn_token
                             ELSE l.reserved_run = r.id END IS NOT TRUE
        ORDER BY 1, 2 LIMIT p_limit) o;
    IF v_lost.tenants IS NOT NULL THEN
        v_rows := ${schema}.${prefix}gather(v_lost.tenants, v_lost.names,
                                            array_fill(true, ARRAY[cardinality(v_lost.tenants)]), false);
        RETURN QUERY
            SELECT (s.facts).at, (s.lease).waiters_until, (s.lease).tenant, (s.lease).name, d.run, d.state, d.why
            FROM ${schema}.${prefix}settle_all(v_rows) s CROSS JOIN LATERAL unnest(s.done) d;
    END IF;
    RETURN QUERY
        SELECT (s.facts).at, (s.lease).waiters_until, (s.lease).tenant, (s.lease).name, d.run, d.state, d.why
        FROM ${schema}.${prefix}settle_due(NULL, p_limit) s CROSS JOIN LATERAL unnest(s.done) d;
END $$;
