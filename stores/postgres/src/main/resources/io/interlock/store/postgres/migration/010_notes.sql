-- What is kept beside runs for people and for the engine's own use. None of it decides who has a key, so none of it is
-- changed under the lock of a key's row.

CREATE TABLE ${schema}.${prefix}output (
    run_id uuid PRIMARY KEY,
    text   text NOT NULL
);

-- How often submissions under a key started nothing new, by minute and by the process that counted.
CREATE TABLE ${schema}.${prefix}refusal_count (
    tenant  text COLLATE "C" NOT NULL,
    name    text COLLATE "C" NOT NULL,
    minute  timestamptz NOT NULL,
    node    text COLLATE "C" NOT NULL,
    policy  text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    count   bigint NOT NULL,
    last    text NOT NULL,
    PRIMARY KEY (tenant, name, minute, node, policy, outcome)
);
CREATE INDEX ${prefix}refusal_count_by_minute ON ${schema}.${prefix}refusal_count (minute);

CREATE TABLE ${schema}.${prefix}worker (
    instance text COLLATE "C" PRIMARY KEY,
    label    text NOT NULL,
    run_id   uuid,
    jobs     text[] NOT NULL,
    slots    integer NOT NULL,
    busy     integer NOT NULL,
    version  text NOT NULL,
    seen_at  timestamptz NOT NULL
);

CREATE TABLE ${schema}.${prefix}bookmark (
    name  text COLLATE "C" PRIMARY KEY,
    value bigint NOT NULL
);

-- Keeps the end of what a run says, if the proof is that of its current or last attempt. The run's row is locked, so that
-- nobody begins another attempt or forgets the run in between.
CREATE FUNCTION ${schema}.${prefix}keep_output(p_patience integer, p_run uuid, p_tenant text, p_name text, p_lease uuid,
                                               p_token bigint, p_text text, OUT kept boolean)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    PERFORM FROM ${schema}.${prefix}run r
    WHERE r.id = p_run AND r.tenant = p_tenant AND r.name = p_name AND r.turn_lease = p_lease AND r.turn_token = p_token
    FOR NO KEY UPDATE;
    kept := FOUND;
    IF kept THEN
        INSERT INTO ${schema}.${prefix}output AS o (run_id, text) VALUES (p_run, p_text)
        ON CONFLICT (run_id) DO UPDATE SET text = EXCLUDED.text;
    END IF;
END $$;

CREATE FUNCTION ${schema}.${prefix}output_of(p_run uuid)
RETURNS SETOF ${schema}.${prefix}output LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT o.* FROM ${schema}.${prefix}output o WHERE o.run_id = p_run
$$;

-- A count takes the place of a smaller one. Sorted, so that of two batches with the same rows one waits for the other.
CREATE FUNCTION ${schema}.${prefix}count_refusals(p_patience integer, p_tenants text[], p_names text[],
    p_minutes timestamptz[], p_nodes text[], p_policies text[], p_outcomes text[], p_counts bigint[], p_lasts text[])
RETURNS void LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    INSERT INTO ${schema}.${prefix}refusal_count AS c (tenant, name, minute, node, policy, outcome, count, last)
    SELECT DISTINCT ON (u.tenant COLLATE "C", u.name COLLATE "C", u.minute, u.node COLLATE "C", u.policy COLLATE "C",
                        u.outcome COLLATE "C") u.*
    FROM unnest(p_tenants, p_names, p_minutes, p_nodes, p_policies, p_outcomes, p_counts, p_lasts)
        u (tenant, name, minute, node, policy, outcome, count, last)
    ORDER BY u.tenant COLLATE "C", u.name COLLATE "C", u.minute, u.node COLLATE "C", u.policy COLLATE "C",
             u.outcome COLLATE "C", u.count DESC
    ON CONFLICT (tenant, name, minute, node, policy, outcome) DO UPDATE
    SET count = EXCLUDED.count, last = EXCLUDED.last WHERE c.count < EXCLUDED.count;
END $$;

CREATE FUNCTION ${schema}.${prefix}refusals_of(p_tenant text, p_name text, p_since timestamptz)
RETURNS SETOF ${schema}.${prefix}refusal_count LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.* FROM ${schema}.${prefix}refusal_count c
    WHERE c.tenant = p_tenant AND c.name = p_name AND c.minute >= p_since
    ORDER BY c.minute, c.node, c.policy, c.outcome
$$;

CREATE FUNCTION ${schema}.${prefix}note_worker(p_patience integer, p_instance text, p_label text, p_run uuid, p_jobs text[],
                                               p_slots integer, p_busy integer, p_version text)
RETURNS void LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    INSERT INTO ${schema}.${prefix}worker AS w (instance, label, run_id, jobs, slots, busy, version, seen_at)
    VALUES (p_instance, p_label, p_run, p_jobs, p_slots, p_busy, p_version, clock_timestamp())
    ON CONFLICT (instance) DO UPDATE
    SET label = EXCLUDED.label, run_id = EXCLUDED.run_id, jobs = EXCLUDED.jobs, slots = EXCLUDED.slots,
        busy = EXCLUDED.busy, version = EXCLUDED.version, seen_at = EXCLUDED.seen_at;
END $$;

CREATE FUNCTION ${schema}.${prefix}workers(p_micros bigint)
RETURNS SETOF ${schema}.${prefix}worker LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT w.* FROM ${schema}.${prefix}worker w
    WHERE w.seen_at >= ${schema}.${prefix}after(clock_timestamp(), -p_micros) ORDER BY w.instance
$$;

CREATE FUNCTION ${schema}.${prefix}bookmark_of(p_name text)
RETURNS SETOF ${schema}.${prefix}bookmark LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT b.* FROM ${schema}.${prefix}bookmark b WHERE b.name = p_name
$$;

-- Moves a bookmark from where somebody saw it; there says whether it is where it should go, moved or not.
CREATE FUNCTION ${schema}.${prefix}move_bookmark(p_patience integer, p_name text, p_expected bigint, p_value bigint,
                                                 OUT moved boolean, OUT there boolean)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    IF p_expected = 0 THEN
        INSERT INTO ${schema}.${prefix}bookmark AS b (name, value) VALUES (p_name, p_value)
        ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value WHERE b.value = 0;
    ELSE
        UPDATE ${schema}.${prefix}bookmark b SET value = p_value WHERE b.name = p_name AND b.value = p_expected;
    END IF;
    moved := FOUND;
    there := EXISTS (SELECT FROM ${schema}.${prefix}bookmark b WHERE b.name = p_name AND b.value = p_value);
END $$;
