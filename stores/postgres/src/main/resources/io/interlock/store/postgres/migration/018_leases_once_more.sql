-- Bare leases beside runs, once more.

-- As before, but nobody is refused for the sake of a run that is gone.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}closed(p_room ${schema}.${prefix}room)
RETURNS ${schema}.${prefix}refusal LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_refusal ${schema}.${prefix}refusal;
    v_job     text;
BEGIN
    IF (p_room.facts).quiet IS NOT NULL THEN
        v_refusal.word := 'recovering';
        v_refusal.until := (p_room.facts).quiet;
        RETURN v_refusal;
    ELSIF ${schema}.${prefix}is_taken(p_room) THEN
        IF (p_room.lease).expires_at > (p_room.facts).at THEN
            v_refusal.word := 'held';
        ELSE
            v_refusal.word := 'delayed';
            v_refusal.until := ${schema}.${prefix}opens_at(p_room.lease);
        END IF;
        RETURN v_refusal;
    END IF;
    IF (p_room.lease).reserved_run IS NOT NULL THEN
        SELECT r.job INTO v_job FROM ${schema}.${prefix}run r WHERE r.id = (p_room.lease).reserved_run;
    END IF;
    IF v_job IS NOT NULL THEN
        v_refusal.word := 'reserved';
        v_refusal.run := (p_room.lease).reserved_run;
        v_refusal.since := (p_room.lease).reserved_since;
        v_refusal.job := v_job;
    ELSIF (p_room.pause).tenant IS NOT NULL THEN
        v_refusal.word := 'paused';
        v_refusal.pause := p_room.pause;
    ELSIF ${schema}.${prefix}awaits_probe(p_room.lease) THEN
        v_refusal.word := 'probe';
    END IF;
    RETURN v_refusal;
END $$;

-- Why a bare lease is not granted, in the words of an answer; p_refusal: what was found in its way, where that is reserved,
-- paused or ahead. Not looked for again, because it may be gone by then.
CREATE FUNCTION ${schema}.${prefix}refuse(p_request integer, p_verdict text, p_facts ${schema}.${prefix}facts,
                                          p_row ${schema}.${prefix}lease, p_refusal ${schema}.${prefix}refusal)
RETURNS ${schema}.${prefix}answer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_answer ${schema}.${prefix}answer := ${schema}.${prefix}say(p_request, p_verdict, p_facts.at,
        CASE p_verdict WHEN 'recovering' THEN p_facts.quiet WHEN 'delayed' THEN ${schema}.${prefix}opens_at(p_row) END,
        p_row);
BEGIN
    IF p_verdict IN ('reserved', 'paused', 'ahead') THEN
        v_answer.refusal := p_refusal;
    END IF;
    RETURN v_answer;
END $$;

-- Grants what is free. As before, but what stands in the way is looked for once: without a lock, a pause may end between two
-- looks. And it never waits for a row that somebody else makes while it has others locked.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}acquire(
    p_patience integer, p_tenants text[], p_names text[], p_ids uuid[], p_instances text[], p_labels text[],
    p_runs uuid[], p_ttls bigint[], p_delays bigint[], p_waits boolean[], p_asks boolean[], p_first integer[],
    p_keys integer[], p_cleared bigint[])
RETURNS SETOF ${schema}.${prefix}answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    c_mark      CONSTANT interval := '60 s';
    c_refresh   CONSTANT interval := '30 s';
    v_count     CONSTANT integer := cardinality(p_ids);
    v_none      CONSTANT boolean[] := array_fill(false, ARRAY[cardinality(p_tenants)]);
    v_rows      ${schema}.${prefix}lease[] := array_fill(NULL::${schema}.${prefix}lease, ARRAY[cardinality(p_tenants)]);
    v_wanted    boolean[] := v_none;
    v_changed   boolean[] := v_none;
    v_runs      boolean[];                      -- which keys have runs
    v_pending   integer[] := '{}';
    v_facts     ${schema}.${prefix}facts;
    v_room      ${schema}.${prefix}room;
    v_row       ${schema}.${prefix}lease;
    v_taken     ${schema}.${prefix}lease;
    v_ahead     ${schema}.${prefix}run;
    v_refusal   ${schema}.${prefix}refusal;
    v_item      record;
    v_verdict   text;
    v_own       boolean;
    v_locked    boolean;
    v_tries     integer := 0;
    i           integer;
    j           integer;
    k           integer;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);

    -- 1. A plain read. It may refuse, and never grants.
    FOR v_item IN
        SELECT u.key, l AS row FROM unnest(p_tenants, p_names) WITH ORDINALITY u(tenant, name, key)
        JOIN ${schema}.${prefix}lease l ON l.tenant = u.tenant AND l.name = u.name
    LOOP
        v_rows[v_item.key] := v_item.row;
    END LOOP;
    v_facts := ${schema}.${prefix}facts(false);
    FOR i IN 1..v_count LOOP
        v_own := true;
        v_locked := false;
        FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
            k := p_keys[j];
            v_locked := v_locked OR v_wanted[k];    -- an earlier request decides first
            v_own := v_own AND (v_rows[k].lease_id = p_ids[i]) IS TRUE;
        END LOOP;
        v_verdict := NULL;
        v_refusal := NULL;
        IF NOT v_locked AND NOT v_own THEN
            IF v_facts.quiet IS NOT NULL THEN
                v_verdict := 'recovering';
                v_row := NULL;
                v_row.tenant := p_tenants[p_keys[p_first[i]]];
                v_row.name := p_names[p_keys[p_first[i]]];
            ELSE
                FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
                    k := p_keys[j];
                    v_row := v_rows[k];
                    -- What is due is settled first, and that needs a lock.
                    EXIT WHEN v_row.due_at <= v_facts.at OR v_row.max_running IS NOT NULL;
                    v_verdict := ${schema}.${prefix}obstacle(v_row, v_facts.at, p_asks[i], p_cleared[j]);
                    IF v_verdict = 'reserved' OR (v_facts.paused AND (v_verdict IS NULL OR v_verdict = 'probe')) THEN
                        v_row.tenant := p_tenants[k];
                        v_row.name := p_names[k];
                        v_refusal := ${schema}.${prefix}closed(${schema}.${prefix}look(v_facts, v_row));
                        IF v_refusal.word IN ('reserved', 'paused') THEN
                            v_verdict := v_refusal.word;
                        ELSIF v_verdict = 'reserved' THEN
                            -- Kept for a run that is gone: that is settled first, too.
                            v_verdict := NULL;
                            EXIT;
                        END IF;
                    END IF;
                    EXIT WHEN v_verdict IS NOT NULL;
                END LOOP;
                -- Whoever waits without a mark must leave one under the row lock, or the release in between wakes nobody.
                IF v_verdict IS NOT NULL AND p_waits[i]
                    AND (v_row.waiters_until > v_facts.at + c_refresh) IS NOT TRUE THEN
                    v_verdict := NULL;
                END IF;
            END IF;
        END IF;
        IF v_verdict IS NOT NULL THEN
            RETURN NEXT ${schema}.${prefix}refuse(i, v_verdict, v_facts, v_row, v_refusal);
        ELSE
            v_pending := v_pending || i;
            FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
                v_wanted[p_keys[j]] := true;
            END LOOP;
        END IF;
    END LOOP;
    IF cardinality(v_pending) = 0 THEN
        RETURN;
    END IF;

    -- 2. Locks: first the epoch and pauses, then the rows.
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    IF ${schema}.${prefix}is_elsewhere() THEN
        FOREACH i IN ARRAY v_pending LOOP
            RETURN NEXT ${schema}.${prefix}say(i, 'reattach', v_facts.at, NULL, NULL);
        END LOOP;
        RETURN;
    END IF;
    LOOP
        -- Only rows that were missing: for a row that somebody is changing, INSERT would wait.
        INSERT INTO ${schema}.${prefix}lease (tenant, name, freed_at)
        SELECT u.tenant, u.name, clock_timestamp()
        FROM unnest(p_tenants, p_names, v_wanted) WITH ORDINALITY u(tenant, name, wanted, key)
        WHERE u.wanted AND v_rows[u.key].tenant IS NULL
        ORDER BY u.tenant COLLATE "C", u.name COLLATE "C"
        ON CONFLICT DO NOTHING;
        v_rows := ${schema}.${prefix}hold(p_tenants, p_names, v_wanted, v_count = 1);
        -- Alone, a row can be missing only because a sweep forgot it between the two statements.
        EXIT WHEN v_count > 1 OR NOT EXISTS (
            SELECT FROM unnest(v_wanted) WITH ORDINALITY u(wanted, key) WHERE u.wanted AND v_rows[u.key].tenant IS NULL);
        v_tries := v_tries + 1;
        -- With other rows locked, it must not wait for somebody's new row, who may be waiting for those: from the beginning.
        IF v_tries = 5 OR cardinality(p_tenants) > 1 THEN
            RAISE EXCEPTION 'rows vanish as fast as they are made' USING ERRCODE = 'serialization_failure';
        END IF;
    END LOOP;

    -- 3. The token floor of rows that are gone, the pauses and the clock: all after the locks.
    v_facts := ${schema}.${prefix}facts(true);

    -- 4. What time has brought about on keys that have runs, or had some that are gone.
    v_runs := ${schema}.${prefix}have_runs(p_tenants, p_names);
    FOR k IN 1..cardinality(p_tenants) LOOP
        v_runs[k] := v_runs[k] OR v_rows[k].grace IS NOT NULL OR v_rows[k].reserved_run IS NOT NULL;
    END LOOP;
    IF true = ANY (v_runs) THEN
        PERFORM ${schema}.${prefix}hold_tenants(p_tenants, p_names, '{}');
        v_facts := ${schema}.${prefix}facts(true);
        FOR k IN 1..cardinality(p_tenants) LOOP
            v_row := v_rows[k];
            IF v_runs[k] AND v_row.tenant IS NOT NULL THEN
                v_room := ${schema}.${prefix}settle(${schema}.${prefix}look(v_facts, v_row));
                v_rows[k] := ${schema}.${prefix}leave(v_room);
                v_changed[k] := v_rows[k] IS DISTINCT FROM v_row;
            END IF;
        END LOOP;
    END IF;

    -- 5. Decide, request by request.
    FOREACH i IN ARRAY v_pending LOOP
        v_own := true;
        v_locked := true;
        v_verdict := NULL;
        v_refusal := NULL;
        v_taken := NULL;
        FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
            v_row := v_rows[p_keys[j]];
            v_locked := v_locked AND v_row.tenant IS NOT NULL;
            v_own := v_own AND (v_row.lease_id = p_ids[i] AND v_row.expires_at > v_facts.at
                AND v_row.evicted_at IS NULL) IS TRUE;
        END LOOP;
        IF NOT v_locked THEN
            RETURN NEXT ${schema}.${prefix}say(i, 'open', v_facts.at, NULL, NULL);
            CONTINUE;
        ELSIF v_own THEN
            FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
                RETURN NEXT ${schema}.${prefix}say(i, 'granted', v_facts.at, NULL, v_rows[p_keys[j]]);
            END LOOP;
            CONTINUE;
        ELSIF v_facts.quiet IS NOT NULL THEN
            RETURN NEXT ${schema}.${prefix}refuse(i, 'recovering', v_facts, v_rows[p_keys[p_first[i]]], NULL);
            CONTINUE;
        END IF;
        FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
            k := p_keys[j];
            v_verdict := ${schema}.${prefix}obstacle(v_rows[k], v_facts.at, p_asks[i], p_cleared[j]);
            IF v_verdict = 'reserved' OR (v_facts.paused AND (v_verdict IS NULL OR v_verdict = 'probe')) THEN
                v_refusal := ${schema}.${prefix}closed(${schema}.${prefix}look(v_facts, v_rows[k]));
                IF v_refusal.word = 'paused' THEN
                    v_verdict := 'paused';
                END IF;
            END IF;
            IF v_verdict IS NULL AND v_runs[k] THEN
                v_room := ${schema}.${prefix}look(v_facts, v_rows[k]);
                v_ahead := ${schema}.${prefix}first(v_room);
                IF v_ahead.id IS NOT NULL THEN
                    IF p_asks[i] AND ${schema}.${prefix}awaits_probe(v_rows[k]) THEN
                        v_room.lease := ${schema}.${prefix}freed(v_rows[k], v_facts.at);
                        v_room := ${schema}.${prefix}promote(v_room);
                        v_rows[k] := ${schema}.${prefix}leave(v_room);
                        v_changed[k] := true;
                        v_ahead := ${schema}.${prefix}first(v_room);
                    END IF;
                    v_verdict := ${schema}.${prefix}obstacle(v_rows[k], v_facts.at, false, NULL);
                    IF v_verdict = 'reserved' THEN
                        v_refusal := ${schema}.${prefix}closed(v_room);
                    ELSIF v_verdict IS NULL AND v_ahead.id IS NOT NULL THEN
                        v_verdict := 'ahead';
                        v_refusal := ${schema}.${prefix}queued_ahead(v_room, v_ahead);
                    END IF;
                END IF;
            END IF;
            EXIT WHEN v_verdict IS NOT NULL;
        END LOOP;
        IF v_verdict IS NOT NULL THEN
            v_row := v_rows[k];
            RETURN NEXT ${schema}.${prefix}refuse(i, v_verdict, v_facts, v_row, v_refusal);
            IF p_waits[i] AND (v_row.waiters_until > v_facts.at + c_refresh) IS NOT TRUE THEN
                v_row.waiters_until := v_facts.at + c_mark;
                v_rows[k] := v_row;
                v_changed[k] := true;
            END IF;
            CONTINUE;
        END IF;
        FOR j IN p_first[i]..p_first[i + 1] - 1 LOOP
            k := p_keys[j];
            v_taken := v_rows[k];
            v_row := v_taken;
            v_row.lease_id := p_ids[i];
            v_row.instance := p_instances[i];
            v_row.label := p_labels[i];
            v_row.run_id := p_runs[i];
            v_row.token := greatest(${schema}.${prefix}token_by_clock(v_facts.epoch, v_facts.at),
                                    v_taken.token + 1, v_facts.floor + 1);
            v_row.granted_at := v_facts.at;
            v_row.expires_at := v_facts.at + p_ttls[i] * interval '1 microsecond';
            v_row.lock_delay := p_delays[i] * interval '1 microsecond';
            v_row.evicted_by := NULL;
            v_row.evict_reason := NULL;
            v_row.evicted_at := NULL;
            v_row.freed_at := NULL;
            v_row.probed := p_asks[i];
            IF v_runs[k] THEN
                v_row := ${schema}.${prefix}leave(${schema}.${prefix}look(v_facts, v_row));
            END IF;
            v_rows[k] := v_row;
            v_changed[k] := true;
            RETURN NEXT ${schema}.${prefix}say(i, 'granted', v_facts.at, NULL, v_row);
            IF v_taken.lease_id IS NOT NULL THEN
                RETURN NEXT ${schema}.${prefix}say(i, 'taken', v_facts.at, NULL, v_taken);
            END IF;
        END LOOP;
    END LOOP;
    IF true = ANY (v_changed) THEN
        PERFORM ${schema}.${prefix}write(v_rows, v_changed);
    END IF;
END $$;

DROP FUNCTION ${schema}.${prefix}refuse(integer, text, ${schema}.${prefix}facts, ${schema}.${prefix}lease);
