package io.interlock.cli.backend;

import io.interlock.LockKey;
import io.interlock.cli.text.Facts;
import io.interlock.engine.RunEngine;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import java.util.List;

/** The keys of one tenant on a store of runs. */
final class EngineLocks {

    private final RunEngine engine;
    private final String tenant;

    EngineLocks(RunEngine engine, String tenant) {
        this.engine = engine;
        this.tenant = tenant;
    }

    Facts show(String name) {
        LockKey key = LockKey.of(tenant, name);
        // Of the names that begin with it, the name itself comes first.
        List<KeyView> first = engine.records().keys(new KeyQuery(tenant, name, null, 1));
        return first.isEmpty() || !first.get(0).key().equals(key) ? LockFacts.free(key) : LockFacts.of(first.get(0));
    }
}
