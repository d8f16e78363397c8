-- Why a run waits, once more.

-- As before, but that the key is kept for this very run is in nobody's way, and while a run moves the resource, between two
-- attempts too, it is that one that has to end first, whatever the priorities say.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}in_the_way(p_room ${schema}.${prefix}room, p_run ${schema}.${prefix}run)
RETURNS ${schema}.${prefix}refusal LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_refusal ${schema}.${prefix}refusal;
    v_room    ${schema}.${prefix}room := p_room;
    v_first   ${schema}.${prefix}run;
    v_busy    integer;
    v_owner   uuid;
BEGIN
    IF (p_room.lease).reserved_run = p_run.id THEN
        v_room.lease.reserved_run := NULL;
    END IF;
    v_refusal := ${schema}.${prefix}closed(v_room);
    IF v_refusal.word IS NOT NULL THEN
        RETURN v_refusal;
    END IF;
    IF p_run.max_running < 2147483647 THEN
        v_busy := ${schema}.${prefix}under_way(p_run.tenant);
        IF v_busy >= p_run.max_running THEN
            RETURN ${schema}.${prefix}tenant_busy(v_busy, p_run.max_running);
        END IF;
    END IF;
    IF (p_room.lease).reserved_run = p_run.id THEN
        RETURN v_refusal;
    END IF;
    v_owner := ${schema}.${prefix}owner(p_room);
    IF v_owner IS NOT NULL THEN
        SELECT r.* INTO v_first FROM ${schema}.${prefix}run r WHERE r.id = v_owner;
    ELSE
        SELECT (l.run).* INTO v_first FROM ${schema}.${prefix}line(p_room) l WHERE l.place = 1;
    END IF;
    IF v_first.id <> p_run.id THEN
        v_refusal := ${schema}.${prefix}queued_ahead(p_room, v_first);
    END IF;
    RETURN v_refusal;
END $$;
