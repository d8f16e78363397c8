-- The rules about runs: what io.interlock.spi.run.rules says in Java, said again for keys that are locked here. None of these
-- functions is called from outside. A function that changes a room returns it; what it changes about runs, resources and
-- the log it writes at once, what it changes about the key's row its caller writes in the end.

-- The end of so many microseconds.
CREATE FUNCTION ${schema}.${prefix}after(p_at timestamptz, p_micros bigint)
RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT p_at + p_micros * interval '1 microsecond'
$$;

-- Read after the keys are locked, in later statements.
CREATE FUNCTION ${schema}.${prefix}facts(p_sure boolean) RETURNS ${schema}.${prefix}facts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_facts ${schema}.${prefix}facts;
BEGIN
    v_facts.at := clock_timestamp();
    SELECT s.epoch, s.token_floor, CASE WHEN s.no_grant_before > v_facts.at THEN s.no_grant_before END,
           EXISTS (SELECT FROM ${schema}.${prefix}pause)
    INTO STRICT v_facts.epoch, v_facts.floor, v_facts.quiet, v_facts.paused
    FROM ${schema}.${prefix}store s;
    v_facts.sure := p_sure;
    RETURN v_facts;
END $$;

-- The room of a key, nothing settled.
CREATE FUNCTION ${schema}.${prefix}look(p_facts ${schema}.${prefix}facts, p_lease ${schema}.${prefix}lease)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_room ${schema}.${prefix}room;
BEGIN
    v_room.lease := p_lease;
    v_room.facts := p_facts;
    v_room.done := '{}';
    IF p_facts.paused THEN
        SELECT p INTO v_room.pause FROM ${schema}.${prefix}pause p
        WHERE p.tenant = p_lease.tenant AND (p.until IS NULL OR p.until > p_facts.at)
            AND CASE WHEN right(p.pattern, 1) = '*' THEN starts_with(p_lease.name, left(p.pattern, -1))
                     ELSE p.pattern = p_lease.name END
        ORDER BY p.since, p.pattern LIMIT 1;
    END IF;
    RETURN v_room;
END $$;

CREATE FUNCTION ${schema}.${prefix}note(p_at timestamptz, p_run ${schema}.${prefix}run, p_action text, p_before text,
                                        p_after text, p_actor text, p_reason text)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    INSERT INTO ${schema}.${prefix}audit
        (at, tenant, name, run_id, token, actor, action, before, after, reason, correlation)
    VALUES (p_at, p_run.tenant, p_run.name, p_run.id, p_run.turn_token, p_actor, p_action, p_before, p_after, p_reason,
            p_run.correlation);
END $$;

-- When time alone may change something about a run that waits. One microsecond after the last moment it may wait.
CREATE FUNCTION ${schema}.${prefix}own_due(p_run ${schema}.${prefix}run, p_at timestamptz)
RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_run.state IN ('QUEUED', 'PENDING') THEN least(
        ${schema}.${prefix}after(greatest(p_run.since, p_run.not_before), p_run.max_wait + 1),
        CASE WHEN p_run.state = 'QUEUED' THEN p_run.waiter_seen + interval '15.000001 s' END,
        CASE WHEN p_run.state = 'QUEUED' AND p_run.not_before > p_at THEN p_run.not_before END) END
$$;

-- Keeps where a run stands.
CREATE FUNCTION ${schema}.${prefix}keep(p_run ${schema}.${prefix}run, p_at timestamptz)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    UPDATE ${schema}.${prefix}run r
    SET state = p_run.state, since = p_run.since, attempts = p_run.attempts, not_before = p_run.not_before,
        waiter_seen = p_run.waiter_seen, waiter_missed = p_run.waiter_missed, turn_attempt = p_run.turn_attempt,
        turn_lease = p_run.turn_lease, turn_token = p_run.turn_token, turn_instance = p_run.turn_instance,
        turn_label = p_run.turn_label, turn_since = p_run.turn_since, turn_claim = p_run.turn_claim,
        stages = p_run.stages, stage_times = p_run.stage_times, progress_done = p_run.progress_done,
        progress_total = p_run.progress_total, stop_code = p_run.stop_code, stop_actor = p_run.stop_actor,
        stop_reason = p_run.stop_reason, stop_at = p_run.stop_at, result = p_run.result,
        error_code = p_run.error_code, error_message = p_run.error_message,
        due_at = ${schema}.${prefix}own_due(p_run, p_at)
    WHERE r.id = p_run.id;
END $$;

CREATE FUNCTION ${schema}.${prefix}can_become(p_from text, p_to text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE p_from
        WHEN 'QUEUED' THEN p_to IN ('PENDING', 'RUNNING', 'FAILED', 'ABORTED')
        WHEN 'PENDING' THEN p_to IN ('RUNNING', 'QUEUED', 'FAILED', 'ABORTED')
        WHEN 'RUNNING' THEN p_to NOT IN ('PENDING', 'RUNNING')
        ELSE false END
$$;

-- Moves a run on, together with whatever else its caller has changed in p_run. Runs change state here and nowhere else.
CREATE FUNCTION ${schema}.${prefix}move(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run, p_to text,
                                        p_actor text, p_reason text)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_before CONSTANT text := p_run.state;
BEGIN
    IF NOT ${schema}.${prefix}can_become(v_before, p_to) THEN
        RAISE EXCEPTION 'run % cannot become % from %', p_run.id, p_to, v_before USING ERRCODE = 'IL003';
    END IF;
    p_run.state := p_to;
    p_run.since := (p_room.facts).at;
    PERFORM ${schema}.${prefix}keep(p_run, (p_room.facts).at);
    IF p_to <> 'PENDING' AND (p_room.lease).reserved_run = p_run.id THEN
        p_room.lease.reserved_run := NULL;
        p_room.lease.reserved_since := NULL;
        p_room.lease.offer_until := NULL;
    END IF;
    -- Nobody works under the lease any more who could still end well; the key stays closed as long as the lease says.
    IF v_before = 'RUNNING' AND (p_room.lease).lease_id = p_run.turn_lease AND (p_room.lease).token = p_run.turn_token THEN
        p_room.lease.grace := NULL;
        p_room.lease.overdue_at := NULL;
    END IF;
    PERFORM ${schema}.${prefix}note((p_room.facts).at, p_run, 'run', v_before, p_to, p_actor, p_reason);
    RETURN p_room;
END $$;

CREATE FUNCTION ${schema}.${prefix}set_resource(p_at timestamptz, p_run ${schema}.${prefix}run, p_state text,
                                                p_owned boolean, p_actor text, p_reason text)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_before text;
BEGIN
    SELECT o.state INTO v_before FROM ${schema}.${prefix}resource o
    WHERE o.tenant = p_run.tenant AND o.name = p_run.name;
    INSERT INTO ${schema}.${prefix}resource AS o (tenant, name, kind, state, version, owner)
    VALUES (p_run.tenant, p_run.name, p_run.guard_kind, p_state, 1, CASE WHEN p_owned THEN p_run.id END)
    ON CONFLICT (tenant, name) DO UPDATE
    SET kind = EXCLUDED.kind, state = EXCLUDED.state, version = o.version + 1, owner = EXCLUDED.owner;
    PERFORM ${schema}.${prefix}note(p_at, p_run, 'resource', coalesce(v_before, 'none'), p_state, p_actor, p_reason);
END $$;

-- Logs the attempt under way, which is over.
CREATE FUNCTION ${schema}.${prefix}log_attempt(p_at timestamptz, p_run ${schema}.${prefix}run, p_next text, p_code text,
                                               p_message text)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    INSERT INTO ${schema}.${prefix}attempt
        (run_id, attempt, lease_id, token, instance, label, started_at, ended_at, next, error_code, error_message)
    VALUES (p_run.id, p_run.turn_attempt, p_run.turn_lease, p_run.turn_token, p_run.turn_instance, p_run.turn_label,
            p_run.turn_since, p_at, p_next, p_code, p_message);
END $$;

-- Ends a run. Leaves the lease to its caller.
CREATE FUNCTION ${schema}.${prefix}end_run(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run, p_to text,
    p_result text, p_code text, p_message text, p_actor text, p_reason text)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_at CONSTANT timestamptz := (p_room.facts).at;
BEGIN
    IF p_run.state = 'RUNNING' THEN
        PERFORM ${schema}.${prefix}log_attempt(v_at, p_run, p_to, p_code, p_message);
    END IF;
    p_run.not_before := NULL;
    p_run.result := p_result;
    p_run.error_code := p_code;
    p_run.error_message := p_message;
    p_room := ${schema}.${prefix}move(p_room, p_run, p_to, p_actor, p_reason);
    IF p_run.guard_kind IS NOT NULL AND EXISTS (
        SELECT FROM ${schema}.${prefix}resource o
        WHERE o.tenant = p_run.tenant AND o.name = p_run.name AND o.owner = p_run.id) THEN
        PERFORM ${schema}.${prefix}set_resource(v_at, p_run,
            CASE p_to WHEN 'SUCCEEDED' THEN p_run.guard_success ELSE p_run.guard_failure END, false, p_actor, p_reason);
    END IF;
    RETURN p_room;
END $$;

-- The rules say that a run has failed.
CREATE FUNCTION ${schema}.${prefix}fail(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run, p_code text,
                                        p_message text)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN ${schema}.${prefix}end_run(p_room, p_run, 'FAILED', NULL, p_code, p_message, 'interlock', p_message);
END $$;

-- Another attempt, if there is one left and nobody wants the run to stop. p_rest: microseconds, or null for the plan's.
CREATE FUNCTION ${schema}.${prefix}again(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run, p_code text,
    p_message text, p_rest bigint, p_actor text, p_reason text)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_at   CONSTANT timestamptz := (p_room.facts).at;
    v_full double precision;
BEGIN
    IF p_run.stop_code IS NOT NULL THEN
        RETURN ${schema}.${prefix}end_run(p_room, p_run, 'ABORTED', NULL, p_run.stop_code,
            'stopped for ' || p_run.stop_actor || ': ' || p_run.stop_reason, p_actor, p_reason);
    ELSIF p_run.attempts >= p_run.retry_attempts THEN
        RETURN ${schema}.${prefix}end_run(p_room, p_run, CASE WHEN p_run.retry_attempts > 1 THEN 'DEAD' ELSE 'FAILED' END,
            NULL, p_code, p_message, p_actor, p_reason);
    END IF;
    PERFORM ${schema}.${prefix}log_attempt(v_at, p_run, 'QUEUED', p_code, p_message);
    v_full := least(p_run.retry_longest, p_run.retry_backoff * power(p_run.retry_multiplier, p_run.attempts - 1));
    p_run.not_before := ${schema}.${prefix}after(v_at, coalesce(p_rest, round(v_full / 2 + v_full / 2 * random())::bigint));
    p_run.error_code := p_code;
    p_run.error_message := p_message;
    IF p_run.waiter_seen IS NOT NULL THEN
        p_run.waiter_seen := v_at;
        p_run.waiter_missed := false;
    END IF;
    RETURN ${schema}.${prefix}move(p_room, p_run, 'QUEUED', p_actor, p_reason);
END $$;

-- An attempt is lost: nobody said how it ended. One whose lease lived up to the max runtime took too long.
CREATE FUNCTION ${schema}.${prefix}lose(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run, p_end timestamptz)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_stage CONSTANT text := coalesce(', at stage ' || p_run.stages[cardinality(p_run.stages)], '');
    v_message text;
BEGIN
    IF ${schema}.${prefix}after(p_run.turn_since, p_run.max_runtime) <= p_end THEN
        v_message := 'took longer than its max runtime' || v_stage;
        RETURN ${schema}.${prefix}end_run(p_room, p_run, 'TIMED_OUT', NULL, 'MAX_RUNTIME', v_message, 'interlock', v_message);
    END IF;
    v_message := 'its lease ended before its work did' || v_stage;
    RETURN ${schema}.${prefix}again(p_room, p_run, 'WORKER_TIMEOUT', v_message, NULL, 'interlock', v_message);
END $$;

-- Who decides alone about the limit of a tenant.
CREATE FUNCTION ${schema}.${prefix}tenant_latch(p_tenant text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended('interlock ${schema}.${prefix} tenant ' || p_tenant, 4711)
$$;

CREATE FUNCTION ${schema}.${prefix}under_way(p_tenant text) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (
        SELECT count(*)::integer FROM ${schema}.${prefix}run r
        WHERE r.tenant = p_tenant AND r.state IN ('PENDING', 'RUNNING'));
END $$;

-- How many runs of the tenant are under way, as far as anybody in line asks for it. Two keys must not both start the last
-- one: so whoever counts for a start has the tenant's latch to the end of its transaction. Steps take it in advance, in
-- order; where one is surprised by a limit, it does not wait, and leaves the start to whoever looks next.
CREATE FUNCTION ${schema}.${prefix}crowd(p_room ${schema}.${prefix}room) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_tenant CONSTANT text := (p_room.lease).tenant;
BEGIN
    IF NOT EXISTS (
        SELECT FROM ${schema}.${prefix}run r
        WHERE r.tenant = v_tenant AND r.name = (p_room.lease).name AND r.state = 'QUEUED' AND r.max_running < 2147483647) THEN
        RETURN 0;
    ELSIF (p_room.facts).sure AND NOT pg_try_advisory_xact_lock(${schema}.${prefix}tenant_latch(v_tenant)) THEN
        RETURN 2147483646;
    END IF;
    RETURN ${schema}.${prefix}under_way(v_tenant);
END $$;

-- The run that moves the key's resource, between two attempts too.
CREATE FUNCTION ${schema}.${prefix}owner(p_room ${schema}.${prefix}room) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (
        SELECT o.owner FROM ${schema}.${prefix}resource o JOIN ${schema}.${prefix}run r ON r.id = o.owner
        WHERE o.tenant = (p_room.lease).tenant AND o.name = (p_room.lease).name
            AND r.state || '' IN ('QUEUED', 'PENDING', 'RUNNING'));
END $$;

-- Whether a run in line could have its turn if the key were free.
CREATE FUNCTION ${schema}.${prefix}eligible(p_run ${schema}.${prefix}run, p_at timestamptz, p_crowd integer, p_owner uuid)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT (p_run.not_before IS NULL OR p_run.not_before <= p_at)
        AND (p_run.waiter_seen IS NULL OR (NOT p_run.waiter_missed AND p_run.waiter_seen + interval '15 s' >= p_at))
        AND p_run.max_running > p_crowd
        AND (p_owner IS NULL OR p_owner = p_run.id)
$$;

-- The priority, and one more for every full minute since it was submitted, up to ten.
CREATE FUNCTION ${schema}.${prefix}rank(p_priority integer, p_submitted timestamptz, p_at timestamptz)
RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT p_priority + greatest(0, least(10, floor(extract(epoch FROM p_at - p_submitted) / 60)))::integer
$$;

CREATE FUNCTION ${schema}.${prefix}waiting(p_room ${schema}.${prefix}room) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (
        SELECT count(*)::integer FROM ${schema}.${prefix}run r
        WHERE r.tenant = (p_room.lease).tenant AND r.name = (p_room.lease).name AND r.state = 'QUEUED');
END $$;

-- All who wait, in their order: first those who could have their turn now, then the others.
CREATE FUNCTION ${schema}.${prefix}line(p_room ${schema}.${prefix}room)
RETURNS TABLE (place integer, ready boolean, run ${schema}.${prefix}run) LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    v_at CONSTANT timestamptz := (p_room.facts).at;
    v_crowd integer;
    v_owner uuid;
BEGIN
    IF NOT EXISTS (
        SELECT FROM ${schema}.${prefix}run r
        WHERE r.tenant = (p_room.lease).tenant AND r.name = (p_room.lease).name AND r.state = 'QUEUED') THEN
        RETURN;
    END IF;
    v_crowd := ${schema}.${prefix}crowd(p_room);
    v_owner := ${schema}.${prefix}owner(p_room);
    RETURN QUERY
        SELECT row_number() OVER (ORDER BY NOT e.ready, ${schema}.${prefix}rank(r.priority, r.submitted_at, v_at) DESC,
                                           r.number)::integer, e.ready, r
        FROM ${schema}.${prefix}run r
        CROSS JOIN LATERAL (SELECT ${schema}.${prefix}eligible(r, v_at, v_crowd, v_owner)) e (ready)
        WHERE r.tenant = (p_room.lease).tenant AND r.name = (p_room.lease).name AND r.state = 'QUEUED'
        ORDER BY 1;
END $$;

-- Whoever would have its turn if the key were free.
CREATE FUNCTION ${schema}.${prefix}first(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}run LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_at    CONSTANT timestamptz := (p_room.facts).at;
    v_run   ${schema}.${prefix}run;
    v_crowd integer;
    v_owner uuid;
BEGIN
    IF NOT EXISTS (
        SELECT FROM ${schema}.${prefix}run r
        WHERE r.tenant = (p_room.lease).tenant AND r.name = (p_room.lease).name AND r.state = 'QUEUED') THEN
        RETURN NULL;
    END IF;
    v_crowd := ${schema}.${prefix}crowd(p_room);
    v_owner := ${schema}.${prefix}owner(p_room);
    SELECT r.* INTO v_run FROM ${schema}.${prefix}run r
    WHERE r.tenant = (p_room.lease).tenant AND r.name = (p_room.lease).name AND r.state = 'QUEUED'
        AND ${schema}.${prefix}eligible(r, v_at, v_crowd, v_owner)
    ORDER BY ${schema}.${prefix}rank(r.priority, r.submitted_at, v_at) DESC, r.number LIMIT 1;
    RETURN v_run;
END $$;

CREATE FUNCTION ${schema}.${prefix}place(p_room ${schema}.${prefix}room, p_run uuid) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN coalesce((SELECT l.place FROM ${schema}.${prefix}line(p_room) l WHERE (l.run).id = p_run), 0);
END $$;

-- When the key of an expired lease opens: after its lock delay, and not before the verdict on its run.
CREATE FUNCTION ${schema}.${prefix}opens_at(p_lease ${schema}.${prefix}lease) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT p_lease.expires_at + greatest(p_lease.lock_delay, p_lease.grace)
$$;

-- Whether the key has a lease that keeps others out.
CREATE FUNCTION ${schema}.${prefix}is_taken(p_room ${schema}.${prefix}room) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT (p_room.lease).lease_id IS NOT NULL
        AND ((p_room.lease).grace IS NOT NULL OR ${schema}.${prefix}opens_at(p_room.lease) > (p_room.facts).at)
$$;

-- Whether somebody has to look outside before the key is granted again. Whoever evicts has looked.
CREATE FUNCTION ${schema}.${prefix}awaits_probe(p_lease ${schema}.${prefix}lease) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT p_lease.lease_id IS NOT NULL AND p_lease.probed AND p_lease.evicted_at IS NULL
$$;

-- Why no run can be granted the key now. Whoever waits does not count.
CREATE FUNCTION ${schema}.${prefix}closed(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}refusal LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_refusal ${schema}.${prefix}refusal;
BEGIN
    IF (p_room.facts).quiet IS NOT NULL THEN
        v_refusal.word := 'recovering';
        v_refusal.until := (p_room.facts).quiet;
    ELSIF ${schema}.${prefix}is_taken(p_room) THEN
        IF (p_room.lease).expires_at > (p_room.facts).at THEN
            v_refusal.word := 'held';
        ELSE
            v_refusal.word := 'delayed';
            v_refusal.until := ${schema}.${prefix}opens_at(p_room.lease);
        END IF;
    ELSIF (p_room.lease).reserved_run IS NOT NULL THEN
        v_refusal.word := 'reserved';
        v_refusal.run := (p_room.lease).reserved_run;
        v_refusal.since := (p_room.lease).reserved_since;
        SELECT r.job INTO v_refusal.job FROM ${schema}.${prefix}run r WHERE r.id = v_refusal.run;
    ELSIF (p_room.pause).tenant IS NOT NULL THEN
        v_refusal.word := 'paused';
        v_refusal.pause := p_room.pause;
    ELSIF ${schema}.${prefix}awaits_probe(p_room.lease) THEN
        v_refusal.word := 'probe';
    END IF;
    RETURN v_refusal;
END $$;

CREATE FUNCTION ${schema}.${prefix}queued_ahead(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run)
RETURNS ${schema}.${prefix}refusal LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_refusal ${schema}.${prefix}refusal;
BEGIN
    v_refusal.word := 'ahead';
    v_refusal.run := p_run.id;
    v_refusal.job := p_run.job;
    v_refusal.waiting := ${schema}.${prefix}waiting(p_room);
    RETURN v_refusal;
END $$;

-- Why somebody who is not in line cannot have the key.
CREATE FUNCTION ${schema}.${prefix}ahead(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}refusal LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_refusal ${schema}.${prefix}refusal := ${schema}.${prefix}closed(p_room);
    v_first   ${schema}.${prefix}run;
BEGIN
    IF v_refusal.word IS NULL THEN
        v_first := ${schema}.${prefix}first(p_room);
        IF v_first.id IS NOT NULL THEN
            v_refusal := ${schema}.${prefix}queued_ahead(p_room, v_first);
        END IF;
    END IF;
    RETURN v_refusal;
END $$;

CREATE FUNCTION ${schema}.${prefix}tenant_busy(p_running integer, p_most integer)
RETURNS ${schema}.${prefix}refusal LANGUAGE sql IMMUTABLE AS $$
    SELECT ROW ('tenant', NULL, NULL, NULL, NULL, p_running, p_most, NULL, NULL, NULL)::${schema}.${prefix}refusal
$$;

-- What keeps a run in line from starting; null if only its own rest does.
CREATE FUNCTION ${schema}.${prefix}in_the_way(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run)
RETURNS ${schema}.${prefix}refusal LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_refusal ${schema}.${prefix}refusal := ${schema}.${prefix}closed(p_room);
    v_first   ${schema}.${prefix}run;
    v_busy    integer;
BEGIN
    IF v_refusal.word IS NOT NULL THEN
        RETURN v_refusal;
    END IF;
    IF p_run.max_running < 2147483647 THEN
        v_busy := ${schema}.${prefix}under_way(p_run.tenant);
        IF v_busy >= p_run.max_running THEN
            RETURN ${schema}.${prefix}tenant_busy(v_busy, p_run.max_running);
        END IF;
    END IF;
    SELECT (l.run).* INTO v_first FROM ${schema}.${prefix}line(p_room) l WHERE l.place = 1;
    IF v_first.id <> p_run.id THEN
        v_refusal := ${schema}.${prefix}queued_ahead(p_room, v_first);
    END IF;
    RETURN v_refusal;
END $$;

-- Why a run may not start from where the resource stands. While a run moves it, its state says nothing about that.
CREATE FUNCTION ${schema}.${prefix}wrong_state(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run)
RETURNS ${schema}.${prefix}refusal LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_refusal ${schema}.${prefix}refusal;
    v_state   text;
BEGIN
    IF p_run.guard_kind IS NOT NULL AND ${schema}.${prefix}owner(p_room) IS NULL THEN
        SELECT o.state INTO v_state FROM ${schema}.${prefix}resource o
        WHERE o.tenant = p_run.tenant AND o.name = p_run.name;
        v_state := coalesce(v_state, 'none');
        IF v_state <> ALL (p_run.guard_from) THEN
            v_refusal.word := 'state';
            v_refusal.state := v_state;
            v_refusal.allowed := p_run.guard_from;
        END IF;
    END IF;
    RETURN v_refusal;
END $$;

CREATE FUNCTION ${schema}.${prefix}fail_by_state(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run,
                                                 p_wrong ${schema}.${prefix}refusal)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN ${schema}.${prefix}fail(p_room, p_run, 'WRONG_STATE',
        'the resource of ' || p_run.tenant || ':' || p_run.name || ' is in state ' || p_wrong.state
        || '; the job starts only from '
        || (SELECT string_agg(f.state, ', ' ORDER BY f.state COLLATE "C") FROM unnest(p_wrong.allowed) f (state)));
END $$;

-- Says in next whose turn it is, if the key is free. Whoever may not start from the resource's state ends here.
CREATE FUNCTION ${schema}.${prefix}choose(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_run   ${schema}.${prefix}run;
    v_wrong ${schema}.${prefix}refusal;
BEGIN
    p_room.next := NULL;
    WHILE (${schema}.${prefix}closed(p_room)).word IS NULL LOOP
        v_run := ${schema}.${prefix}first(p_room);
        EXIT WHEN v_run.id IS NULL;
        v_wrong := ${schema}.${prefix}wrong_state(p_room, v_run);
        IF v_wrong.word IS NULL THEN
            p_room.next := v_run;
            RETURN p_room;
        END IF;
        p_room := ${schema}.${prefix}fail_by_state(p_room, v_run, v_wrong);
    END LOOP;
    RETURN p_room;
END $$;

-- Keeps the key for a run: for a worker without end, for a caller that waits for five seconds.
CREATE FUNCTION ${schema}.${prefix}reserve(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_at CONSTANT timestamptz := (p_room.facts).at;
BEGIN
    IF p_run.execution = 'WORKER' THEN
        p_room := ${schema}.${prefix}move(p_room, p_run, 'PENDING', 'interlock', 'its key is free');
    END IF;
    IF (p_room.lease).lease_id IS NOT NULL THEN
        p_room.lease := ${schema}.${prefix}freed(p_room.lease, v_at);
    END IF;
    p_room.lease.reserved_run := p_run.id;
    p_room.lease.reserved_since := v_at;
    p_room.lease.offer_until := CASE p_run.execution WHEN 'CALLER' THEN v_at + interval '5 s' END;
    RETURN p_room;
END $$;

-- Keeps the key for the next in line, if it is free and somebody is there.
CREATE FUNCTION ${schema}.${prefix}promote(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    p_room := ${schema}.${prefix}choose(p_room);
    IF (p_room.next).id IS NOT NULL THEN
        p_room := ${schema}.${prefix}reserve(p_room, p_room.next);
    END IF;
    RETURN p_room;
END $$;

-- Gives a run the key: draws a token, makes the lease, sets the resource's state.
CREATE FUNCTION ${schema}.${prefix}grant(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run, p_lease uuid,
                                         p_instance text, p_label text, p_claim uuid)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_at    CONSTANT timestamptz := (p_room.facts).at;
    v_lease ${schema}.${prefix}lease := p_room.lease;
BEGIN
    v_lease.token := greatest(${schema}.${prefix}token_by_clock((p_room.facts).epoch, v_at), v_lease.token + 1,
                              (p_room.facts).floor + 1);
    v_lease.lease_id := p_lease;
    v_lease.instance := p_instance;
    v_lease.label := p_label;
    v_lease.run_id := p_run.id;
    v_lease.granted_at := v_at;
    v_lease.expires_at := ${schema}.${prefix}after(v_at, p_run.ttl);
    v_lease.lock_delay := p_run.lock_delay * interval '1 microsecond';
    v_lease.evicted_by := NULL;
    v_lease.evict_reason := NULL;
    v_lease.evicted_at := NULL;
    v_lease.freed_at := NULL;
    v_lease.probed := false;
    v_lease.grace := p_run.expiry_grace * interval '1 microsecond';
    v_lease.overdue_at := ${schema}.${prefix}after(v_at, p_run.max_runtime);
    p_room.lease := v_lease;
    p_run.attempts := p_run.attempts + 1;
    p_run.not_before := NULL;
    p_run.turn_attempt := p_run.attempts;
    p_run.turn_lease := p_lease;
    p_run.turn_token := v_lease.token;
    p_run.turn_instance := p_instance;
    p_run.turn_label := p_label;
    p_run.turn_since := v_at;
    p_run.turn_claim := p_claim;
    p_run.stages := '{}';
    p_run.stage_times := '{}';
    p_run.progress_done := 0;
    p_run.progress_total := NULL;
    p_run.result := NULL;
    p_run.error_code := NULL;
    p_run.error_message := NULL;
    p_room := ${schema}.${prefix}move(p_room, p_run, 'RUNNING', p_label, 'attempt ' || p_run.attempts);
    IF p_run.guard_kind IS NOT NULL THEN
        PERFORM ${schema}.${prefix}set_resource(v_at, p_run, p_run.guard_during, true, p_label,
                                                'attempt ' || p_run.attempts);
    END IF;
    RETURN p_room;
END $$;

-- The holder of the key's lease says that it has stopped, and no more than that.
CREATE FUNCTION ${schema}.${prefix}stopped(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_run ${schema}.${prefix}run;
BEGIN
    IF (p_room.lease).grace IS NOT NULL THEN
        SELECT r.* INTO v_run FROM ${schema}.${prefix}run r
        WHERE r.id = (p_room.lease).run_id AND r.state = 'RUNNING' AND r.turn_lease = (p_room.lease).lease_id
            AND r.turn_token = (p_room.lease).token;
        IF v_run.id IS NOT NULL THEN
            p_room := ${schema}.${prefix}lose(p_room, v_run, (p_room.lease).expires_at);
        END IF;
    END IF;
    p_room.lease := ${schema}.${prefix}freed(p_room.lease, (p_room.facts).at);
    RETURN ${schema}.${prefix}promote(p_room);
END $$;

-- Asks a run to stop; the first wish counts.
CREATE FUNCTION ${schema}.${prefix}ask_to_stop(p_at timestamptz, p_run ${schema}.${prefix}run, p_code text, p_actor text,
                                               p_reason text)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF p_run.stop_code IS NULL THEN
        p_run.stop_code := p_code;
        p_run.stop_actor := p_actor;
        p_run.stop_reason := p_reason;
        p_run.stop_at := p_at;
        PERFORM ${schema}.${prefix}keep(p_run, p_at);
        PERFORM ${schema}.${prefix}note(p_at, p_run, 'stop-requested', p_run.state, p_run.state, p_actor, p_reason);
    END IF;
END $$;
