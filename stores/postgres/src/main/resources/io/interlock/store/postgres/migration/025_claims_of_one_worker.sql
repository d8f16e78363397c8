-- Claims, once more.

-- As before, but what a claim has taken is shown to nobody but the worker that made it, and only for the tenant it asks for now:
-- whoever knows, or guesses, the name of a claim learns nothing by it.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}claim(p_patience integer, p_claim uuid, p_instance text, p_label text, p_tenant text,
    p_jobs text[], p_max integer)
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_answer ${schema}.${prefix}run_answer;
    v_facts  ${schema}.${prefix}facts;
    v_room   ${schema}.${prefix}room;
    v_row    ${schema}.${prefix}lease;
    v_rows   ${schema}.${prefix}lease[];
    v_run    ${schema}.${prefix}run;
    v_wrong  ${schema}.${prefix}refusal;
    v_taken  integer := 0;
    v_rounds integer := 0;
    v_wanted integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    -- The same claim made twice at once is one.
    PERFORM pg_advisory_xact_lock(hashtextextended('interlock ${schema}.${prefix} claim ' || p_claim, 4711));
    v_answer.request := 1;
    v_answer.verdict := 'claimed';
    v_answer.at := clock_timestamp();
    FOR v_answer.lease, v_answer.run IN
        SELECT l, r FROM ${schema}.${prefix}run r
        JOIN ${schema}.${prefix}lease l ON l.tenant = r.tenant AND l.name = r.name
            AND l.lease_id = r.turn_lease AND l.token = r.turn_token
        WHERE r.turn_claim = p_claim AND r.state = 'RUNNING' AND l.evicted_at IS NULL AND l.expires_at > v_answer.at
            AND r.turn_instance = p_instance AND (p_tenant IS NULL OR r.tenant = p_tenant)
        ORDER BY r.number
    LOOP
        RETURN NEXT v_answer;
        v_taken := v_taken + 1;
    END LOOP;
    IF v_taken > 0 THEN
        RETURN;
    END IF;
    IF ${schema}.${prefix}is_elsewhere() THEN
        v_answer.verdict := 'reattach';
        v_answer.lease := NULL;
        v_answer.run := NULL;
        RETURN NEXT v_answer;
        RETURN;
    END IF;
    -- What has become free since is claimed at once.
    PERFORM FROM ${schema}.${prefix}settle_due(p_tenant, 100);
    LOOP
        v_wanted := p_max - v_taken;
        v_rows := ${schema}.${prefix}claimable(p_tenant, p_jobs, v_wanted);
        v_facts := ${schema}.${prefix}facts(true);
        EXIT WHEN cardinality(v_rows) = 0 OR v_facts.quiet IS NOT NULL;
        FOREACH v_row IN ARRAY v_rows LOOP
            v_room := ${schema}.${prefix}enter(v_facts, v_row);
            LOOP
                SELECT r.* INTO v_run FROM ${schema}.${prefix}run r
                WHERE r.id = (v_room.lease).reserved_run AND r.state = 'PENDING' AND r.job = ANY (p_jobs);
                EXIT WHEN NOT FOUND OR (v_room.pause).tenant IS NOT NULL;
                v_wrong := ${schema}.${prefix}wrong_state(v_room, v_run);
                IF v_wrong.word IS NULL THEN
                    v_room := ${schema}.${prefix}grant(v_room, v_run, ${schema}.${prefix}claimed_lease(p_claim, v_run.id),
                                                       p_instance, p_label, p_claim);
                    RETURN NEXT ${schema}.${prefix}answer(1, 'claimed', v_room, NULL, NULL, v_run.id);
                    v_taken := v_taken + 1;
                    EXIT;
                END IF;
                v_room := ${schema}.${prefix}promote(${schema}.${prefix}fail_by_state(v_room, v_run, v_wrong));
            END LOOP;
            v_room.lease := ${schema}.${prefix}leave(v_room);
            IF v_room.lease IS DISTINCT FROM v_row THEN
                PERFORM ${schema}.${prefix}write(ARRAY[v_room.lease], ARRAY[true]);
            END IF;
        END LOOP;
        v_rounds := v_rounds + 1;
        EXIT WHEN v_taken >= p_max OR cardinality(v_rows) < v_wanted OR v_rounds = 5;
    END LOOP;
END $$;
