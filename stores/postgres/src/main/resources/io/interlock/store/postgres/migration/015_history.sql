-- Forgetting what is old.

CREATE INDEX ${prefix}run_over ON ${schema}.${prefix}run (since)
    WHERE state IN ('SUCCEEDED', 'FAILED', 'ABORTED', 'TIMED_OUT', 'DEAD');
CREATE INDEX ${prefix}remembered_of_run ON ${schema}.${prefix}remembered (run_id);

-- Runs that have ended, up to p_limit, with all that belongs to them; never one whose idempotency key still counts. Whoever
-- adds something to a run that has ended has its row locked, and is left alone.
CREATE FUNCTION ${schema}.${prefix}forget_runs(p_at timestamptz, p_kept bigint, p_letters_kept bigint, p_limit integer)
RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_then CONSTANT timestamptz := ${schema}.${prefix}after(p_at, -p_kept);
    v_runs uuid[];
BEGIN
    v_runs := ARRAY(
        SELECT r.id FROM ${schema}.${prefix}run r
        WHERE r.state IN ('SUCCEEDED', 'FAILED', 'ABORTED', 'TIMED_OUT', 'DEAD')
            AND r.since <= ${schema}.${prefix}after(p_at, -least(p_kept, p_letters_kept))
            AND r.since <= CASE
                WHEN r.state = 'DEAD' AND NOT EXISTS (
                    SELECT FROM ${schema}.${prefix}dead_letter d WHERE d.run_id = r.id)
                THEN ${schema}.${prefix}after(p_at, -p_letters_kept) ELSE v_then END
            AND NOT EXISTS (
                SELECT FROM ${schema}.${prefix}remembered n WHERE n.run_id = r.id AND n.until > p_at)
        ORDER BY r.since LIMIT p_limit FOR UPDATE OF r SKIP LOCKED);
    DELETE FROM ${schema}.${prefix}attempt a WHERE a.run_id = ANY (v_runs);
    DELETE FROM ${schema}.${prefix}output o WHERE o.run_id = ANY (v_runs);
    DELETE FROM ${schema}.${prefix}dead_letter d WHERE d.run_id = ANY (v_runs);
    DELETE FROM ${schema}.${prefix}run r WHERE r.id = ANY (v_runs);
    RETURN cardinality(v_runs);
END $$;

-- What nobody asks for any more beside runs: names that no longer count, counts and workers of the time before p_then.
CREATE FUNCTION ${schema}.${prefix}forget_notes(p_at timestamptz, p_then timestamptz, p_limit integer)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    DELETE FROM ${schema}.${prefix}remembered n WHERE n.ctid = ANY (ARRAY(
        SELECT o.ctid FROM ${schema}.${prefix}remembered o WHERE o.until <= p_at
        ORDER BY o.until LIMIT p_limit FOR UPDATE SKIP LOCKED));
    DELETE FROM ${schema}.${prefix}refusal_count c WHERE c.ctid = ANY (ARRAY(
        SELECT o.ctid FROM ${schema}.${prefix}refusal_count o WHERE o.minute < p_then
        ORDER BY o.minute LIMIT p_limit FOR UPDATE SKIP LOCKED));
    DELETE FROM ${schema}.${prefix}worker w WHERE w.ctid = ANY (ARRAY(
        SELECT o.ctid FROM ${schema}.${prefix}worker o WHERE o.seen_at < p_then LIMIT p_limit FOR UPDATE SKIP LOCKED));
    DELETE FROM ${schema}.${prefix}work_wanted w WHERE w.ctid = ANY (ARRAY(
        SELECT o.ctid FROM ${schema}.${prefix}work_wanted o WHERE o.until < p_at - interval '1 day'
        LIMIT p_limit FOR UPDATE SKIP LOCKED));
END $$;

-- Sealed records made at p_then or before, from the beginning of the chain on and without gaps. A record that somebody has
-- taken away is no reason to go on: links go up to one whose record is there and old.
CREATE FUNCTION ${schema}.${prefix}forget_records(p_then timestamptz, p_limit integer)
RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_chain ${schema}.${prefix}chain;
    v_last  ${schema}.${prefix}seal;
    v_count integer;
BEGIN
    SELECT c.* INTO v_chain FROM ${schema}.${prefix}chain c FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    SELECT f.position, f.seq, f.hash INTO v_last FROM (
        SELECT s.*, a.at, coalesce(bool_or(a.at > p_then) OVER (ORDER BY s.position), false) AS younger
        FROM (SELECT l.* FROM ${schema}.${prefix}seal l WHERE l.position > v_chain.anchor_position
              ORDER BY l.position LIMIT p_limit) s
        LEFT JOIN ${schema}.${prefix}audit a ON a.seq = s.seq) f
    WHERE f.at <= p_then AND NOT f.younger
    ORDER BY f.position DESC LIMIT 1;
    IF v_last.position IS NULL THEN
        RETURN 0;
    END IF;
    DELETE FROM ${schema}.${prefix}audit a WHERE a.seq = ANY (ARRAY(
        SELECT s.seq FROM ${schema}.${prefix}seal s WHERE s.position <= v_last.position));
    DELETE FROM ${schema}.${prefix}seal s WHERE s.position <= v_last.position;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    UPDATE ${schema}.${prefix}chain
    SET anchor_position = v_last.position, anchor_seq = v_last.seq, anchor_hash = v_last.hash;
    RETURN v_count;
END $$;

-- Forgets runs and records older than they are kept, for so many microseconds. It waits for nobody, and goes from row to row
-- by index however much there is.
CREATE FUNCTION ${schema}.${prefix}forget(p_patience integer, p_runs bigint, p_letters bigint, p_audit bigint,
                                          p_limit integer, OUT runs integer, OUT records integer)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    v_at CONSTANT timestamptz := clock_timestamp();
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    runs := ${schema}.${prefix}forget_runs(v_at, p_runs, p_letters, p_limit);
    PERFORM ${schema}.${prefix}forget_notes(v_at, ${schema}.${prefix}after(v_at, -p_runs), p_limit);
    records := ${schema}.${prefix}forget_records(${schema}.${prefix}after(v_at, -p_audit), p_limit);
END $$;
