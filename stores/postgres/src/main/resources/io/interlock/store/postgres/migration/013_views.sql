-- Everything at once, for people and for metrics. These functions are STABLE: all they show is of one moment.

-- Keys that somebody has, that are kept for a run, or that runs wait for, in the order of their names. Verdict: seen, with
-- the lease, the run that has the key or that it is kept for, position: how many wait; and in the refusal, which says
-- nothing else: since when the first of them waits, and the pause.
CREATE FUNCTION ${schema}.${prefix}keys(p_tenant text, p_from text, p_to text, p_after text, p_limit integer)
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_at      CONSTANT timestamptz := clock_timestamp();
    v_answer  ${schema}.${prefix}run_answer;
    v_refusal ${schema}.${prefix}refusal;
    v_lease   ${schema}.${prefix}lease;
    v_name    text;
BEGIN
    FOR v_name IN
        (SELECT l.name FROM ${schema}.${prefix}lease l
         WHERE l.tenant = p_tenant AND l.name >= p_from AND (p_to IS NULL OR l.name < p_to)
            AND (p_after IS NULL OR l.name > p_after)
            AND (l.lease_id IS NOT NULL OR l.reserved_run IS NOT NULL)
         ORDER BY l.name LIMIT p_limit)
        UNION
        (SELECT DISTINCT r.name FROM ${schema}.${prefix}run r
         WHERE r.tenant = p_tenant AND r.name >= p_from AND (p_to IS NULL OR r.name < p_to)
            AND (p_after IS NULL OR r.name > p_after) AND r.state = 'QUEUED'
         ORDER BY r.name LIMIT p_limit)
        UNION
        (SELECT r.name FROM ${schema}.${prefix}run r
         WHERE r.tenant = p_tenant AND r.name >= p_from AND (p_to IS NULL OR r.name < p_to)
            AND (p_after IS NULL OR r.name > p_after) AND r.state = 'RUNNING'
         ORDER BY r.name LIMIT p_limit)
        ORDER BY 1 LIMIT p_limit
    LOOP
        v_refusal := NULL;
        SELECT l.* INTO v_lease FROM ${schema}.${prefix}lease l WHERE l.tenant = p_tenant AND l.name = v_name;
        v_lease.tenant := p_tenant;
        v_lease.name := v_name;
        v_answer.verdict := 'seen';
        v_answer.at := v_at;
        v_answer.lease := v_lease;
        SELECT r INTO v_answer.run FROM ${schema}.${prefix}run r
        WHERE r.tenant = p_tenant AND r.name = v_name AND r.state = 'RUNNING' ORDER BY r.number LIMIT 1;
        IF NOT FOUND AND v_lease.reserved_run IS NOT NULL THEN
            SELECT r INTO v_answer.run FROM ${schema}.${prefix}run r WHERE r.id = v_lease.reserved_run;
        END IF;
        SELECT count(*), min(r.submitted_at) INTO v_answer.position, v_refusal.since FROM ${schema}.${prefix}run r
        WHERE r.tenant = p_tenant AND r.name = v_name AND r.state = 'QUEUED';
        SELECT p INTO v_refusal.pause FROM ${schema}.${prefix}pause p
        WHERE p.tenant = p_tenant AND (p.until IS NULL OR p.until > v_at)
            AND CASE WHEN right(p.pattern, 1) = '*' THEN starts_with(v_name, left(p.pattern, -1))
                     ELSE p.pattern = v_name END
        ORDER BY p.since, p.pattern LIMIT 1;
        v_answer.refusal := v_refusal;
        RETURN NEXT v_answer;
    END LOOP;
END $$;

-- State by state, because for each there is an index that knows only runs that have not ended, or dead ones.
CREATE FUNCTION ${schema}.${prefix}tallies()
RETURNS TABLE (tenant text, job text, state text, count bigint, oldest timestamptz) LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT t.tenant, t.job, t.state, count(*), min(t.since) FROM (
        SELECT r.tenant, r.job, r.state, r.since FROM ${schema}.${prefix}run r WHERE r.state = 'QUEUED'
        UNION ALL
        SELECT r.tenant, r.job, r.state, r.since FROM ${schema}.${prefix}run r WHERE r.state IN ('PENDING', 'RUNNING')
        UNION ALL
        SELECT r.tenant, r.job, r.state, r.since FROM ${schema}.${prefix}run r
        WHERE r.state = 'DEAD'
            AND NOT EXISTS (SELECT FROM ${schema}.${prefix}dead_letter d WHERE d.run_id = r.id)) t
    GROUP BY t.tenant, t.job, t.state
    ORDER BY t.tenant, t.job, array_position(ARRAY['QUEUED', 'PENDING', 'RUNNING', 'DEAD'], t.state)
$$;

-- Pauses in force, of one tenant or of all.
CREATE FUNCTION ${schema}.${prefix}pauses(p_tenant text)
RETURNS SETOF ${schema}.${prefix}pause LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.* FROM ${schema}.${prefix}pause p
    WHERE (p_tenant IS NULL OR p.tenant = p_tenant) AND (p.until IS NULL OR p.until > clock_timestamp())
    ORDER BY p.tenant, p.pattern
$$;
