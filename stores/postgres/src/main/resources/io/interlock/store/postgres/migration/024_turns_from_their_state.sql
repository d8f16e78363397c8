-- Turns, once more.

-- As before, but the state of the resource is looked at once more: it may have been set since the key was offered.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}take_turn(p_patience integer, p_tenants text[], p_names text[], p_keys integer[],
    p_runs uuid[], p_leases uuid[], p_instances text[], p_labels text[])
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_rows    ${schema}.${prefix}lease[];
    v_changed boolean[] := array_fill(false, ARRAY[cardinality(p_tenants)]);
    v_facts   ${schema}.${prefix}facts;
    v_answer  ${schema}.${prefix}run_answer;
    v_room    ${schema}.${prefix}room;
    v_row     ${schema}.${prefix}lease;
    v_run     ${schema}.${prefix}run;
    v_wrong   ${schema}.${prefix}refusal;
    i         integer;
    k         integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    IF ${schema}.${prefix}is_elsewhere() THEN
        v_answer.request := 1;
        v_answer.verdict := 'reattach';
        v_answer.at := clock_timestamp();
        RETURN NEXT v_answer;
        RETURN;
    END IF;
    v_rows := ${schema}.${prefix}gather(p_tenants, p_names, array_fill(true, ARRAY[cardinality(p_tenants)]),
                                        cardinality(p_keys) = 1);
    PERFORM ${schema}.${prefix}hold_tenants(p_tenants, p_names, '{}');
    v_facts := ${schema}.${prefix}facts(true);
    FOR i IN 1..cardinality(p_keys) LOOP
        k := p_keys[i];
        v_row := v_rows[k];
        IF v_row.tenant IS NULL THEN
            v_answer := NULL;
            v_answer.request := i;
            v_answer.verdict := 'open';
            v_answer.at := v_facts.at;
            RETURN NEXT v_answer;
            CONTINUE;
        END IF;
        v_room := ${schema}.${prefix}enter(v_facts, v_row);
        SELECT r.* INTO v_run FROM ${schema}.${prefix}run r WHERE r.id = p_runs[i];
        IF v_run.execution = 'CALLER' AND v_run.state = 'QUEUED' AND v_run.tenant = v_row.tenant AND v_run.name = v_row.name
        THEN
            v_run.waiter_seen := v_facts.at;
            v_run.waiter_missed := false;
            PERFORM ${schema}.${prefix}keep(v_run, v_facts.at);
            v_room := ${schema}.${prefix}promote(v_room);
            IF (v_room.lease).reserved_run = v_run.id AND v_facts.quiet IS NULL AND (v_room.pause).tenant IS NULL
                AND v_run.max_running > ${schema}.${prefix}crowd(v_room) THEN
                v_wrong := ${schema}.${prefix}wrong_state(v_room, v_run);
                IF v_wrong.word IS NULL THEN
                    v_room := ${schema}.${prefix}grant(v_room, v_run, p_leases[i], p_instances[i], p_labels[i], NULL);
                    v_answer := ${schema}.${prefix}answer(i, 'granted', v_room, NULL, NULL, v_run.id);
                ELSE
                    v_room := ${schema}.${prefix}promote(${schema}.${prefix}fail_by_state(v_room, v_run, v_wrong));
                    v_answer := ${schema}.${prefix}answer(i, 'over', v_room, NULL, NULL, v_run.id);
                END IF;
            ELSIF NOT EXISTS (SELECT FROM ${schema}.${prefix}run r WHERE r.id = v_run.id AND r.state = 'QUEUED') THEN
                -- Its turn came, and it may not start from where the resource stands.
                v_answer := ${schema}.${prefix}answer(i, 'over', v_room, NULL, NULL, v_run.id);
            ELSE
                v_answer := ${schema}.${prefix}answer(i, 'waiting', v_room, ${schema}.${prefix}place(v_room, v_run.id),
                                                      ${schema}.${prefix}in_the_way(v_room, v_run), v_run.id);
                IF (v_answer.mark > v_facts.at + interval '30 s') IS NOT TRUE THEN
                    v_room.lease.waiters_until := v_facts.at + interval '60 s';
                END IF;
            END IF;
        ELSIF v_run.execution = 'CALLER' AND v_run.state = 'RUNNING' AND (v_room.lease).lease_id = p_leases[i]
            AND v_run.turn_lease = p_leases[i] AND v_run.turn_token = (v_room.lease).token
            AND (v_room.lease).evicted_at IS NULL AND (v_room.lease).expires_at > v_facts.at THEN
            v_answer := ${schema}.${prefix}answer(i, 'granted', v_room, NULL, NULL, v_run.id);
        ELSE
            v_answer := ${schema}.${prefix}answer(i, 'over', v_room, NULL, NULL, v_run.id);
        END IF;
        RETURN NEXT v_answer;
        v_rows[k] := ${schema}.${prefix}leave(v_room);
        v_changed[k] := v_changed[k] OR v_rows[k] IS DISTINCT FROM v_row;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;
END $$;
