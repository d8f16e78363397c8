package io.interlock.engine.internal;

import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.run.RunHistory;
import io.interlock.spi.run.RunStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A store of leases as an engine sees it. Leases are the store's own. There are no runs: who looks for some finds none, and a step
 * that would make one is refused. Safe for use by many threads.
 */
public final class LeasesAlone implements InvocationHandler {

    private final LeaseStore leases;
    private final InstantSource clock;

    private LeasesAlone(LeaseStore leases, InstantSource clock) {
        this.leases = leases;
        this.clock = clock;
    }

    /**
     * What an engine can stand on.
     *
     * @param clock tells the time where no lease does
     */
    public static RunStore of(LeaseStore leases, InstantSource clock) {
        return (RunStore) Proxy.newProxyInstance(
                RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, new LeasesAlone(leases, clock));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getDeclaringClass().isInstance(leases)) {
            try {
                return method.invoke(leases, arguments);
            } catch (InvocationTargetException failure) {
                throw failure.getCause();
            }
        }
        return switch (method.getName()) {
            case "keys" -> keys((KeyQuery) Objects.requireNonNull(arguments)[0]);
            case "storeTime" -> clock.instant();
            case "forget" -> new RunHistory.Forgotten(0, 0);
            case "watchWork" -> (ChangeFeed.Subscription) () -> {};
            default -> nothing(method);
        };
    }

    private List<KeyView> keys(KeyQuery query) {
        LockKey after = query.after() == null ? null : LockKey.of(query.tenant(), query.after());
        return leases.list(new LeaseQuery(query.tenant(), query.prefix(), after, query.limit())).leases().stream()
                .map(LeasesAlone::view)
                .toList();
    }

    private static KeyView view(LeaseRecord lease) {
        return new KeyView(lease.key(), lease, null, 0, null, null, lease.observedAt());
    }

    private Object nothing(Method method) {
        if (method.getReturnType() == List.class) {
            return List.of();
        }
        if (method.getReturnType() == Optional.class) {
            return Optional.empty();
        }
        throw new IllegalStateException(
                leases.capabilities().store() + " keeps leases only; there is no " + method.getName() + " on it");
    }
}
