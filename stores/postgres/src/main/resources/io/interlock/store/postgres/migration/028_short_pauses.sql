-- Pauses over many keys, once more.

-- As before, but at most 100 keys go on in this step, those whose runs have waited longest; the others are due from now on, and whoever
-- looks next lets them go on. Pausing and resuming keep all grants waiting, those of other tenants too.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}settle_pattern(p_tenant text, p_pattern text)
RETURNS SETOF ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_now   CONSTANT timestamptz := clock_timestamp();
    v_names text[];
    v_first text[];
    v_rows  ${schema}.${prefix}lease[];
    v_late  record;
BEGIN
    v_names := ARRAY(
        SELECT r.name FROM ${schema}.${prefix}run r
        WHERE r.tenant = p_tenant AND r.state = 'QUEUED'
            AND CASE WHEN right(p_pattern, 1) = '*' THEN starts_with(r.name, left(p_pattern, -1))
                     ELSE r.name = p_pattern END
        GROUP BY r.name ORDER BY min(r.number));
    IF cardinality(v_names) = 0 THEN
        RETURN;
    END IF;
    v_first := ARRAY(SELECT u.name FROM unnest(v_names[:100]) u (name) ORDER BY u.name COLLATE "C");
    v_rows := ${schema}.${prefix}gather(array_fill(p_tenant, ARRAY[cardinality(v_first)]), v_first,
                                        array_fill(true, ARRAY[cardinality(v_first)]), true);
    PERFORM ${schema}.${prefix}hold_tenants(array_fill(p_tenant, ARRAY[cardinality(v_first)]), v_first, '{}');
    RETURN QUERY SELECT s.* FROM ${schema}.${prefix}settle_all(v_rows) s;
    FOR v_late IN
        UPDATE ${schema}.${prefix}lease l SET due_at = least(l.due_at, v_now)
        WHERE l.tenant = p_tenant AND l.name = ANY (v_names[101:])
        RETURNING l.name, l.waiters_until
    LOOP
        IF v_late.waiters_until > v_now THEN
            RAISE INFO USING MESSAGE = p_tenant || ':' || v_late.name, ERRCODE = 'IL101';
        END IF;
    END LOOP;
    -- The trigger tells of work that is there; this is work that whoever looks next will find.
    IF cardinality(v_names) > 100 THEN
        PERFORM ${schema}.${prefix}tell_of_work(p_tenant);
    END IF;
END $$;
