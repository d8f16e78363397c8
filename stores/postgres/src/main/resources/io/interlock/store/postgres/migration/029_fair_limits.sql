-- A tenant's limit, and whose turn it is under it.

-- fair: keys are settled in the order in which they wait for the tenant's limit, so that none has to make room for another.
ALTER TYPE ${schema}.${prefix}facts ADD ATTRIBUTE fair boolean;

-- As before, but a key whose line goes on does not take for itself, again and again, what the tenant's limit allows: other keys that
-- wait for nothing but the limit, and come first by priority and then by age, count as under way already. settle_due looks at them in
-- that order, and whoever claims, sweeps or takes a turn brings that about.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}crowd(p_room ${schema}.${prefix}room)
RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_tenant CONSTANT text := (p_room.lease).tenant;
    v_at     CONSTANT timestamptz := (p_room.facts).at;
    v_most   integer;
    v_busy   integer;
    v_own    record;
BEGIN
    SELECT max(r.max_running) INTO v_most FROM ${schema}.${prefix}run r
    WHERE r.tenant = v_tenant AND r.name = (p_room.lease).name AND r.state = 'QUEUED' AND r.max_running < 2147483647;
    IF v_most IS NULL THEN
        RETURN 0;
    ELSIF (p_room.facts).sure AND NOT pg_try_advisory_xact_lock(${schema}.${prefix}tenant_latch(v_tenant)) THEN
        RETURN 2147483646;
    END IF;
    v_busy := ${schema}.${prefix}under_way(v_tenant);
    -- Whom the key is kept for has come first already.
    IF v_busy >= v_most OR (p_room.facts).fair OR (p_room.lease).reserved_run IS NOT NULL THEN
        RETURN v_busy;
    END IF;
    SELECT max(${schema}.${prefix}rank(r.priority, r.submitted_at, v_at)) AS top, min(r.number) AS oldest INTO v_own
    FROM ${schema}.${prefix}run r
    WHERE r.tenant = v_tenant AND r.name = (p_room.lease).name AND r.state = 'QUEUED';
    RETURN v_busy + (
        SELECT count(*)::integer FROM ${schema}.${prefix}lease l
        CROSS JOIN LATERAL (
            SELECT max(${schema}.${prefix}rank(r.priority, r.submitted_at, v_at)) AS top, min(r.number) AS oldest
            FROM ${schema}.${prefix}run r WHERE r.tenant = l.tenant AND r.name = l.name AND r.state = 'QUEUED') w
        WHERE l.tenant || '' = v_tenant AND l.max_running > v_busy AND l.name <> (p_room.lease).name
            AND (w.top > v_own.top OR (w.top = v_own.top AND w.oldest < v_own.oldest)));
END $$;

-- As before; p_fair: see above.
CREATE FUNCTION ${schema}.${prefix}settle_all(p_rows ${schema}.${prefix}lease[], p_fair boolean)
RETURNS SETOF ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_facts  ${schema}.${prefix}facts := ${schema}.${prefix}facts(true);
    v_before ${schema}.${prefix}lease;
    v_room   ${schema}.${prefix}room;
BEGIN
    v_facts.fair := p_fair;
    FOREACH v_before IN ARRAY p_rows LOOP
        CONTINUE WHEN v_before.tenant IS NULL;
        v_room := ${schema}.${prefix}settle(${schema}.${prefix}look(v_facts, v_before));
        v_room.lease := ${schema}.${prefix}leave(v_room);
        IF v_room.lease IS DISTINCT FROM v_before THEN
            PERFORM ${schema}.${prefix}write(ARRAY[v_room.lease], ARRAY[true]);
        END IF;
        RETURN NEXT v_room;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION ${schema}.${prefix}settle_due(p_tenant text, p_limit integer)
RETURNS SETOF ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_now    CONSTANT timestamptz := clock_timestamp();
    v_rows   ${schema}.${prefix}lease[];
    v_tenant text;
    v_busy   integer;
BEGIN
    IF p_tenant IS NULL THEN
        v_rows := ARRAY(
            SELECT l FROM ${schema}.${prefix}lease l WHERE l.due_at <= v_now
            ORDER BY l.due_at LIMIT p_limit FOR UPDATE SKIP LOCKED);
    ELSE
        v_rows := ARRAY(
            SELECT l FROM ${schema}.${prefix}lease l WHERE l.tenant || '' = p_tenant AND l.due_at <= v_now
            ORDER BY l.due_at LIMIT p_limit FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN QUERY SELECT s.* FROM ${schema}.${prefix}settle_all(v_rows, false) s;
    FOR v_tenant IN
        SELECT DISTINCT l.tenant || '' FROM ${schema}.${prefix}lease l
        WHERE l.max_running IS NOT NULL AND (p_tenant IS NULL OR l.tenant || '' = p_tenant)
    LOOP
        -- Whoever else decides about this tenant's limit just now does so for these keys, too, or the next look does.
        CONTINUE WHEN NOT pg_try_advisory_xact_lock(${schema}.${prefix}tenant_latch(v_tenant));
        v_busy := ${schema}.${prefix}under_way(v_tenant);
        v_rows := ARRAY(
            SELECT l FROM ${schema}.${prefix}lease l
            CROSS JOIN LATERAL (
                SELECT max(${schema}.${prefix}rank(r.priority, r.submitted_at, v_now)) AS top, min(r.number) AS oldest
                FROM ${schema}.${prefix}run r WHERE r.tenant = l.tenant AND r.name = l.name AND r.state = 'QUEUED') w
            WHERE l.tenant || '' = v_tenant AND l.max_running > v_busy
            ORDER BY w.top DESC, w.oldest LIMIT p_limit FOR UPDATE OF l SKIP LOCKED);
        RETURN QUERY SELECT s.* FROM ${schema}.${prefix}settle_all(v_rows, true) s;
    END LOOP;
END $$;
