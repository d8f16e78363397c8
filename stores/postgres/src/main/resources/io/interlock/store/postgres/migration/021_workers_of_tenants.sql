-- Whose runs a worker takes; null for those of any tenant.
ALTER TABLE ${schema}.${prefix}worker ADD COLUMN tenant text COLLATE "C";

DROP FUNCTION ${schema}.${prefix}note_worker(integer, text, text, uuid, text[], integer, integer, text);

-- Processes of the time before say nothing about a tenant.
CREATE FUNCTION ${schema}.${prefix}note_worker(p_patience integer, p_instance text, p_label text, p_run uuid, p_jobs text[],
                                               p_slots integer, p_busy integer, p_version text, p_tenant text DEFAULT NULL)
RETURNS void LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    INSERT INTO ${schema}.${prefix}worker AS w (instance, label, run_id, jobs, slots, busy, version, seen_at, tenant)
    VALUES (p_instance, p_label, p_run, p_jobs, p_slots, p_busy, p_version, clock_timestamp(), p_tenant)
    ON CONFLICT (instance) DO UPDATE
    SET label = EXCLUDED.label, run_id = EXCLUDED.run_id, jobs = EXCLUDED.jobs, slots = EXCLUDED.slots,
        busy = EXCLUDED.busy, version = EXCLUDED.version, seen_at = EXCLUDED.seen_at, tenant = EXCLUDED.tenant;
END $$;
