package io.interlock.store.postgres;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.spi.Watchers;
import io.interlock.store.sql.Dialect;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Wake-ups by LISTEN and NOTIFY, about keys and about work. Safe for use by many threads. */
final class PostgresFeed implements SqlStore.Feed {

    private final String client;
    private final Watchers<Long> watchers = new Watchers<>();
    private final Listener listener;
    private final Announcer announcer;

    PostgresFeed(DataSource connections, ServerSettings settings, Dialect dialect, Environment environment) {
        client = String.format("%08x", environment.random().nextInt());
        listener = new Listener(connections, settings, environment, watchers, client, Listener.KEEP_ALIVE);
        announcer = new Announcer(connections, settings, dialect, environment, watchers);
    }

    /** What the queue of a key calls this client: eight characters. */
    String client() {
        return client;
    }

    /**
     * The lease with {@code token} was released, and one client is to take the key.
     *
     * @param others whether further clients wait
     */
    void handOver(LockKey key, FencingToken token, String next, boolean others) {
        long hash = KeyHash.of(key);
        if (next.equals(client)) {
            watchers.call(Set.of(hash));
        } else {
            announcer.announce(List.of(new Announcer.WakeUp(next, hash)));
        }
        if (others) {
            announcer.lookAgain(key, token);
        }
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
        announcer.announce(
                keys.stream().map(KeyHash::of).map(Announcer.WakeUp::ofAll).toList());
    }

    @Override
    public void workAppeared(Collection<String> tenants) {
        Set<Announcer.WakeUp> wakeUps = new LinkedHashSet<>();
        wakeUps.add(Announcer.WakeUp.ofAll(hash(null)));
        tenants.forEach(tenant -> wakeUps.add(Announcer.WakeUp.ofAll(hash(tenant))));
        announcer.announceWork(wakeUps);
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
