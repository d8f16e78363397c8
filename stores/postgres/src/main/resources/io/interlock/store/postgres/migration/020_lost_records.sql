-- Records that somebody has taken away before they were sealed.

-- Gives every such record a link of its own in the chain, with which no record can agree: whoever verifies the chain finds
-- that one was deleted there. A record and its mark as unsealed are made in one transaction, and only what is sealed is ever
-- forgotten, so a mark without a record is the trace of a hand.
CREATE FUNCTION ${schema}.${prefix}link_lost() RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_chain ${schema}.${prefix}chain;
    v_lost  bigint[];
    v_seq   bigint;
BEGIN
    SELECT c.* INTO v_chain FROM ${schema}.${prefix}chain c FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    v_lost := ARRAY(
        SELECT u.seq FROM ${schema}.${prefix}unsealed u
        WHERE NOT EXISTS (SELECT FROM ${schema}.${prefix}audit a WHERE a.seq = u.seq)
        ORDER BY u.seq);
    FOREACH v_seq IN ARRAY v_lost LOOP
        v_chain.position := v_chain.position + 1;
        v_chain.seq := v_seq;
        v_chain.hash := encode(sha256(convert_to(
            'lost ' || v_chain.position || ' ' || v_seq || ' ' || v_chain.hash, 'UTF8')), 'hex');
        INSERT INTO ${schema}.${prefix}seal (position, seq, hash) VALUES (v_chain.position, v_seq, v_chain.hash);
    END LOOP;
    DELETE FROM ${schema}.${prefix}unsealed u WHERE u.seq = ANY (v_lost);
    UPDATE ${schema}.${prefix}chain SET position = v_chain.position, seq = v_chain.seq, hash = v_chain.hash;
END $$;

-- Records to seal, in the order of their numbers. What can be seen is committed, so it is there for good. Where records are
-- lost, they are linked first; whoever has read the head before then has to read it again.
CREATE OR REPLACE FUNCTION ${schema}.${prefix}unsealed_records(p_limit integer)
RETURNS SETOF ${schema}.${prefix}audit LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT u.seq FROM ${schema}.${prefix}unsealed u ORDER BY u.seq LIMIT p_limit) u
        WHERE NOT EXISTS (SELECT FROM ${schema}.${prefix}audit a WHERE a.seq = u.seq)) THEN
        PERFORM ${schema}.${prefix}link_lost();
    END IF;
    -- An array, because a join might be planned as one that reads the whole log.
    RETURN QUERY
        SELECT a.* FROM ${schema}.${prefix}audit a
        WHERE a.seq = ANY (ARRAY(SELECT u.seq FROM ${schema}.${prefix}unsealed u ORDER BY u.seq LIMIT p_limit))
        ORDER BY a.seq;
END $$;
