-- A tenant's workers, and those for any tenant, are found without a look at those of others; remote ones are forgotten sooner.
CREATE INDEX ${schema}.${prefix}worker_tenant ON ${prefix}worker (tenant, seen_at);
CREATE INDEX ${schema}.${prefix}worker_remote ON ${prefix}worker (seen_at) WHERE version = 'remote';
