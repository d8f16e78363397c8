-- Workers of one tenant, without a look at those of others; no more remote ones than can be looked at, and not for long.

CREATE INDEX ${prefix}worker_by_tenant ON ${schema}.${prefix}worker (tenant, seen_at);
CREATE INDEX ${prefix}worker_seen ON ${schema}.${prefix}worker (seen_at);
CREATE INDEX ${prefix}worker_remote ON ${schema}.${prefix}worker (seen_at) WHERE version = 'remote';

CREATE FUNCTION ${schema}.${prefix}store_time(OUT at timestamptz) LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT clock_timestamp()
$$;

DROP FUNCTION ${schema}.${prefix}note_worker(integer, text, text, uuid, text[], integer, integer, text, text);

-- p_most: how many remote workers of the tenant stay noted if this is one of them. Processes of the time before do not say.
CREATE FUNCTION ${schema}.${prefix}note_worker(p_patience integer, p_instance text, p_label text, p_run uuid, p_jobs text[],
                                               p_slots integer, p_busy integer, p_version text, p_tenant text DEFAULT NULL,
                                               p_most integer DEFAULT 0)
RETURNS void LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    INSERT INTO ${schema}.${prefix}worker AS w (instance, label, run_id, jobs, slots, busy, version, seen_at, tenant)
    VALUES (p_instance, p_label, p_run, p_jobs, p_slots, p_busy, p_version, clock_timestamp(), p_tenant)
    ON CONFLICT (instance) DO UPDATE
    SET label = EXCLUDED.label, run_id = EXCLUDED.run_id, jobs = EXCLUDED.jobs, slots = EXCLUDED.slots,
        busy = EXCLUDED.busy, version = EXCLUDED.version, seen_at = EXCLUDED.seen_at, tenant = EXCLUDED.tenant;
    IF p_most > 0 THEN
        -- Whoever says right now that it is there is left alone.
        DELETE FROM ${schema}.${prefix}worker w WHERE w.ctid = ANY (ARRAY(
            SELECT o.ctid FROM ${schema}.${prefix}worker o
            WHERE o.version = 'remote'
                AND ((p_tenant IS NULL AND o.tenant IS NULL) OR o.tenant = p_tenant)
            ORDER BY o.seen_at DESC OFFSET p_most FOR UPDATE SKIP LOCKED));
    END IF;
END $$;

-- Those that were there last, and take runs of the tenant.
CREATE FUNCTION ${schema}.${prefix}workers(p_tenant text, p_micros bigint, p_limit integer)
RETURNS SETOF ${schema}.${prefix}worker LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT w.* FROM ${schema}.${prefix}worker w
    WHERE (w.tenant = p_tenant OR w.tenant IS NULL)
        AND w.seen_at >= ${schema}.${prefix}after(clock_timestamp(), -p_micros)
    ORDER BY w.seen_at DESC, w.instance LIMIT p_limit
$$;

-- What nobody asks for any more beside runs: names that no longer count, counts and workers of the time before p_then, and
-- remote workers that have not asked for an hour.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}forget_notes(p_at timestamptz, p_then timestamptz, p_limit integer)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    DELETE FROM ${schema}.${prefix}remembered n WHERE n.ctid = ANY (ARRAY(
        SELECT o.ctid FROM ${schema}.${prefix}remembered o WHERE o.until <= p_at
        ORDER BY o.until LIMIT p_limit FOR UPDATE SKIP LOCKED));
    DELETE FROM ${schema}.${prefix}refusal_count c WHERE c.ctid = ANY (ARRAY(
        SELECT o.ctid FROM ${schema}.${prefix}refusal_count o WHERE o.minute < p_then
        ORDER BY o.minute LIMIT p_limit FOR UPDATE SKIP LOCKED));
    DELETE FROM ${schema}.${prefix}worker w WHERE w.ctid = ANY (ARRAY(
        SELECT o.ctid FROM ${schema}.${prefix}worker o WHERE o.seen_at < p_then
        ORDER BY o.seen_at LIMIT p_limit FOR UPDATE SKIP LOCKED));
    DELETE FROM ${schema}.${prefix}worker w WHERE w.ctid = ANY (ARRAY(
        SELECT o.ctid FROM ${schema}.${prefix}worker o WHERE o.version = 'remote' AND o.seen_at < p_at - interval '1 hour'
        ORDER BY o.seen_at LIMIT p_limit FOR UPDATE SKIP LOCKED));
    DELETE FROM ${schema}.${prefix}work_wanted w WHERE w.ctid = ANY (ARRAY(
        SELECT o.ctid FROM ${schema}.${prefix}work_wanted o WHERE o.until < p_at - interval '1 day'
        LIMIT p_limit FOR UPDATE SKIP LOCKED));
END $$;
