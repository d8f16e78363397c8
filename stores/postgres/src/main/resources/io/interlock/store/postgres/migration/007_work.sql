-- Taking work, going on with it, ending it.

-- The name of the grant by which a claim takes a run: always the same. ClaimRequest.leaseOf in Java says it too.
CREATE FUNCTION ${schema}.${prefix}claimed_lease(p_claim uuid, p_run uuid) RETURNS uuid LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    v_hash bytea := decode(md5(p_claim || '/' || p_run), 'hex');
BEGIN
    v_hash := set_byte(v_hash, 6, (get_byte(v_hash, 6) & 15) | 48);
    v_hash := set_byte(v_hash, 8, (get_byte(v_hash, 8) & 63) | 128);
    RETURN encode(v_hash, 'hex')::uuid;
END $$;

-- Settles locked keys, writes them, and returns their rooms as they were left.
CREATE FUNCTION ${schema}.${prefix}settle_all(p_rows ${schema}.${prefix}lease[])
RETURNS SETOF ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_facts  CONSTANT ${schema}.${prefix}facts := ${schema}.${prefix}facts(true);
    v_before ${schema}.${prefix}lease;
    v_room   ${schema}.${prefix}room;
BEGIN
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

-- Settles keys that are due, then those that were kept waiting by a limit, of one tenant or of all. Locks none that somebody
-- else has locked.
CREATE FUNCTION ${schema}.${prefix}settle_due(p_tenant text, p_limit integer)
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
    RETURN QUERY SELECT s.* FROM ${schema}.${prefix}settle_all(v_rows) s;
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
        RETURN QUERY SELECT s.* FROM ${schema}.${prefix}settle_all(v_rows) s;
    END LOOP;
END $$;

-- Runs that wait for a worker, those to be claimed first first: of each job and priority the p_window oldest. If all tenants
-- are asked for, each has its turn before any has its second. Goes by index from one job and priority to the next, so it
-- costs no more if thousands wait.
CREATE FUNCTION ${schema}.${prefix}candidates(p_tenant text, p_jobs text[], p_window integer)
RETURNS TABLE (id uuid, tenant text, name text) LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    v_now     CONSTANT timestamptz := clock_timestamp();
    v_tenants text[] := ARRAY[p_tenant];
BEGIN
    IF p_tenant IS NULL THEN
        v_tenants := ARRAY(
            WITH RECURSIVE t (tenant) AS (
                SELECT min(r.tenant || '') FROM ${schema}.${prefix}run r WHERE r.state || '' = 'PENDING'
                UNION ALL
                SELECT (SELECT min(r.tenant || '') FROM ${schema}.${prefix}run r
                        WHERE r.state || '' = 'PENDING' AND r.tenant || '' > t.tenant)
                FROM t WHERE t.tenant IS NOT NULL)
            SELECT t.tenant FROM t WHERE t.tenant IS NOT NULL);
    END IF;
    RETURN QUERY
        WITH RECURSIVE shelf (tenant, job, priority) AS (
            SELECT t.tenant, j.job, (
                SELECT max(r.priority) FROM ${schema}.${prefix}run r
                WHERE r.state || '' = 'PENDING' AND r.tenant || '' = t.tenant AND r.job = j.job)
            FROM unnest(v_tenants) t (tenant) CROSS JOIN unnest(p_jobs) j (job)
            UNION ALL
            SELECT s.tenant, s.job, (
                SELECT max(r.priority) FROM ${schema}.${prefix}run r
                WHERE r.state || '' = 'PENDING' AND r.tenant || '' = s.tenant AND r.job = s.job AND r.priority < s.priority)
            FROM shelf s WHERE s.priority IS NOT NULL)
        SELECT c.id, c.tenant, c.name FROM (
            SELECT r.id, r.tenant, r.name, r.number, r.rank,
                   row_number() OVER (PARTITION BY r.tenant ORDER BY r.rank DESC, r.number) AS turn
            FROM shelf s CROSS JOIN LATERAL (
                SELECT r.id, r.tenant, r.name, r.number,
                       ${schema}.${prefix}rank(r.priority, r.submitted_at, v_now) AS rank
                FROM ${schema}.${prefix}run r
                WHERE r.state || '' = 'PENDING' AND r.tenant || '' = s.tenant AND r.job = s.job AND r.priority = s.priority
                ORDER BY r.number LIMIT p_window) r
            WHERE s.priority IS NOT NULL) c
        ORDER BY c.turn, c.rank DESC, c.number;
END $$;

-- The keys of runs that could be claimed now, locked; none that somebody else has locked.
CREATE FUNCTION ${schema}.${prefix}claimable(p_tenant text, p_jobs text[], p_limit integer)
RETURNS ${schema}.${prefix}lease[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_now    CONSTANT timestamptz := clock_timestamp();
    v_pauses CONSTANT boolean := EXISTS (SELECT FROM ${schema}.${prefix}pause);
    v_window integer := greatest(40, 4 * p_limit);
    v_rows   ${schema}.${prefix}lease[];
    v_seen   record;
BEGIN
    LOOP
        SELECT coalesce(array_agg(c.id), '{}') AS ids, array_agg(c.tenant) AS tenants, array_agg(c.name) AS names
        INTO v_seen FROM ${schema}.${prefix}candidates(p_tenant, p_jobs, v_window) c;
        v_rows := ARRAY(
            SELECT l FROM unnest(v_seen.ids, v_seen.tenants, v_seen.names) WITH ORDINALITY c (id, tenant, name, place)
            JOIN ${schema}.${prefix}lease l ON l.tenant = c.tenant AND l.name = c.name AND l.reserved_run = c.id
            WHERE NOT v_pauses OR NOT ${schema}.${prefix}is_paused(l.tenant, l.name, v_now)
            ORDER BY c.place LIMIT p_limit FOR UPDATE OF l SKIP LOCKED);
        -- Those in front may all be paused, or just being claimed: then look further.
        EXIT WHEN cardinality(v_rows) >= p_limit OR cardinality(v_seen.ids) < v_window OR v_window > 10000;
        v_window := v_window * 8;
    END LOOP;
    RETURN v_rows;
END $$;

-- Takes work. Verdicts: claimed (lease, run), reattach.
CREATE FUNCTION ${schema}.${prefix}claim(p_patience integer, p_claim uuid, p_instance text, p_label text, p_tenant text,
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

-- Gives waiting callers their turn, if it is, and hears that they still wait.
-- Verdicts: granted (lease, run), waiting (run, position, refusal), over (run), open, reattach.
CREATE FUNCTION ${schema}.${prefix}take_turn(p_patience integer, p_tenants text[], p_names text[], p_keys integer[],
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
                v_room := ${schema}.${prefix}grant(v_room, v_run, p_leases[i], p_instances[i], p_labels[i], NULL);
                v_answer := ${schema}.${prefix}answer(i, 'granted', v_room, NULL, NULL, v_run.id);
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

-- Renews the leases of runs by their ttl, and keeps what they report. Like a renewal it settles nothing, and waits for no
-- latch: whoever works must not lose its lease because somebody pauses other keys.
-- Verdicts: beating (lease, run with its stop request), expired, evicted, gone, overdue, open.
CREATE FUNCTION ${schema}.${prefix}beat(p_patience integer, p_tenants text[], p_names text[], p_keys integer[],
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
            SELECT r.* INTO STRICT v_run FROM ${schema}.${prefix}run r WHERE r.id = p_runs[i];
            v_row.expires_at := greatest(v_row.expires_at, ${schema}.${prefix}after(v_facts.at, v_run.ttl));
            v_row := ${schema}.${prefix}rearmed(v_facts, v_row, v_run.ttl);
            IF p_stages[i] IS DISTINCT FROM v_run.stages[cardinality(v_run.stages)] AND p_stages[i] IS NOT NULL THEN
                v_run.stages := v_run.stages || p_stages[i];
                v_run.stage_times := v_run.stage_times || v_facts.at;
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

-- Whether what happened to a run is what an ending says.
CREATE FUNCTION ${schema}.${prefix}is_what_happened(p_run ${schema}.${prefix}run, p_ending text, p_result text, p_code text,
                                                    p_message text, p_retryable boolean)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE p_ending
        WHEN 'SUCCEEDED' THEN p_run.state = 'SUCCEEDED' AND p_run.result IS NOT DISTINCT FROM p_result
        -- Back in line, failed or dead: whichever its attempts allowed. Or aborted, if it was asked to stop.
        WHEN 'FAILED' THEN p_run.state NOT IN ('SUCCEEDED', 'TIMED_OUT')
            AND (p_run.error_code = p_code AND p_run.error_message = p_message) IS TRUE
            OR (p_retryable AND p_run.state = 'ABORTED' AND p_run.error_code = p_run.stop_code
                AND p_run.error_message = 'stopped for ' || p_run.stop_actor || ': ' || p_run.stop_reason) IS TRUE
        ELSE p_run.state = p_ending AND (p_run.error_code = p_code AND p_run.error_message = p_message) IS TRUE END
$$;

-- Ends attempts; the next in line has the key in the same step. p_rests: microseconds, or null for what the plan says.
-- Verdicts: finished, already, expired, evicted, gone (each with the run as it stands), open.
CREATE FUNCTION ${schema}.${prefix}finish(p_patience integer, p_tenants text[], p_names text[], p_keys integer[],
    p_runs uuid[], p_leases uuid[], p_tokens bigint[], p_endings text[], p_results text[], p_codes text[],
    p_messages text[], p_retryable boolean[], p_rests bigint[])
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
    v_proved  boolean;
    v_verdict text;
    i         integer;
    k         integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
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
        v_proved := ((v_room.lease).lease_id = p_leases[i] AND (v_room.lease).token = p_tokens[i]) IS TRUE;
        IF v_proved AND ((v_room.lease).evicted_at IS NOT NULL OR (v_room.lease).expires_at <= v_facts.at) THEN
            v_verdict := CASE WHEN (v_room.lease).evicted_at IS NOT NULL THEN 'evicted' ELSE 'expired' END;
            v_room := ${schema}.${prefix}stopped(v_room);
        ELSIF (v_run.turn_lease = p_leases[i] AND v_run.turn_token = p_tokens[i]) IS NOT TRUE THEN
            v_verdict := 'gone';
        ELSIF v_run.state <> 'RUNNING' OR NOT v_proved THEN
            v_verdict := CASE WHEN ${schema}.${prefix}is_what_happened(v_run, p_endings[i], p_results[i], p_codes[i],
                                                                        p_messages[i], p_retryable[i]) THEN 'finished' ELSE 'already' END;
        ELSE
            v_verdict := 'finished';
            IF p_endings[i] = 'FAILED' AND p_retryable[i] THEN
                v_room := ${schema}.${prefix}again(v_room, v_run, p_codes[i], p_messages[i], p_rests[i], v_row.label,
                                                   p_codes[i]);
            ELSE
                v_room := ${schema}.${prefix}end_run(v_room, v_run, p_endings[i], p_results[i], p_codes[i], p_messages[i],
                                                     v_row.label, coalesce(p_codes[i], 'succeeded'));
            END IF;
            v_room.lease := ${schema}.${prefix}freed(v_room.lease, v_facts.at);
            v_room := ${schema}.${prefix}promote(v_room);
        END IF;
        RETURN NEXT ${schema}.${prefix}answer(i, v_verdict, v_room, NULL, NULL, v_run.id);
        v_rows[k] := ${schema}.${prefix}leave(v_room);
        v_changed[k] := v_changed[k] OR v_rows[k] IS DISTINCT FROM v_row;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;
END $$;
