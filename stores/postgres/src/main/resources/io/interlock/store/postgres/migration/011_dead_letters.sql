-- Runs whose attempts are used up, and what is done about them. A dead run stays as it is; a new one does its work.

CREATE TABLE ${schema}.${prefix}dead_letter (
    run_id    uuid PRIMARY KEY,
    kind      text NOT NULL CHECK (kind IN ('REDRIVEN', 'DISCARDED')),
    actor     text NOT NULL,
    reason    text NOT NULL,
    at        timestamptz NOT NULL,
    successor uuid,
    CHECK ((kind = 'REDRIVEN') = (successor IS NOT NULL))
);
CREATE INDEX ${prefix}run_dead ON ${schema}.${prefix}run (number) WHERE state = 'DEAD';

-- An answer about a run, and what was done about that run as a dead letter.
CREATE TYPE ${schema}.${prefix}letter_answer AS (
    request  integer,
    verdict  text,
    at       timestamptz,
    mark     timestamptz,
    position integer,
    length   bigint,
    refusal  ${schema}.${prefix}refusal,
    lease    ${schema}.${prefix}lease,
    run      ${schema}.${prefix}run,
    letter   ${schema}.${prefix}dead_letter
);

CREATE FUNCTION ${schema}.${prefix}lettered(p_answer ${schema}.${prefix}run_answer)
RETURNS ${schema}.${prefix}letter_answer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_answer ${schema}.${prefix}letter_answer := ROW (p_answer.request, p_answer.verdict, p_answer.at, p_answer.mark,
        p_answer.position, p_answer.length, p_answer.refusal, p_answer.lease, p_answer.run,
        NULL)::${schema}.${prefix}letter_answer;
BEGIN
    SELECT d INTO v_answer.letter FROM ${schema}.${prefix}dead_letter d WHERE d.run_id = (p_answer.run).id;
    RETURN v_answer;
END $$;

-- Settles a dead letter, and says so in the log.
CREATE FUNCTION ${schema}.${prefix}settle_letter(p_at timestamptz, p_dead ${schema}.${prefix}run, p_kind text,
                                                 p_successor uuid, p_actor text, p_reason text)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    INSERT INTO ${schema}.${prefix}dead_letter (run_id, kind, actor, reason, at, successor)
    VALUES (p_dead.id, p_kind, p_actor, p_reason, p_at, p_successor);
    -- Somebody's word about the run, not something done under its last turn.
    p_dead.turn_token := NULL;
    PERFORM ${schema}.${prefix}note(p_at, p_dead, lower(p_kind), p_dead.state, coalesce(p_successor::text, ''), p_actor,
                                    p_reason);
END $$;

-- What a new run that does the work of p_dead asks for: the same, in line, with nothing of where the dead one stood.
CREATE FUNCTION ${schema}.${prefix}anew(p_dead ${schema}.${prefix}run, p_id uuid, p_actor text, p_reason text)
RETURNS ${schema}.${prefix}run LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    p_dead.id := p_id;
    p_dead.policy := 'QUEUE';
    p_dead.submitter := p_actor;
    p_dead.reason := p_reason;
    p_dead.not_before := NULL;
    p_dead.turn_attempt := NULL;
    p_dead.turn_lease := NULL;
    p_dead.turn_token := NULL;
    p_dead.turn_instance := NULL;
    p_dead.turn_label := NULL;
    p_dead.turn_since := NULL;
    p_dead.turn_claim := NULL;
    p_dead.progress_total := NULL;
    p_dead.stop_code := NULL;
    p_dead.stop_actor := NULL;
    p_dead.stop_reason := NULL;
    p_dead.stop_at := NULL;
    p_dead.result := NULL;
    p_dead.error_code := NULL;
    p_dead.error_message := NULL;
    RETURN p_dead;
END $$;

-- Lets a new run do the work of a dead one. Verdicts: redriven, and then anew with the new run; refused (refusal), settled,
-- callers, not-dead (each with the run), taken: the new run's name is another's; reattach. Nothing if there is no such run.
CREATE FUNCTION ${schema}.${prefix}redrive(p_patience integer, p_dead uuid, p_anew uuid, p_actor text, p_reason text)
RETURNS SETOF ${schema}.${prefix}letter_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_dead    ${schema}.${prefix}run;
    v_named   ${schema}.${prefix}run;
    v_letter  ${schema}.${prefix}dead_letter;
    v_answer  ${schema}.${prefix}run_answer;
    v_refusal ${schema}.${prefix}refusal;
    v_row     ${schema}.${prefix}lease;
    v_room    ${schema}.${prefix}room;
    v_facts   ${schema}.${prefix}facts;
    v_verdict text;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    SELECT r.* INTO v_dead FROM ${schema}.${prefix}run r WHERE r.id = p_dead;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    IF ${schema}.${prefix}is_elsewhere() THEN
        v_answer.request := 1;
        v_answer.verdict := 'reattach';
        v_answer.at := clock_timestamp();
        RETURN NEXT ${schema}.${prefix}lettered(v_answer);
        RETURN;
    END IF;
    v_row := (${schema}.${prefix}gather(ARRAY[v_dead.tenant], ARRAY[v_dead.name], ARRAY[true], true))[1];
    PERFORM ${schema}.${prefix}hold_tenants(ARRAY[v_dead.tenant], ARRAY[v_dead.name],
        CASE WHEN v_dead.max_running < 2147483647 THEN ARRAY[v_dead.tenant] ELSE '{}' END);
    v_facts := ${schema}.${prefix}facts(true);
    v_room := ${schema}.${prefix}enter(v_facts, v_row);
    -- Locked, so that nobody forgets it meanwhile; whoever forgets waits for no row.
    SELECT r.* INTO v_dead FROM ${schema}.${prefix}run r WHERE r.id = p_dead FOR UPDATE;
    SELECT d.* INTO v_letter FROM ${schema}.${prefix}dead_letter d WHERE d.run_id = p_dead;
    SELECT r.* INTO v_named FROM ${schema}.${prefix}run r WHERE r.id = p_anew;
    IF v_dead.id IS NULL THEN
        v_verdict := NULL;
    ELSIF v_dead.state <> 'DEAD' THEN
        v_verdict := 'not-dead';
    ELSIF v_dead.execution = 'CALLER' THEN
        v_verdict := 'callers';
    ELSIF v_letter.run_id IS NOT NULL THEN
        v_verdict := CASE WHEN v_named.id = v_letter.successor THEN 'redriven' ELSE 'settled' END;
    ELSIF v_named.id IS NOT NULL THEN
        v_verdict := 'taken';
    ELSE
        v_answer := ${schema}.${prefix}submit_one(1, v_room, ${schema}.${prefix}anew(v_dead, p_anew, p_actor, p_reason), NULL,
                                                  NULL, NULL);
        v_room.lease := v_answer.lease;
        IF v_answer.verdict = 'refused' THEN
            v_verdict := 'refused';
            v_refusal := v_answer.refusal;
        ELSE
            v_verdict := 'redriven';
            PERFORM ${schema}.${prefix}settle_letter(v_facts.at, v_dead, 'REDRIVEN', p_anew, p_actor, p_reason);
        END IF;
    END IF;
    IF v_verdict IS NOT NULL THEN
        RETURN NEXT ${schema}.${prefix}lettered(${schema}.${prefix}answer(1, v_verdict, v_room, NULL, v_refusal, p_dead));
    END IF;
    IF v_verdict = 'redriven' THEN
        RETURN NEXT ${schema}.${prefix}lettered(${schema}.${prefix}answer(1, 'anew', v_room, NULL, NULL, p_anew));
    END IF;
    v_room.lease := ${schema}.${prefix}leave(v_room);
    IF v_room.lease IS DISTINCT FROM v_row THEN
        PERFORM ${schema}.${prefix}write(ARRAY[v_room.lease], ARRAY[true]);
    END IF;
END $$;

-- Settles a dead letter without a new run. Verdicts: settled, not-dead. Nothing if there is no such run.
CREATE FUNCTION ${schema}.${prefix}discard(p_patience integer, p_dead uuid, p_actor text, p_reason text)
RETURNS SETOF ${schema}.${prefix}letter_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_dead  ${schema}.${prefix}run;
    v_row   ${schema}.${prefix}lease;
    v_room  ${schema}.${prefix}room;
    v_facts ${schema}.${prefix}facts;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    SELECT r.* INTO v_dead FROM ${schema}.${prefix}run r WHERE r.id = p_dead;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(${schema}.${prefix}latch());
    v_row := (${schema}.${prefix}gather(ARRAY[v_dead.tenant], ARRAY[v_dead.name], ARRAY[true], true))[1];
    PERFORM ${schema}.${prefix}hold_tenants(ARRAY[v_dead.tenant], ARRAY[v_dead.name], '{}');
    v_facts := ${schema}.${prefix}facts(true);
    v_room := ${schema}.${prefix}enter(v_facts, v_row);
    SELECT r.* INTO v_dead FROM ${schema}.${prefix}run r WHERE r.id = p_dead FOR UPDATE;
    IF v_dead.state = 'DEAD' AND NOT EXISTS (SELECT FROM ${schema}.${prefix}dead_letter d WHERE d.run_id = p_dead) THEN
        PERFORM ${schema}.${prefix}settle_letter(v_facts.at, v_dead, 'DISCARDED', NULL, p_actor, p_reason);
    END IF;
    IF v_dead.id IS NOT NULL THEN
        RETURN NEXT ${schema}.${prefix}lettered(${schema}.${prefix}answer(1,
            CASE v_dead.state WHEN 'DEAD' THEN 'settled' ELSE 'not-dead' END, v_room, NULL, NULL, p_dead));
    END IF;
    v_room.lease := ${schema}.${prefix}leave(v_room);
    IF v_room.lease IS DISTINCT FROM v_row THEN
        PERFORM ${schema}.${prefix}write(ARRAY[v_room.lease], ARRAY[true]);
    END IF;
END $$;

-- Dead letters in the order in which their runs were submitted. Verdict: found. Planned for what is asked each time.
CREATE FUNCTION ${schema}.${prefix}dead_letters(p_tenant text, p_job text, p_open boolean, p_after bigint, p_limit integer)
RETURNS SETOF ${schema}.${prefix}letter_answer LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_answer ${schema}.${prefix}letter_answer;
BEGIN
    v_answer.verdict := 'found';
    v_answer.at := clock_timestamp();
    FOR v_answer.run, v_answer.letter IN
        SELECT r, d FROM ${schema}.${prefix}run r LEFT JOIN ${schema}.${prefix}dead_letter d ON d.run_id = r.id
        WHERE r.state = 'DEAD' AND r.number > p_after
            AND (p_tenant IS NULL OR r.tenant = p_tenant)
            AND (p_job IS NULL OR r.job = p_job)
            AND (NOT p_open OR d.run_id IS NULL)
        ORDER BY r.number LIMIT p_limit
    LOOP
        RETURN NEXT v_answer;
    END LOOP;
END $$;
