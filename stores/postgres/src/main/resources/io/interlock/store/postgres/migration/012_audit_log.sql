-- Reading the audit log from its end, and sealing it into one chain.
--
-- Numbers of records are drawn before their transactions commit, so a smaller one may come to light after a greater one was
-- sealed. That is why a place in the chain is not a number: what comes late gets a later place. What is not sealed yet is
-- kept as a list of its own, written and emptied in the transactions that add and seal records. It is short however long the
-- log is, while a mark in the log itself would have every record written twice, and a "sealed up to here" cannot be told
-- from the numbers.

CREATE INDEX ${prefix}audit_of_tenant ON ${schema}.${prefix}audit (tenant, seq);
CREATE INDEX ${prefix}audit_of_run ON ${schema}.${prefix}audit (run_id, seq) WHERE run_id IS NOT NULL;

CREATE TABLE ${schema}.${prefix}unsealed (
    seq bigint PRIMARY KEY
);
INSERT INTO ${schema}.${prefix}unsealed SELECT a.seq FROM ${schema}.${prefix}audit a;

CREATE TABLE ${schema}.${prefix}seal (
    position bigint PRIMARY KEY,
    seq      bigint NOT NULL UNIQUE,
    hash     text NOT NULL
);

-- One row: the last link, and the last one whose record was forgotten. Whoever adds or forgets links has it locked.
CREATE TABLE ${schema}.${prefix}chain (
    only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    position        bigint NOT NULL DEFAULT 0,
    seq             bigint NOT NULL DEFAULT 0,
    hash            text NOT NULL DEFAULT repeat('0', 64),
    anchor_position bigint NOT NULL DEFAULT 0,
    anchor_seq      bigint NOT NULL DEFAULT 0,
    anchor_hash     text NOT NULL DEFAULT repeat('0', 64)
);
INSERT INTO ${schema}.${prefix}chain DEFAULT VALUES;

CREATE FUNCTION ${schema}.${prefix}is_unsealed() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    INSERT INTO ${schema}.${prefix}unsealed (seq) VALUES (NEW.seq);
    RETURN NULL;
END $$;

-- A trigger, so that no step can add a record and leave it unsealed for ever.
CREATE TRIGGER ${prefix}audit_is_unsealed AFTER INSERT ON ${schema}.${prefix}audit
    FOR EACH ROW EXECUTE FUNCTION ${schema}.${prefix}is_unsealed();

-- Records, the newest first. Planned for what is asked each time, because the best index depends on it.
CREATE FUNCTION ${schema}.${prefix}audit_records(p_tenant text, p_key_tenant text, p_name text, p_run uuid, p_action text,
                                                 p_since timestamptz, p_before bigint, p_limit integer)
RETURNS SETOF ${schema}.${prefix}audit LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    RETURN QUERY
        SELECT a.* FROM ${schema}.${prefix}audit a
        WHERE (p_tenant IS NULL OR a.tenant = p_tenant)
            AND (p_name IS NULL OR (a.tenant = p_key_tenant AND a.name = p_name))
            AND (p_run IS NULL OR a.run_id = p_run)
            AND (p_action IS NULL OR a.action = p_action)
            AND (p_since IS NULL OR a.at >= p_since)
            AND (p_before = 0 OR a.seq < p_before)
        ORDER BY a.seq DESC LIMIT p_limit;
END $$;

-- Records to seal, in the order of their numbers. What can be seen is committed, so it is there for good.
CREATE FUNCTION ${schema}.${prefix}unsealed_records(p_limit integer)
RETURNS SETOF ${schema}.${prefix}audit LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- An array, because a join might be planned as one that reads the whole log.
    RETURN QUERY
        SELECT a.* FROM ${schema}.${prefix}audit a
        WHERE a.seq = ANY (ARRAY(SELECT u.seq FROM ${schema}.${prefix}unsealed u ORDER BY u.seq LIMIT p_limit))
        ORDER BY a.seq;
END $$;

CREATE FUNCTION ${schema}.${prefix}chain_ends()
RETURNS SETOF ${schema}.${prefix}chain LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.* FROM ${schema}.${prefix}chain c
$$;

-- Adds links after the head that its maker saw, all of them or none. Verdicts: sealed; other: that is not the head, or a
-- record is not to be sealed; same: the last of the links is the head already.
CREATE FUNCTION ${schema}.${prefix}add_seals(p_patience integer, p_position bigint, p_seq bigint, p_hash text,
    p_positions bigint[], p_seqs bigint[], p_hashes text[], OUT verdict text)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_count CONSTANT integer := cardinality(p_positions);
    v_chain ${schema}.${prefix}chain;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    SELECT c.* INTO STRICT v_chain FROM ${schema}.${prefix}chain c FOR UPDATE;
    verdict := 'sealed';
    IF v_chain.position <> p_position OR v_chain.seq <> p_seq OR v_chain.hash <> p_hash THEN
        verdict := CASE WHEN v_chain.position = p_positions[v_count] AND v_chain.seq = p_seqs[v_count]
                            AND v_chain.hash = p_hashes[v_count] THEN 'same' ELSE 'other' END;
    ELSIF v_count > 0 THEN
        IF EXISTS (SELECT FROM unnest(p_positions) WITH ORDINALITY u (position, place)
                   WHERE u.position <> p_position + u.place)
            OR v_count <> (SELECT count(*) FROM ${schema}.${prefix}unsealed u WHERE u.seq = ANY (p_seqs)) THEN
            verdict := 'other';
            RETURN;
        END IF;
        INSERT INTO ${schema}.${prefix}seal (position, seq, hash)
        SELECT u.position, u.seq, u.hash FROM unnest(p_positions, p_seqs, p_hashes) u (position, seq, hash);
        DELETE FROM ${schema}.${prefix}unsealed u WHERE u.seq = ANY (p_seqs);
        UPDATE ${schema}.${prefix}chain
        SET position = p_positions[v_count], seq = p_seqs[v_count], hash = p_hashes[v_count];
    END IF;
END $$;

-- Links in order, each with its record, or with nulls if that is gone. Record by record, so that no plan reads the whole log.
CREATE FUNCTION ${schema}.${prefix}sealed_records(p_after bigint, p_limit integer)
RETURNS TABLE (link_position bigint, link_seq bigint, link_hash text, seq bigint, at timestamptz, tenant text, name text,
               run_id uuid, token bigint, actor text, action text, before text, after text, reason text, correlation text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT s.position, s.seq, s.hash, a.*
    FROM (SELECT l.* FROM ${schema}.${prefix}seal l WHERE l.position > p_after ORDER BY l.position LIMIT p_limit) s
    LEFT JOIN ${schema}.${prefix}audit a ON a.seq = s.seq
    ORDER BY s.position
$$;
