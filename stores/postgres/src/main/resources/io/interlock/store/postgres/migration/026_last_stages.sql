-- Heartbeats, and the stages they tell of.

-- As before, but only the last 100 stages of an attempt are kept. RunStatus.MOST_STAGES in Java says it too.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}beat(p_patience integer, p_tenants text[], p_names text[], p_keys integer[],
    p_runs uuid[], p_leases uuid[], p_tokens bigint[], p_stages text[], p_done bigint[], p_total bigint[])
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_rows    ${schema}.${prefix}lease[];
    v_changed boolean[] := array_fill(false, ARRAY[cardinality(p_tenants)]);
    v_facts   ${schema}.${prefix}facts;
    v_answer  ${schema}.${prefix}run_answer;
    v_row     ${schema}.${prefix}lease;
    v_run     ${schema}.${prefix}run;
    v_first   integer;
    i         integer;
    k         integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    v_rows := ${schema}.${prefix}hold(p_tenants, p_names, array_fill(true, ARRAY[cardinality(p_tenants)]),
                                      cardinality(p_keys) = 1);
    v_facts := ${schema}.${prefix}facts(true);
    FOR i IN 1..cardinality(p_keys) LOOP
        k := p_keys[i];
        v_row := v_rows[k];
        v_answer := NULL;
        v_answer.request := i;
        v_answer.at := v_facts.at;
        v_answer.lease := v_row;
        IF v_row.tenant IS NULL AND cardinality(p_keys) > 1 AND EXISTS (
            SELECT FROM ${schema}.${prefix}lease l WHERE l.tenant = p_tenants[k] AND l.name = p_names[k]) THEN
            v_answer.verdict := 'open';
        ELSIF (v_row.lease_id = p_leases[i] AND v_row.token = p_tokens[i]) IS NOT TRUE THEN
            v_answer.verdict := 'gone';
        ELSIF v_row.evicted_at IS NOT NULL THEN
            v_answer.verdict := 'evicted';
        ELSIF v_row.expires_at <= v_facts.at OR v_row.grace IS NULL OR v_row.run_id <> p_runs[i] THEN
            v_answer.verdict := 'expired';
        ELSIF v_row.overdue_at <= v_facts.at THEN
            v_answer.verdict := 'overdue';
        ELSE
            v_answer.verdict := 'beating';
            SELECT r.* INTO v_run FROM ${schema}.${prefix}run r
            WHERE r.id = p_runs[i] AND r.state = 'RUNNING' AND r.turn_lease = p_leases[i] AND r.turn_token = p_tokens[i];
            IF NOT FOUND THEN
                v_answer.verdict := 'expired';
                RETURN NEXT v_answer;
                CONTINUE;
            END IF;
            v_row.expires_at := greatest(v_row.expires_at, ${schema}.${prefix}after(v_facts.at, v_run.ttl));
            v_row := ${schema}.${prefix}rearmed(v_facts, v_row, v_run.ttl);
            IF p_stages[i] IS DISTINCT FROM v_run.stages[cardinality(v_run.stages)] AND p_stages[i] IS NOT NULL THEN
                v_first := greatest(1, cardinality(v_run.stages) + 2 - 100);
                v_run.stages := v_run.stages[v_first:] || p_stages[i];
                v_run.stage_times := v_run.stage_times[v_first:] || v_facts.at;
                UPDATE ${schema}.${prefix}run SET stages = v_run.stages, stage_times = v_run.stage_times WHERE id = v_run.id;
            END IF;
            IF p_done[i] IS NOT NULL
                AND (p_done[i] <> v_run.progress_done OR p_total[i] IS DISTINCT FROM v_run.progress_total) THEN
                v_run.progress_done := p_done[i];
                v_run.progress_total := p_total[i];
                UPDATE ${schema}.${prefix}run SET progress_done = p_done[i], progress_total = p_total[i] WHERE id = v_run.id;
            END IF;
            v_answer.run := v_run;
            v_answer.lease := v_row;
            v_rows[k] := v_row;
            v_changed[k] := true;
        END IF;
        RETURN NEXT v_answer;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;
END $$;
