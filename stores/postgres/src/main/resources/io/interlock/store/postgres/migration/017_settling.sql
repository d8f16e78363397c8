-- Settling keys, once more: a key that nobody can have now is not looked at again before that may have changed, and whoever
-- waits for a key is told what settling it has brought about, whichever step did it.

-- As before, but only for a run that nothing else keeps waiting is the tenant's limit worth a look: claims and sweeps look at
-- so many keys at a time, and those held back by a pause or a rest would hide the others. And a lease that is over, though
-- still in its row, is due no more than no lease is.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}leave(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}lease LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_at    CONSTANT timestamptz := (p_room.facts).at;
    v_lease ${schema}.${prefix}lease := p_room.lease;
    v_lined boolean;
    v_owner uuid;
BEGIN
    v_lease.due_at := NULL;
    v_lease.max_running := NULL;
    SELECT true, r.due_at INTO v_lined, v_lease.due_at FROM ${schema}.${prefix}run r
    WHERE r.tenant = v_lease.tenant AND r.name = v_lease.name AND r.state IN ('QUEUED', 'PENDING')
    ORDER BY r.due_at LIMIT 1;
    IF v_lease.grace IS NOT NULL THEN
        v_lease.due_at := least(v_lease.due_at, v_lease.expires_at + v_lease.grace);
    ELSIF v_lined AND ${schema}.${prefix}awaits_probe(v_lease) THEN
        -- The end of a lease after which somebody has to look outside changes nothing by itself.
        NULL;
    ELSIF v_lined AND v_lease.lease_id IS NOT NULL AND v_lease.expires_at + v_lease.lock_delay > v_at THEN
        v_lease.due_at := least(v_lease.due_at, v_lease.expires_at + v_lease.lock_delay);
    ELSIF v_lined AND v_lease.reserved_run IS NOT NULL THEN
        v_lease.due_at := least(v_lease.due_at, v_lease.offer_until);
    ELSIF v_lined THEN
        -- Free, and yet nobody has it: a rest, which has its own time, or one of these.
        v_lease.due_at := least(v_lease.due_at, (p_room.facts).quiet, (p_room.pause).until);
        IF (p_room.facts).quiet IS NULL AND (p_room.pause).tenant IS NULL THEN
            v_owner := ${schema}.${prefix}owner(p_room);
            SELECT max(r.max_running) INTO v_lease.max_running FROM ${schema}.${prefix}run r
            WHERE r.tenant = v_lease.tenant AND r.name = v_lease.name AND r.state = 'QUEUED'
                AND r.max_running < 2147483647 AND ${schema}.${prefix}eligible(r, v_at, -1, v_owner);
        END IF;
    END IF;
    RETURN v_lease;
END $$;

-- As before, but in one statement. Two see two moments where the key is not locked: in the first nobody moves the resource
-- yet, in the second it stands where only its mover may take it.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}wrong_state(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run)
RETURNS ${schema}.${prefix}refusal LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_refusal ${schema}.${prefix}refusal;
    v_state   text;
    v_moved   boolean;
BEGIN
    IF p_run.guard_kind IS NULL THEN
        RETURN v_refusal;
    END IF;
    SELECT o.state, r.id IS NOT NULL INTO v_state, v_moved FROM ${schema}.${prefix}resource o
    LEFT JOIN ${schema}.${prefix}run r ON r.id = o.owner AND r.state || '' IN ('QUEUED', 'PENDING', 'RUNNING')
    WHERE o.tenant = p_run.tenant AND o.name = p_run.name;
    v_state := coalesce(v_state, 'none');
    IF v_moved IS NOT TRUE AND v_state <> ALL (p_run.guard_from) THEN
        v_refusal.word := 'state';
        v_refusal.state := v_state;
        v_refusal.allowed := p_run.guard_from;
    END IF;
    RETURN v_refusal;
END $$;

-- Tells whoever runs this step that somebody waits for the key, and should look: beside the answer, because a step may
-- settle other keys than it was asked about.
CREATE FUNCTION ${schema}.${prefix}tell_of_key(p_room ${schema}.${prefix}room) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF (p_room.lease).waiters_until > (p_room.facts).at THEN
        RAISE INFO USING MESSAGE = (p_room.lease).tenant || ':' || (p_room.lease).name, ERRCODE = 'IL101';
    END IF;
END $$;

CREATE OR REPLACE FUNCTION ${schema}.${prefix}reserve(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_at CONSTANT timestamptz := (p_room.facts).at;
BEGIN
    IF p_run.execution = 'WORKER' THEN
        p_room := ${schema}.${prefix}move(p_room, p_run, 'PENDING', 'interlock', 'its key is free');
    ELSE
        -- It has only five seconds to hear of it.
        PERFORM ${schema}.${prefix}tell_of_key(p_room);
    END IF;
    IF (p_room.lease).lease_id IS NOT NULL THEN
        p_room.lease := ${schema}.${prefix}freed(p_room.lease, v_at);
    END IF;
    p_room.lease.reserved_run := p_run.id;
    p_room.lease.reserved_since := v_at;
    p_room.lease.offer_until := CASE p_run.execution WHEN 'CALLER' THEN v_at + interval '5 s' END;
    RETURN p_room;
END $$;

CREATE OR REPLACE FUNCTION ${schema}.${prefix}settle(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}room LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_before uuid;
BEGIN
    p_room := ${schema}.${prefix}judge_running(p_room);
    p_room := ${schema}.${prefix}judge_reservation(p_room);
    p_room := ${schema}.${prefix}judge_waiting(p_room);
    -- Somebody may wait whose run has just ended.
    IF cardinality(p_room.done) > 0 THEN
        PERFORM ${schema}.${prefix}tell_of_key(p_room);
    END IF;
    v_before := (p_room.lease).reserved_run;
    p_room := ${schema}.${prefix}promote(p_room);
    IF v_before IS NULL AND (p_room.lease).reserved_run IS NOT NULL THEN
        p_room.done := p_room.done || ROW ((p_room.next).id, (
            SELECT r.state FROM ${schema}.${prefix}run r WHERE r.id = (p_room.next).id),
            'the key is free')::${schema}.${prefix}action;
    END IF;
    RETURN p_room;
END $$;
