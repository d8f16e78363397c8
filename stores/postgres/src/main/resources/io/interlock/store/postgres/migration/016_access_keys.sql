-- API keys, without their secrets.

CREATE TABLE ${schema}.${prefix}access_key (
    id         text COLLATE "C" PRIMARY KEY,
    name       text COLLATE "C" NOT NULL,      -- in the log
    number     bigint GENERATED ALWAYS AS IDENTITY,
    tenant     text COLLATE "C" NOT NULL,
    role       text NOT NULL,
    label      text NOT NULL,
    hash       text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz
);

-- Keeps a key, and returns the one called so: whether that is the same is for the caller to say.
CREATE FUNCTION ${schema}.${prefix}add_key(p_patience integer, p_id text, p_tenant text, p_name text, p_role text,
                                           p_label text, p_hash text, p_expires timestamptz, p_actor text)
RETURNS SETOF ${schema}.${prefix}access_key LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_at CONSTANT timestamptz := clock_timestamp();
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    INSERT INTO ${schema}.${prefix}access_key (id, name, tenant, role, label, hash, created_at, expires_at)
    VALUES (p_id, p_name, p_tenant, p_role, p_label, p_hash, v_at, p_expires)
    ON CONFLICT (id) DO NOTHING;
    IF FOUND THEN
        INSERT INTO ${schema}.${prefix}audit (at, tenant, name, actor, action, before, after, reason)
        VALUES (v_at, p_tenant, p_name, p_actor, 'key-added', '', p_role, p_label);
    END IF;
    RETURN QUERY SELECT k.* FROM ${schema}.${prefix}access_key k WHERE k.id = p_id;
END $$;

CREATE FUNCTION ${schema}.${prefix}find_key(p_id text)
RETURNS SETOF ${schema}.${prefix}access_key LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.* FROM ${schema}.${prefix}access_key k WHERE k.id = p_id
$$;

CREATE FUNCTION ${schema}.${prefix}list_keys(p_tenant text)
RETURNS SETOF ${schema}.${prefix}access_key LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.* FROM ${schema}.${prefix}access_key k WHERE p_tenant IS NULL OR k.tenant = p_tenant ORDER BY k.number
$$;

-- Takes a key back, once.
CREATE FUNCTION ${schema}.${prefix}revoke_key(p_patience integer, p_id text, p_actor text, p_reason text)
RETURNS SETOF ${schema}.${prefix}access_key LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_key ${schema}.${prefix}access_key;
BEGIN
    PERFORM ${schema}.${prefix}prepare_step(p_patience);
    UPDATE ${schema}.${prefix}access_key k SET revoked_at = clock_timestamp()
    WHERE k.id = p_id AND k.revoked_at IS NULL RETURNING k.* INTO v_key;
    IF FOUND THEN
        INSERT INTO ${schema}.${prefix}audit (at, tenant, name, actor, action, before, after, reason)
        VALUES (v_key.revoked_at, v_key.tenant, v_key.name, p_actor, 'key-revoked', v_key.role, '', p_reason);
    END IF;
    RETURN QUERY SELECT k.* FROM ${schema}.${prefix}access_key k WHERE k.id = p_id;
END $$;
