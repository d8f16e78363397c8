-- Whose runs a worker takes; NULL for those of any tenant.
ALTER TABLE ${schema}.${prefix}worker ADD COLUMN tenant TEXT;
