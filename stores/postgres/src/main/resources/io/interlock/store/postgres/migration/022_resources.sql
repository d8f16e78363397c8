-- Resources of a kind, of all tenants, in the order of their keys.

CREATE FUNCTION ${schema}.${prefix}resources(p_kind text, p_tenant text, p_name text, p_limit int)
RETURNS SETOF ${schema}.${prefix}resource LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT o.* FROM ${schema}.${prefix}resource o
    WHERE o.kind = p_kind AND (p_tenant IS NULL OR (o.tenant, o.name) > (p_tenant, p_name))
    ORDER BY o.tenant, o.name LIMIT p_limit
$$;
