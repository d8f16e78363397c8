package io.interlock.store.postgres;

import io.interlock.LockKey;
import io.interlock.store.sql.SqlStore;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Wake-ups by LISTEN and NOTIFY, about keys and about work. Safe for use by many threads. */
final class PostgresFeed implements SqlStore.Feed {

    private final Listener listener;
    private final Announcer announcer;

    PostgresFeed(Listener listener, Announcer announcer) {
        this.listener = listener;
        this.announcer = announcer;
    }

    @Override
    public Subscription watch(LockKey key, Runnable lookAgain) {
        return listener.watch(key, lookAgain);
    }

    @Override
    public Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        return listener.watch(hash(tenant), lookAgain);
    }

    @Override
    public void keysChanged(Collection<LockKey> keys) {
        announcer.announce(keys.stream().map(KeyHash::of).toList());
    }

    @Override
    public void workAppeared(Collection<String> tenants) {
        Set<Long> hashes = new LinkedHashSet<>();
        hashes.add(hash(null));
        tenants.forEach(tenant -> hashes.add(hash(tenant)));
        announcer.announceWork(hashes);
    }

    @Override
    public void close() {
        announcer.close();
        listener.close();
    }

    /** What stands for work of {@code tenant}, or of any tenant if {@code null}. No key is called so: it has no colon. */
    private static long hash(@Nullable String tenant) {
        return KeyHash.of(tenant == null ? "work" : "work of " + tenant);
    }
}
