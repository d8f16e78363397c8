-- Wake-ups for whoever takes work. A commit that notifies takes a lock on the whole server, so nobody is told of work unless
-- somebody waits for it, and whoever made it is told to tell, beside the answer to its own step, and does so afterwards.

-- Until when somebody waits for work of a tenant, or of all tenants if that is empty.
CREATE TABLE ${schema}.${prefix}work_wanted (
    tenant text COLLATE "C" PRIMARY KEY,
    until  timestamptz NOT NULL
);

-- Leaves the mark of somebody who waits. One that lasts for a while yet is left as it is, so that those who ask in vain again
-- and again write nothing. It is the last row a step locks, so nobody waits in a circle.
CREATE FUNCTION ${schema}.${prefix}want_work(p_tenant text) RETURNS void LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_at CONSTANT timestamptz := clock_timestamp();
BEGIN
    IF NOT EXISTS (
        SELECT FROM ${schema}.${prefix}work_wanted w
        WHERE w.tenant = coalesce(p_tenant, '') AND w.until > v_at + interval '60 s') THEN
        INSERT INTO ${schema}.${prefix}work_wanted AS w (tenant, until)
        VALUES (coalesce(p_tenant, ''), v_at + interval '120 s')
        ON CONFLICT (tenant) DO UPDATE SET until = EXCLUDED.until WHERE w.until <= v_at + interval '60 s';
    END IF;
END $$;

-- Takes work, and leaves a mark if there is less than asked for.
CREATE FUNCTION ${schema}.${prefix}claim_or_wait(p_patience integer, p_claim uuid, p_instance text, p_label text,
                                                 p_tenant text, p_jobs text[], p_max integer)
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_found integer;
BEGIN
    RETURN QUERY SELECT c.* FROM ${schema}.${prefix}claim(p_patience, p_claim, p_instance, p_label, p_tenant, p_jobs, p_max) c;
    GET DIAGNOSTICS v_found = ROW_COUNT;
    IF v_found < p_max THEN
        PERFORM ${schema}.${prefix}want_work(p_tenant);
    END IF;
END $$;

-- Tells whoever runs this step that somebody waits for work of the tenant: INFO reaches it whatever the settings.
CREATE FUNCTION ${schema}.${prefix}tell_of_work(p_tenant text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF EXISTS (
        SELECT FROM ${schema}.${prefix}work_wanted w
        WHERE w.tenant IN (p_tenant, '') AND w.until > clock_timestamp()) THEN
        RAISE INFO USING MESSAGE = p_tenant, ERRCODE = 'IL100';
    END IF;
END $$;

CREATE FUNCTION ${schema}.${prefix}tell_of_run() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM ${schema}.${prefix}tell_of_work(NEW.tenant);
    RETURN NULL;
END $$;

-- Many steps make runs ready to be claimed, so it is told where all of them pass.
CREATE TRIGGER ${prefix}run_is_ready AFTER UPDATE OF state ON ${schema}.${prefix}run
    FOR EACH ROW WHEN (NEW.state = 'PENDING' AND OLD.state <> 'PENDING')
    EXECUTE FUNCTION ${schema}.${prefix}tell_of_run();

CREATE FUNCTION ${schema}.${prefix}tell_of_resumed() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF EXISTS (
        SELECT FROM ${schema}.${prefix}run r
        WHERE r.tenant = OLD.tenant AND r.state = 'PENDING'
            AND CASE WHEN right(OLD.pattern, 1) = '*' THEN starts_with(r.name, left(OLD.pattern, -1))
                     ELSE r.name = OLD.pattern END) THEN
        PERFORM ${schema}.${prefix}tell_of_work(OLD.tenant);
    END IF;
    RETURN NULL;
END $$;

-- Runs that were kept for workers before their key was paused can be claimed again.
CREATE TRIGGER ${prefix}pause_is_over AFTER DELETE ON ${schema}.${prefix}pause
    FOR EACH ROW EXECUTE FUNCTION ${schema}.${prefix}tell_of_resumed();
