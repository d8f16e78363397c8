-- What time alone brings about. Every step on a key begins with it, so a key opens when it should though nobody sweeps.

CREATE FUNCTION ${schema}.${prefix}did(p_room ${schema}.${prefix}room, p_run uuid)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_action ${schema}.${prefix}action;
BEGIN
    SELECT r.id, r.state, coalesce(r.error_message, '') INTO v_action FROM ${schema}.${prefix}run r WHERE r.id = p_run;
    p_room.done := p_room.done || v_action;
    RETURN p_room;
END $$;

CREATE FUNCTION ${schema}.${prefix}judge_running(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_running ${schema}.${prefix}run[];
    v_run     ${schema}.${prefix}run;
    v_message text;
BEGIN
    v_running := ARRAY(
        SELECT r FROM ${schema}.${prefix}run r
        WHERE r.tenant = (p_room.lease).tenant AND r.name = (p_room.lease).name AND r.state = 'RUNNING'
        ORDER BY r.number);
    -- No step leads here; a changed table or a dropped index may. Nobody can tell which of them is right, so none is.
    IF cardinality(v_running) > 1 THEN
        v_message := 'counted as running at the same time: '
            || (SELECT string_agg(u.id::text, ', ' ORDER BY u.number) FROM unnest(v_running) u);
        FOREACH v_run IN ARRAY v_running LOOP
            p_room := ${schema}.${prefix}fail(p_room, v_run, 'OVERLAPPING_GRANTS', v_message);
            p_room := ${schema}.${prefix}did(p_room, v_run.id);
        END LOOP;
        IF (p_room.lease).lease_id IS NOT NULL AND (p_room.lease).evicted_at IS NULL THEN
            p_room.lease.evicted_by := 'interlock';
            p_room.lease.evict_reason := v_message;
            p_room.lease.evicted_at := (p_room.facts).at;
        END IF;
    END IF;
    IF cardinality(v_running) = 1 THEN
        v_run := v_running[1];
        IF ((p_room.lease).lease_id = v_run.turn_lease AND (p_room.lease).token = v_run.turn_token) IS NOT TRUE THEN
            p_room := ${schema}.${prefix}fail(p_room, v_run, 'LOCK_STATE_LOST', 'counted as running, but nobody had its lease');
            p_room.lease.grace := NULL;
            p_room.lease.overdue_at := NULL;
            p_room := ${schema}.${prefix}did(p_room, v_run.id);
        ELSIF ${schema}.${prefix}after((p_room.lease).expires_at, v_run.expiry_grace) <= (p_room.facts).at THEN
            p_room := ${schema}.${prefix}lose(p_room, v_run, (p_room.lease).expires_at);
            p_room := ${schema}.${prefix}did(p_room, v_run.id);
        END IF;
    ELSE
        p_room.lease.grace := NULL;
        p_room.lease.overdue_at := NULL;
    END IF;
    RETURN p_room;
END $$;

CREATE FUNCTION ${schema}.${prefix}judge_reservation(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_at  CONSTANT timestamptz := (p_room.facts).at;
    v_run ${schema}.${prefix}run;
BEGIN
    SELECT r.* INTO v_run FROM ${schema}.${prefix}run r
    WHERE r.tenant = (p_room.lease).tenant AND r.name = (p_room.lease).name AND r.state = 'PENDING';
    IF v_run.id IS NOT NULL AND (p_room.lease).reserved_run IS DISTINCT FROM v_run.id THEN
        -- The row was lost and made anew. What the run says counts.
        IF (p_room.lease).lease_id IS NOT NULL THEN
            RETURN ${schema}.${prefix}move(p_room, v_run, 'QUEUED', 'interlock', 'somebody else has its key');
        END IF;
        p_room.lease.reserved_run := v_run.id;
        p_room.lease.reserved_since := v_run.since;
        p_room.lease.offer_until := NULL;
    ELSIF v_run.id IS NULL AND (p_room.lease).reserved_run IS NOT NULL THEN
        SELECT r.* INTO v_run FROM ${schema}.${prefix}run r WHERE r.id = (p_room.lease).reserved_run;
    END IF;
    IF (p_room.lease).reserved_run IS NULL THEN
        RETURN p_room;
    END IF;
    IF v_run.state = 'PENDING' THEN
        IF ${schema}.${prefix}own_due(v_run, v_at) <= v_at THEN
            p_room := ${schema}.${prefix}fail(p_room, v_run, 'NO_WORKER', 'no worker came within its max wait');
            p_room := ${schema}.${prefix}did(p_room, v_run.id);
        END IF;
    ELSIF (v_run.state = 'QUEUED' AND (p_room.lease).offer_until > v_at) IS NOT TRUE THEN
        IF v_run.state = 'QUEUED' THEN
            v_run.waiter_seen := coalesce(v_run.waiter_seen, (p_room.lease).reserved_since);
            v_run.waiter_missed := true;
            PERFORM ${schema}.${prefix}keep(v_run, v_at);
            p_room.done := p_room.done || ROW (v_run.id, v_run.state,
                'did not take the turn it was offered')::${schema}.${prefix}action;
        END IF;
        p_room.lease.reserved_run := NULL;
        p_room.lease.reserved_since := NULL;
        p_room.lease.offer_until := NULL;
    END IF;
    RETURN p_room;
END $$;

CREATE FUNCTION ${schema}.${prefix}judge_waiting(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_at      CONSTANT timestamptz := (p_room.facts).at;
    v_run     ${schema}.${prefix}run;
    v_code    text;
    v_message text;
BEGIN
    FOR v_run IN
        SELECT r.* FROM ${schema}.${prefix}run r
        WHERE r.tenant = (p_room.lease).tenant AND r.name = (p_room.lease).name AND r.state = 'QUEUED' AND r.due_at <= v_at
        ORDER BY r.number
    LOOP
        IF v_run.waiter_seen + interval '15 s' < v_at THEN
            v_code := 'WAITER_LOST';
            v_message := 'whoever wanted to do the work no longer waits';
        ELSIF ${schema}.${prefix}after(greatest(v_run.since, v_run.not_before), v_run.max_wait) < v_at THEN
            v_code := 'WAIT_EXPIRED';
            v_message := 'waited in line for longer than its max wait';
        ELSE
            -- Its rest is over; from now on only its wait is counted.
            UPDATE ${schema}.${prefix}run SET due_at = ${schema}.${prefix}own_due(v_run, v_at) WHERE id = v_run.id;
            CONTINUE;
        END IF;
        p_room := ${schema}.${prefix}end_run(p_room, v_run, 'ABORTED', NULL, v_code, v_message, 'interlock', v_message);
        p_room := ${schema}.${prefix}did(p_room, v_run.id);
    END LOOP;
    RETURN p_room;
END $$;

-- Settles what is due, and lets the next in line have the key if it is free.
CREATE FUNCTION ${schema}.${prefix}settle(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_before uuid;
BEGIN
    p_room := ${schema}.${prefix}judge_running(p_room);
    p_room := ${schema}.${prefix}judge_reservation(p_room);
    p_room := ${schema}.${prefix}judge_waiting(p_room);
    v_before := (p_room.lease).reserved_run;
    p_room := ${schema}.${prefix}promote(p_room);
    IF v_before IS NULL AND (p_room.lease).reserved_run IS NOT NULL THEN
        p_room.done := p_room.done || ROW ((p_room.next).id, (
            SELECT r.state FROM ${schema}.${prefix}run r WHERE r.id = (p_room.next).id),
            'the key is free')::${schema}.${prefix}action;
    END IF;
    RETURN p_room;
END $$;

-- The room of a locked key, settled if anything was due. A new row knows nothing of runs the key may have.
CREATE FUNCTION ${schema}.${prefix}enter(p_facts ${schema}.${prefix}facts, p_lease ${schema}.${prefix}lease)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_room ${schema}.${prefix}room := ${schema}.${prefix}look(p_facts, p_lease);
BEGIN
    IF p_lease.due_at <= p_facts.at OR p_lease.max_running IS NOT NULL THEN
        v_room := ${schema}.${prefix}settle(v_room);
    END IF;
    RETURN v_room;
END $$;

-- The row of a room at the end of a step: says when somebody has to look at the key although nobody asks about it.
CREATE FUNCTION ${schema}.${prefix}leave(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}lease LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_lease ${schema}.${prefix}lease := p_room.lease;
    v_lined boolean;
BEGIN
    v_lease.due_at := NULL;
    v_lease.max_running := NULL;
    SELECT true, r.due_at INTO v_lined, v_lease.due_at FROM ${schema}.${prefix}run r
    WHERE r.tenant = v_lease.tenant AND r.name = v_lease.name AND r.state IN ('QUEUED', 'PENDING')
    ORDER BY r.due_at LIMIT 1;
    IF v_lease.grace IS NOT NULL THEN
        v_lease.due_at := least(v_lease.due_at, v_lease.expires_at + v_lease.grace);
    ELSIF v_lined AND v_lease.lease_id IS NOT NULL THEN
        -- The end of a lease after which somebody has to look outside changes nothing by itself.
        IF NOT ${schema}.${prefix}awaits_probe(v_lease) THEN
            v_lease.due_at := least(v_lease.due_at, v_lease.expires_at + v_lease.lock_delay);
        END IF;
    ELSIF v_lined AND v_lease.reserved_run IS NOT NULL THEN
        v_lease.due_at := least(v_lease.due_at, v_lease.offer_until);
    ELSIF v_lined THEN
        -- Free, and yet nobody has it: a rest, which has its own time, or one of these.
        v_lease.due_at := least(v_lease.due_at, (p_room.facts).quiet, (p_room.pause).until);
        SELECT max(r.max_running) INTO v_lease.max_running FROM ${schema}.${prefix}run r
        WHERE r.tenant = v_lease.tenant AND r.name = v_lease.name AND r.state = 'QUEUED' AND r.max_running < 2147483647;
    END IF;
    RETURN v_lease;
END $$;

-- Locks keys, and makes their rows where there are none; a row is null where, in company, somebody else has it locked.
CREATE FUNCTION ${schema}.${prefix}gather(p_tenants text[], p_names text[], p_wanted boolean[], p_alone boolean)
RETURNS ${schema}.${prefix}lease[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_rows  ${schema}.${prefix}lease[];
    v_tries integer := 0;
BEGIN
    LOOP
        -- Only rows that are missing: for a row that somebody is changing, INSERT would wait. Before anything is locked, so
        -- that nobody waits for somebody else's new row and is waited for. Due at once, because a row may have been lost
        -- while the key had runs.
        INSERT INTO ${schema}.${prefix}lease (tenant, name, freed_at, due_at)
        SELECT u.tenant, u.name, clock_timestamp(), '-infinity'
        FROM unnest(p_tenants, p_names, p_wanted) u (tenant, name, wanted)
        WHERE u.wanted AND NOT EXISTS (
            SELECT FROM ${schema}.${prefix}lease l WHERE l.tenant = u.tenant AND l.name = u.name)
        ORDER BY u.tenant COLLATE "C", u.name COLLATE "C"
        ON CONFLICT DO NOTHING;
        v_rows := ${schema}.${prefix}hold(p_tenants, p_names, p_wanted, p_alone);
        -- Alone, a row can be missing only because a sweep forgot it between the two statements.
        EXIT WHEN NOT p_alone OR NOT EXISTS (
            SELECT FROM unnest(p_wanted) WITH ORDINALITY u (wanted, key) WHERE u.wanted AND v_rows[u.key].tenant IS NULL);
        v_tries := v_tries + 1;
        IF v_tries = 5 THEN
            RAISE EXCEPTION 'rows vanish as fast as they are made' USING ERRCODE = 'serialization_failure';
        END IF;
    END LOOP;
    RETURN v_rows;
END $$;

-- After the rows: the latches of tenants whose limit matters to these keys or to newcomers, in order.
CREATE FUNCTION ${schema}.${prefix}hold_tenants(p_tenants text[], p_names text[], p_newcomers text[])
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_latch bigint;
BEGIN
    FOR v_latch IN
        SELECT ${schema}.${prefix}tenant_latch(t.tenant) FROM (
            SELECT u.tenant FROM unnest(p_newcomers) u (tenant)
            UNION
            SELECT f.tenant FROM unnest(p_tenants, p_names) u (tenant, name)
            CROSS JOIN LATERAL (
                SELECT r.tenant FROM ${schema}.${prefix}run r
                WHERE r.tenant = u.tenant AND r.name = u.name AND r.state = 'QUEUED' AND r.max_running < 2147483647
                LIMIT 1) f) t
        WHERE t.tenant IS NOT NULL
        ORDER BY 1
    LOOP
        PERFORM pg_advisory_xact_lock(v_latch);
    END LOOP;
END $$;

CREATE FUNCTION ${schema}.${prefix}answer(p_request integer, p_verdict text, p_room ${schema}.${prefix}room,
    p_position integer, p_refusal ${schema}.${prefix}refusal, p_run uuid)
RETURNS ${schema}.${prefix}run_answer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_answer ${schema}.${prefix}run_answer;
BEGIN
    v_answer.request := p_request;
    v_answer.verdict := p_verdict;
    v_answer.at := (p_room.facts).at;
    v_answer.mark := (p_room.lease).waiters_until;
    v_answer.position := p_position;
    v_answer.refusal := p_refusal;
    v_answer.lease := p_room.lease;
    IF p_run IS NOT NULL THEN
        SELECT r INTO v_answer.run FROM ${schema}.${prefix}run r WHERE r.id = p_run;
    END IF;
    RETURN v_answer;
END $$;

-- Whether the server is not the one the store knows: then leases may be missing, and nothing may be granted.
CREATE FUNCTION ${schema}.${prefix}is_elsewhere() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT s.timeline FROM ${schema}.${prefix}store s) IS DISTINCT FROM ${schema}.${prefix}timeline();
END $$;

-- A renewed lease whose key has runs. The time to look again is moved on every second or third time only: that time is in
-- an index, and a row that changes no indexed column stays within its page.
CREATE FUNCTION ${schema}.${prefix}rearmed(p_facts ${schema}.${prefix}facts, p_row ${schema}.${prefix}lease, p_ttl bigint)
RETURNS ${schema}.${prefix}lease LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF p_row.due_at <= ${schema}.${prefix}after(p_facts.at, p_ttl / 3) THEN
        RETURN ${schema}.${prefix}leave(${schema}.${prefix}look(p_facts, p_row));
    END IF;
    RETURN p_row;
END $$;

CREATE FUNCTION ${schema}.${prefix}is_paused(p_tenant text, p_name text, p_at timestamptz)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM ${schema}.${prefix}pause p
        WHERE p.tenant = p_tenant AND (p.until IS NULL OR p.until > p_at)
            AND CASE WHEN right(p.pattern, 1) = '*' THEN starts_with(p_name, left(p.pattern, -1))
                     ELSE p.pattern = p_name END);
END $$;
