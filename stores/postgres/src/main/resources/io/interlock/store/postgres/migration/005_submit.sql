-- Asking for a run.

-- What becomes of a newcomer: start, queue, supersede, refused (with the refusal) or joined (with the run).
CREATE TYPE ${schema}.${prefix}judgement AS (
    word    text,
    run     uuid,
    refusal ${schema}.${prefix}refusal
);

-- Whose run a newcomer would join: the holder's, else that for which the key is kept, else the first in line.
CREATE FUNCTION ${schema}.${prefix}incumbent(p_room ${schema}.${prefix}room) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF (p_room.lease).grace IS NOT NULL THEN
        RETURN (p_room.lease).run_id;
    ELSIF (p_room.lease).reserved_run IS NOT NULL THEN
        RETURN (p_room.lease).reserved_run;
    END IF;
    RETURN (SELECT (l.run).id FROM ${schema}.${prefix}line(p_room) l WHERE l.place = 1);
END $$;

-- What keeps a newcomer from starting at once.
CREATE FUNCTION ${schema}.${prefix}in_front(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run)
RETURNS ${schema}.${prefix}refusal LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_refusal ${schema}.${prefix}refusal := ${schema}.${prefix}ahead(p_room);
    v_run     ${schema}.${prefix}run;
    v_id      uuid;
    v_busy    integer;
BEGIN
    IF v_refusal.word IS NOT NULL THEN
        RETURN v_refusal;
    END IF;
    v_id := ${schema}.${prefix}owner(p_room);
    IF v_id IS NULL AND p_run.max_running < 2147483647 THEN
        v_busy := ${schema}.${prefix}under_way(p_run.tenant);
        IF v_busy >= p_run.max_running THEN
            RETURN ${schema}.${prefix}tenant_busy(v_busy, p_run.max_running);
        END IF;
    END IF;
    -- A run that rests between two attempts is in nobody's way, but whoever joins joins it.
    IF v_id IS NULL AND p_run.policy = 'JOIN' THEN
        v_id := ${schema}.${prefix}incumbent(p_room);
    END IF;
    IF v_id IS NOT NULL THEN
        SELECT r.* INTO v_run FROM ${schema}.${prefix}run r WHERE r.id = v_id;
        v_refusal := ${schema}.${prefix}queued_ahead(p_room, v_run);
    END IF;
    RETURN v_refusal;
END $$;

-- Decides about a newcomer, and writes nothing.
CREATE FUNCTION ${schema}.${prefix}judge(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run)
RETURNS ${schema}.${prefix}judgement LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_obstacle CONSTANT ${schema}.${prefix}refusal := ${schema}.${prefix}in_front(p_room, p_run);
    v_wrong    CONSTANT ${schema}.${prefix}refusal := ${schema}.${prefix}wrong_state(p_room, p_run);
    v_judged   ${schema}.${prefix}judgement;
    v_waiting  integer;
BEGIN
    v_judged.word := 'refused';
    -- Whoever may wait is judged when its turn comes; if that is now, then now.
    IF v_wrong.word IS NOT NULL AND (v_obstacle.word IS NULL OR p_run.policy NOT IN ('QUEUE', 'QUEUE_LATEST')) THEN
        v_judged.refusal := v_wrong;
        RETURN v_judged;
    ELSIF v_obstacle.word IS NULL THEN
        v_judged.word := 'start';
        RETURN v_judged;
    END IF;
    v_judged.refusal := v_obstacle;
    IF p_run.policy IN ('QUEUE', 'QUEUE_LATEST', 'REPLACE') THEN
        SELECT count(*) INTO v_waiting FROM ${schema}.${prefix}run r
        WHERE r.tenant = p_run.tenant AND r.name = p_run.name AND r.state = 'QUEUED'
            AND (p_run.policy = 'QUEUE' OR r.job <> p_run.job);
        IF v_waiting >= p_run.queue_cap THEN
            v_judged.refusal := ROW ('full', NULL, NULL, NULL, NULL, v_waiting, p_run.queue_cap, NULL, NULL,
                                     NULL)::${schema}.${prefix}refusal;
        ELSE
            v_judged.word := CASE p_run.policy WHEN 'QUEUE' THEN 'queue' ELSE 'supersede' END;
        END IF;
    ELSIF p_run.policy = 'JOIN' THEN
        v_judged.run := ${schema}.${prefix}incumbent(p_room);
        IF v_judged.run IS NOT NULL THEN
            v_judged.word := 'joined';
        END IF;
    END IF;
    RETURN v_judged;
END $$;

-- Whether a newcomer may be refused, so that a look without a lock is worth its while.
CREATE FUNCTION ${schema}.${prefix}may_be_refused(p_facts ${schema}.${prefix}facts, p_row ${schema}.${prefix}lease,
                                                  p_run ${schema}.${prefix}run)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN p_run.policy IN ('REJECT', 'SKIP', 'JOIN') THEN p_facts.paused OR p_facts.quiet IS NOT NULL
            OR p_row.lease_id IS NOT NULL OR p_row.reserved_run IS NOT NULL OR p_row.due_at IS NOT NULL
            OR p_run.max_running < 2147483647 OR p_run.guard_kind IS NOT NULL
        ELSE p_run.queue_cap < 2147483647 OR p_run.guard_kind IS NOT NULL END
$$;

-- Lets a newcomer in, in line or with the key kept for it.
CREATE FUNCTION ${schema}.${prefix}let_in(p_at timestamptz, p_run ${schema}.${prefix}run)
RETURNS ${schema}.${prefix}run LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    p_run.number := nextval('${schema}.${prefix}run_number');
    p_run.submitted_at := p_at;
    p_run.state := 'QUEUED';
    p_run.since := p_at;
    p_run.attempts := 0;
    p_run.waiter_seen := CASE p_run.execution WHEN 'CALLER' THEN p_at END;
    p_run.waiter_missed := CASE p_run.execution WHEN 'CALLER' THEN false END;
    p_run.stages := '{}';
    p_run.stage_times := '{}';
    p_run.progress_done := 0;
    p_run.due_at := ${schema}.${prefix}own_due(p_run, p_at);
    INSERT INTO ${schema}.${prefix}run VALUES (p_run.*) ON CONFLICT (id) DO NOTHING;
    IF NOT FOUND THEN
        -- Somebody has just submitted it under another key. Asking again finds it.
        RAISE EXCEPTION 'run % is being submitted twice', p_run.id USING ERRCODE = 'serialization_failure';
    END IF;
    PERFORM ${schema}.${prefix}note(p_at, p_run, 'submitted', '', 'QUEUED', p_run.submitter, 'submitted');
    RETURN p_run;
END $$;

-- Starts a run whose turn it is: with its caller's lease, or kept for a worker.
CREATE FUNCTION ${schema}.${prefix}start(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run, p_lease uuid,
                                         p_instance text, p_label text)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF p_run.execution = 'CALLER' THEN
        RETURN ${schema}.${prefix}grant(p_room, p_run, p_lease, p_instance, p_label, NULL);
    END IF;
    RETURN ${schema}.${prefix}reserve(p_room, p_run);
END $$;

-- Lets p_run in, in place of the runs of its job that wait; with REPLACE also of the one that has the key.
CREATE FUNCTION ${schema}.${prefix}supersede(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_at      CONSTANT timestamptz := (p_room.facts).at;
    v_message CONSTANT text := 'run ' || p_run.id || ' took its place';
    v_old     ${schema}.${prefix}run;
BEGIN
    FOR v_old IN
        SELECT r.* FROM ${schema}.${prefix}run r
        WHERE r.tenant = p_run.tenant AND r.name = p_run.name AND r.id <> p_run.id
            AND CASE r.state WHEN 'QUEUED' THEN r.job = p_run.job
                             WHEN 'PENDING' THEN p_run.policy = 'REPLACE' ELSE false END
        ORDER BY r.number
    LOOP
        p_room := ${schema}.${prefix}end_run(p_room, v_old, 'ABORTED', NULL, 'SUPERSEDED', v_message, p_run.submitter,
                                             v_message);
    END LOOP;
    IF p_run.policy = 'REPLACE' THEN
        SELECT r.* INTO v_old FROM ${schema}.${prefix}run r
        WHERE r.tenant = p_run.tenant AND r.name = p_run.name AND r.state = 'RUNNING';
        IF FOUND THEN
            PERFORM ${schema}.${prefix}ask_to_stop(v_at, v_old, 'SUPERSEDED', p_run.submitter, 'replaced by run ' || p_run.id);
        END IF;
    END IF;
    RETURN ${schema}.${prefix}choose(p_room);
END $$;

-- Who decides alone about an idempotency key.
CREATE FUNCTION ${schema}.${prefix}name_latch(p_tenant text, p_name text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended('interlock ${schema}.${prefix} name ' || p_tenant || ':' || p_name, 4711)
$$;

-- One request for a locked key, by somebody who is not known yet.
CREATE FUNCTION ${schema}.${prefix}submit_one(p_request integer, p_room ${schema}.${prefix}room,
    p_run ${schema}.${prefix}run, p_lease uuid, p_instance text, p_label text)
RETURNS ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_at     CONSTANT timestamptz := (p_room.facts).at;
    v_judged ${schema}.${prefix}judgement;
    v_answer ${schema}.${prefix}run_answer;
    v_state  text;
BEGIN
    v_judged := ${schema}.${prefix}judge(p_room, p_run);
    IF v_judged.word IN ('refused', 'joined') THEN
        RETURN ${schema}.${prefix}answer(p_request, v_judged.word, p_room, NULL, v_judged.refusal, v_judged.run);
    END IF;
    p_run := ${schema}.${prefix}let_in(v_at, p_run);
    IF v_judged.word = 'start' THEN
        p_room := ${schema}.${prefix}start(p_room, p_run, p_lease, p_instance, p_label);
    ELSIF v_judged.word = 'supersede' THEN
        p_room := ${schema}.${prefix}supersede(p_room, p_run);
        IF p_run.execution = 'CALLER' AND (p_room.next).id = p_run.id THEN
            p_room := ${schema}.${prefix}start(p_room, p_run, p_lease, p_instance, p_label);
        ELSIF (p_room.next).id IS NOT NULL THEN
            p_room := ${schema}.${prefix}reserve(p_room, p_room.next);
        END IF;
    END IF;
    SELECT r.state INTO v_state FROM ${schema}.${prefix}run r WHERE r.id = p_run.id;
    IF v_state IN ('PENDING', 'RUNNING') THEN
        RETURN ${schema}.${prefix}answer(p_request, 'started', p_room, NULL, NULL, p_run.id);
    END IF;
    v_answer := ${schema}.${prefix}answer(p_request, 'queued', p_room, ${schema}.${prefix}place(p_room, p_run.id), NULL,
                                          p_run.id);
    -- Whoever waits for its own turn is woken by whoever makes room.
    IF p_run.execution = 'CALLER' AND (v_answer.mark > v_at + interval '30 s') IS NOT TRUE THEN
        v_answer.lease.waiters_until := v_at + interval '60 s';
    END IF;
    RETURN v_answer;
END $$;

-- The answer to a request made again with the id of a run that exists.
CREATE FUNCTION ${schema}.${prefix}submitted_before(p_request integer, p_room ${schema}.${prefix}room,
                                                    p_run ${schema}.${prefix}run, p_lease uuid)
RETURNS ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_mine CONSTANT boolean := p_run.state = 'RUNNING' AND (p_room.lease).grace IS NOT NULL
        AND (p_room.lease).run_id = p_run.id AND (p_room.lease).lease_id = p_lease
        AND (p_room.lease).evicted_at IS NULL AND (p_room.lease).expires_at > (p_room.facts).at;
BEGIN
    RETURN ${schema}.${prefix}answer(p_request,
        CASE WHEN p_run.state = 'QUEUED' THEN 'queued' WHEN p_run.state = 'PENDING' OR v_mine THEN 'started'
             ELSE 'duplicate' END,
        p_room, CASE p_run.state WHEN 'QUEUED' THEN ${schema}.${prefix}place(p_room, p_run.id) END, NULL, p_run.id);
END $$;

-- Starts, joins, queues or refuses.
--   p_tenants, p_names  the keys of the whole batch, sorted, each once; p_keys: the number of each request's key
--   p_runs              what is asked for: an array of objects with columns of the table of runs
--   p_known_as, p_fingerprints, p_keeps     idempotency, or null
--   p_leases, p_instances, p_labels         the caller, if it does the work itself, or null
-- Verdicts: started, joined, queued (position), refused (refusal, lease), duplicate, mismatch, open, reattach.
CREATE FUNCTION ${schema}.${prefix}submit(
    p_patience integer, p_tenants text[], p_names text[], p_keys integer[], p_runs json, p_known_as text[],
    p_fingerprints text[], p_keeps bigint[], p_leases uuid[], p_instances text[], p_labels text[])
RETURNS SETOF ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_count   CONSTANT integer := cardinality(p_keys);
    v_runs    CONSTANT ${schema}.${prefix}run[] := ARRAY(
        SELECT r FROM json_populate_recordset(NULL::${schema}.${prefix}run, p_runs) r);
    v_rows    ${schema}.${prefix}lease[] := array_fill(NULL::${schema}.${prefix}lease, ARRAY[cardinality(p_tenants)]);
    v_wanted  boolean[] := array_fill(false, ARRAY[cardinality(p_tenants)]);
    v_changed boolean[] := v_wanted;
    v_pending integer[] := '{}';
    v_facts   ${schema}.${prefix}facts;
    v_room    ${schema}.${prefix}room;
    v_row     ${schema}.${prefix}lease;
    v_run     ${schema}.${prefix}run;
    v_known   ${schema}.${prefix}run;
    v_named   ${schema}.${prefix}remembered;
    v_judged  ${schema}.${prefix}judgement;
    v_answer  ${schema}.${prefix}run_answer;
    v_item    record;
    i         integer;
    k         integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);

    -- 1. A plain read. It may refuse, and lets nobody in.
    v_facts := ${schema}.${prefix}facts(false);
    FOR v_item IN
        SELECT u.key, l AS row FROM unnest(p_tenants, p_names) WITH ORDINALITY u (tenant, name, key)
        JOIN ${schema}.${prefix}lease l ON l.tenant = u.tenant AND l.name = u.name
    LOOP
        v_rows[v_item.key] := v_item.row;
    END LOOP;
    FOR i IN 1..v_count LOOP
        k := p_keys[i];
        v_row := v_rows[k];
        v_row.tenant := p_tenants[k];
        v_row.name := p_names[k];
        v_run := v_runs[i];
        v_run.tenant := p_tenants[k];
        v_run.name := p_names[k];
        IF NOT v_wanted[k] AND (v_row.due_at <= v_facts.at) IS NOT TRUE AND v_row.max_running IS NULL THEN
            v_named := NULL;
            SELECT r.* INTO v_known FROM ${schema}.${prefix}run r WHERE r.id = v_run.id;
            IF NOT FOUND AND p_known_as[i] IS NOT NULL THEN
                SELECT n.* INTO v_named FROM ${schema}.${prefix}remembered n
                WHERE n.tenant = v_run.tenant AND n.name = p_known_as[i] AND n.until > v_facts.at;
            END IF;
            v_room := ${schema}.${prefix}look(v_facts, v_row);
            IF v_known.id IS NOT NULL THEN
                RETURN NEXT ${schema}.${prefix}submitted_before(i, v_room, v_known, p_leases[i]);
                CONTINUE;
            ELSIF v_named.run_id IS NOT NULL THEN
                RETURN NEXT ${schema}.${prefix}answer(i,
                    CASE WHEN v_named.fingerprint = p_fingerprints[i] THEN 'duplicate' ELSE 'mismatch' END,
                    v_room, NULL, NULL, v_named.run_id);
                CONTINUE;
            ELSIF ${schema}.${prefix}may_be_refused(v_facts, v_row, v_run) THEN
                v_judged := ${schema}.${prefix}judge(v_room, v_run);
                IF v_judged.word = 'refused' THEN
                    RETURN NEXT ${schema}.${prefix}answer(i, 'refused', v_room, NULL, v_judged.refusal, NULL);
                    CONTINUE;
                ELSIF v_judged.word = 'joined' THEN
                    v_answer := ${schema}.${prefix}answer(i, 'joined', v_room, NULL, NULL, v_judged.run);
                    -- It may have ended since the row was read. A name must be remembered, so somebody else joins below.
                    IF (v_answer.run).state IN ('QUEUED', 'PENDING', 'RUNNING') AND p_known_as[i] IS NULL THEN
                        RETURN NEXT v_answer;
                        CONTINUE;
                    END IF;
                END IF;
            END IF;
        END IF;
        v_pending := v_pending || i;
        v_wanted[k] := true;
    END LOOP;
    IF cardinality(v_pending) = 0 THEN
        RETURN;
    END IF;

    -- 2. Locks: the epoch and pauses, the idempotency key, the rows, the tenants.
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    IF ${schema}.${prefix}is_elsewhere() THEN
        v_answer := NULL;
        v_answer.request := v_pending[1];
        v_answer.verdict := 'reattach';
        v_answer.at := clock_timestamp();
        RETURN NEXT v_answer;
        RETURN;
    END IF;
    IF v_count = 1 AND p_known_as[1] IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock(${schema}.${prefix}name_latch(p_tenants[1], p_known_as[1]));
    END IF;
    v_rows := ${schema}.${prefix}gather(p_tenants, p_names, v_wanted, v_count = 1);
    PERFORM ${schema}.${prefix}hold_tenants(p_tenants, p_names, ARRAY(
        SELECT p_tenants[p_keys[u.i]] FROM unnest(v_pending) u (i) WHERE (v_runs[u.i]).max_running < 2147483647));

    -- 3. The clock, after the locks.
    v_facts := ${schema}.${prefix}facts(true);

    -- 4. Decide, request by request.
    FOREACH i IN ARRAY v_pending LOOP
        k := p_keys[i];
        v_row := v_rows[k];
        -- In company nobody waits for anybody, so that nobody waits for each other.
        IF v_row.tenant IS NULL OR (v_count > 1 AND p_known_as[i] IS NOT NULL AND NOT pg_try_advisory_xact_lock(
            ${schema}.${prefix}name_latch(p_tenants[k], p_known_as[i]))) THEN
            v_answer := NULL;
            v_answer.request := i;
            v_answer.verdict := 'open';
            v_answer.at := v_facts.at;
            RETURN NEXT v_answer;
            CONTINUE;
        END IF;
        v_run := v_runs[i];
        v_run.tenant := p_tenants[k];
        v_run.name := p_names[k];
        v_room := ${schema}.${prefix}enter(v_facts, v_row);
        SELECT r.* INTO v_known FROM ${schema}.${prefix}run r WHERE r.id = v_run.id;
        v_named := NULL;
        IF v_known.id IS NULL AND p_known_as[i] IS NOT NULL THEN
            SELECT n.* INTO v_named FROM ${schema}.${prefix}remembered n
            WHERE n.tenant = v_run.tenant AND n.name = p_known_as[i] AND n.until > v_facts.at;
        END IF;
        IF v_known.id IS NOT NULL THEN
            v_answer := ${schema}.${prefix}submitted_before(i, v_room, v_known, p_leases[i]);
        ELSIF v_named.run_id IS NOT NULL THEN
            v_answer := ${schema}.${prefix}answer(i,
                CASE WHEN v_named.fingerprint = p_fingerprints[i] THEN 'duplicate' ELSE 'mismatch' END,
                v_room, NULL, NULL, v_named.run_id);
        ELSE
            v_answer := ${schema}.${prefix}submit_one(i, v_room, v_run, p_leases[i], p_instances[i], p_labels[i]);
            IF p_known_as[i] IS NOT NULL AND v_answer.verdict IN ('started', 'queued', 'joined') THEN
                INSERT INTO ${schema}.${prefix}remembered (tenant, name, fingerprint, run_id, until)
                VALUES (v_run.tenant, p_known_as[i], p_fingerprints[i], (v_answer.run).id,
                        ${schema}.${prefix}after(v_facts.at, p_keeps[i]))
                ON CONFLICT (tenant, name) DO UPDATE
                SET fingerprint = EXCLUDED.fingerprint, run_id = EXCLUDED.run_id, until = EXCLUDED.until;
            END IF;
        END IF;
        v_room.lease := v_answer.lease;
        RETURN NEXT v_answer;
        v_rows[k] := ${schema}.${prefix}leave(v_room);
        v_changed[k] := v_changed[k] OR v_rows[k] IS DISTINCT FROM v_row;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;
END $$;
