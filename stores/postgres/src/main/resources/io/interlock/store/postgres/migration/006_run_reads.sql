-- Looking at runs.

-- Settles a key before it is shown, if anything is due there; otherwise nothing is locked or written.
CREATE FUNCTION ${schema}.${prefix}tidy(p_patience integer, p_tenant text, p_name text)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_facts ${schema}.${prefix}facts := ${schema}.${prefix}facts(false);
    v_row   ${schema}.${prefix}lease;
    v_after ${schema}.${prefix}lease;
BEGIN
    SELECT l.* INTO v_row FROM ${schema}.${prefix}lease l WHERE l.tenant = p_tenant AND l.name = p_name;
    IF v_row.due_at <= v_facts.at OR v_row.max_running IS NOT NULL THEN
        PERFORM ${schema}.${prefix}prepare_step(p_patience);
        PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
        v_row := (${schema}.${prefix}gather(ARRAY[p_tenant], ARRAY[p_name], ARRAY[true], true))[1];
        PERFORM ${schema}.${prefix}hold_tenants(ARRAY[p_tenant], ARRAY[p_name], '{}');
        v_facts := ${schema}.${prefix}facts(true);
        v_after := ${schema}.${prefix}leave(${schema}.${prefix}enter(v_facts, v_row));
        IF v_after IS DISTINCT FROM v_row THEN
            PERFORM ${schema}.${prefix}write(ARRAY[v_after], ARRAY[true]);
        END IF;
        v_row := v_after;
    END IF;
    v_row.tenant := p_tenant;
    v_row.name := p_name;
    RETURN ${schema}.${prefix}look(v_facts, v_row);
END $$;

-- The run called so. Verdict: found.
CREATE FUNCTION ${schema}.${prefix}find_run(p_run uuid)
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_answer ${schema}.${prefix}run_answer;
BEGIN
    SELECT r INTO v_answer.run FROM ${schema}.${prefix}run r WHERE r.id = p_run;
    IF FOUND THEN
        v_answer.verdict := 'found';
        v_answer.at := clock_timestamp();
        RETURN NEXT v_answer;
    END IF;
END $$;

-- Who waits for the key, in order. Verdict: found.
CREATE FUNCTION ${schema}.${prefix}queue(p_patience integer, p_tenant text, p_name text)
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_room   CONSTANT ${schema}.${prefix}room := ${schema}.${prefix}tidy(p_patience, p_tenant, p_name);
    v_answer ${schema}.${prefix}run_answer;
BEGIN
    v_answer.verdict := 'found';
    v_answer.at := (v_room.facts).at;
    FOR v_answer.position, v_answer.run IN SELECT l.place, l.run FROM ${schema}.${prefix}line(v_room) l ORDER BY l.place LOOP
        RETURN NEXT v_answer;
    END LOOP;
END $$;

-- Why a run waits. Verdict: waiting (position, refusal, lease; length: what it may take in microseconds), and holder (the run
-- that has the key; position 1 if its lease is live). Nothing if it does not wait in line.
CREATE FUNCTION ${schema}.${prefix}explain(p_patience integer, p_run uuid)
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_run    ${schema}.${prefix}run;
    v_holder ${schema}.${prefix}run;
    v_room   ${schema}.${prefix}room;
    v_answer ${schema}.${prefix}run_answer;
    v_past   bigint[];
    v_median bigint;
BEGIN
    SELECT r.* INTO v_run FROM ${schema}.${prefix}run r WHERE r.id = p_run;
    IF NOT FOUND OR v_run.state <> 'QUEUED' THEN
        RETURN;
    END IF;
    v_room := ${schema}.${prefix}tidy(p_patience, v_run.tenant, v_run.name);
    SELECT r.* INTO v_run FROM ${schema}.${prefix}run r WHERE r.id = p_run;
    IF v_run.state <> 'QUEUED' THEN
        RETURN;
    END IF;
    IF (v_room.lease).grace IS NOT NULL THEN
        SELECT r.* INTO v_holder FROM ${schema}.${prefix}run r WHERE r.id = (v_room.lease).run_id AND r.state = 'RUNNING';
    END IF;
    v_answer := ${schema}.${prefix}answer(1, 'waiting', v_room, ${schema}.${prefix}place(v_room, p_run),
                                          ${schema}.${prefix}in_the_way(v_room, v_run), p_run);
    v_past := ARRAY(
        SELECT p.took FROM (
            SELECT (extract(epoch FROM r.since - r.turn_since) * 1000000)::bigint AS took
            FROM ${schema}.${prefix}run r
            WHERE r.tenant = v_run.tenant AND r.name = v_run.name AND r.state || '' = 'SUCCEEDED'
            ORDER BY r.since DESC LIMIT 20) p
        ORDER BY p.took);
    v_median := v_past[cardinality(v_past) / 2 + 1];
    -- Those before it take the median each; the holder has had a part of its own already.
    v_answer.length := v_median * (v_answer.position - 1) + CASE WHEN v_holder.id IS NULL THEN 0 ELSE greatest(0,
        v_median - (extract(epoch FROM (v_room.facts).at - v_holder.turn_since) * 1000000)::bigint) END;
    RETURN NEXT v_answer;
    IF v_holder.id IS NOT NULL THEN
        RETURN NEXT ${schema}.${prefix}answer(1, 'holder', v_room, CASE WHEN (v_room.lease).evicted_at IS NULL
            AND (v_room.lease).expires_at > (v_room.facts).at THEN 1 ELSE 0 END, NULL, v_holder.id);
    END IF;
END $$;

-- Runs in the order in which they were submitted, or the other way round. Verdict: found. Planned for what is asked each
-- time, because the best index depends on it.
CREATE FUNCTION ${schema}.${prefix}list_runs(p_tenant text, p_name text, p_state text, p_job text, p_since timestamptz,
                                             p_after bigint, p_limit integer, p_descending boolean)
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_answer ${schema}.${prefix}run_answer;
BEGIN
    v_answer.verdict := 'found';
    v_answer.at := clock_timestamp();
    IF p_descending THEN
        FOR v_answer.run IN
            SELECT r FROM ${schema}.${prefix}run r
            WHERE r.tenant || '' = p_tenant AND (p_after = 0 OR r.number < p_after)
                AND (p_name IS NULL OR r.name = p_name)
                AND (p_state IS NULL OR r.state || '' = p_state)
                AND (p_job IS NULL OR r.job = p_job)
                AND (p_since IS NULL OR r.submitted_at >= p_since)
            ORDER BY r.number DESC LIMIT p_limit
        LOOP
            RETURN NEXT v_answer;
        END LOOP;
        RETURN;
    END IF;
    FOR v_answer.run IN
        SELECT r FROM ${schema}.${prefix}run r
        WHERE r.tenant || '' = p_tenant AND r.number > p_after
            AND (p_name IS NULL OR r.name = p_name)
            AND (p_state IS NULL OR r.state || '' = p_state)
            AND (p_job IS NULL OR r.job = p_job)
            AND (p_since IS NULL OR r.submitted_at >= p_since)
        ORDER BY r.number LIMIT p_limit
    LOOP
        RETURN NEXT v_answer;
    END LOOP;
END $$;

CREATE FUNCTION ${schema}.${prefix}attempts(p_run uuid)
RETURNS SETOF ${schema}.${prefix}attempt LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.* FROM ${schema}.${prefix}attempt a WHERE a.run_id = p_run ORDER BY a.attempt
$$;

CREATE FUNCTION ${schema}.${prefix}resource_of(p_tenant text, p_name text)
RETURNS SETOF ${schema}.${prefix}resource LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT o.* FROM ${schema}.${prefix}resource o WHERE o.tenant = p_tenant AND o.name = p_name
$$;

CREATE FUNCTION ${schema}.${prefix}audit_of(p_tenant text, p_name text)
RETURNS SETOF ${schema}.${prefix}audit LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.* FROM ${schema}.${prefix}audit a WHERE a.tenant = p_tenant AND a.name = p_name ORDER BY a.seq
$$;
