package io.interlock.cli.remote;

import io.interlock.StoreCapabilities;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.RunHistory;
import io.interlock.spi.run.RunStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A server in the place of a store, for an engine that only does work: the steps of workers are those of {@link ServerWork}, wake-ups
 * those of {@link WorkPoll}. What else such an engine asks for is answered by name, and the rest of what stores can do is refused.
 */
final class ServerStore implements InvocationHandler {

    // A server knows its store's limit, and has refused what is above it.
    private static final Duration ANY_LEASE = Duration.ofDays(366);

    private final String server;
    private final List<Object> parts;
    private final Map<String, Function<@Nullable Object[], @Nullable Object>> others;

    private ServerStore(String server, ServerWork work, WorkPoll poll) {
        this.server = server;
        this.parts = List.of(work, poll);
        this.others = Map.of(
                "keepOutput",
                arguments -> work.keepOutput((OutputNote) arguments[0]),
                "changes",
                none -> ChangeFeed.SILENT,
                "capabilities",
                none -> new StoreCapabilities(
                        server, StoreCapabilities.Reach.NETWORK, true, ANY_LEASE, Duration.ofMillis(1)),
                // The server sweeps.
                "sweep",
                none -> List.of(),
                "sweepRuns",
                none -> List.of(),
                "forget",
                none -> new RunHistory.Forgotten(0, 0),
                "close",
                none -> null);
    }

    /** The store that {@code server} is to a worker. */
    static RunStore of(String server, ServerWork work, WorkPoll poll) {
        return (RunStore) Proxy.newProxyInstance(
                RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, new ServerStore(server, work, poll));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        Class<?> kind = method.getDeclaringClass();
        if (kind == Object.class) {
            return method.invoke(this, arguments);
        }
        for (Object part : parts) {
            if (kind.isInstance(part)) {
                return on(part, method, arguments);
            }
        }
        Function<@Nullable Object[], @Nullable Object> other = others.get(method.getName());
        if (other == null) {
            throw new UnsupportedOperationException(method.getName() + " is not for workers of a server");
        }
        return other.apply(arguments == null ? new Object[0] : arguments);
    }

    @Override
    public String toString() {
        return server;
    }

    private static @Nullable Object on(Object part, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(part, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() == null ? thrown : thrown.getCause();
        }
    }
}
