package io.interlock.store.redis;

import io.interlock.DurationText;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.store.redis.RedisSettings.Namespace;
import io.interlock.store.redis.Script.Reply;
import io.interlock.time.CallDeadline;
import io.interlock.time.Environment.Ticker;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One connection to Redis for scripts, reopened when it breaks.
 *
 * <p>A step whose connection breaks is repeated with the same ids while there is time. A step without an answer in
 * time fails, and its connection is closed; if Redis processes the request later, the script sees that it is late and
 * does nothing. Thread-safe; threads share the connection without waiting for each other.
 */
final class RetryingConnection {

    private static final int ATTEMPTS = 5;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final int REPLICA_MILLIS = 100;

    private final Connector connector;
    private final Attachment attachment;
    private final RedisSettings settings;
    private final Namespace namespace;
    private final ServerClock clock;
    private @Nullable CompletableFuture<StatefulRedisConnection<String, String>> current;
    private boolean closed;

    /**
     * A script's reply.
     *
     * @param replicas how many replicas have its writes, if requested
     * @param repeated whether the script was sent before without an answer, and so may have run twice
     */
    record Written(Reply reply, long replicas, boolean repeated) {}

    /** An operation on a connection; {@code null} means to repeat it. */
    private interface Step<T> {
        @Nullable
        T take(StatefulRedisConnection<String, String> connection, CallDeadline patience, boolean repeated)
                throws ExecutionException, TimeoutException;
    }

    RetryingConnection(
            Connector connector,
            Attachment attachment,
            RedisSettings settings,
            Namespace namespace,
            ServerClock clock) {
        this.connector = connector;
        this.attachment = attachment;
        this.settings = settings;
        this.namespace = namespace;
        this.clock = clock;
    }

    void attach() {
        take((connection, patience, repeated) -> attachAndLookAtClock(connection, patience));
    }

    Reply call(Script script, List<String> arguments) {
        return call(script, arguments, 0).reply();
    }

    /** Runs a script, and then waits a moment for {@code replicas} replicas to have its writes. */
    Written call(Script script, List<String> arguments, int replicas) {
        return take((connection, patience, repeated) -> {
            Reply reply = evaluate(connection, script, arguments, patience);
            return switch (reply.status()) {
                case "ok" ->
                    new Written(reply, replicas == 0 ? 0 : replicasOf(connection, replicas, patience), repeated);
                case "attach" -> {
                    reattach(connection, patience);
                    yield null;
                }
                case "late" -> null;
                case "exhausted" -> throw Attachment.exhausted(settings);
                default -> throw new IllegalStateException("unknown status " + reply.status());
            };
        });
    }

    /** Accepts no more steps. */
    synchronized void close() {
        closed = true;
    }

    private <T> T take(Step<T> step) {
        try (CallDeadline patience = clock.patience(settings.common().timeout())) {
            Throwable last = null;
            boolean repeated = false;
            for (int attempt = 0; attempt < ATTEMPTS && (attempt == 0 || patience.remaining() > 0); attempt++) {
                StatefulRedisConnection<String, String> connection = null;
                try {
                    connection = patience.await(connection());
                    T taken = step.take(connection, patience, repeated);
                    if (taken != null) {
                        return taken;
                    }
                } catch (TimeoutException silent) {
                    drop(connection);
                    String before = last == null ? "" : ", before that: " + RedisErrors.summary(last);
                    throw unavailable(
                            "did not answer within "
                                    + DurationText.format(settings.common().timeout()) + before,
                            silent);
                } catch (ExecutionException | CancellationException | RedisException failure) {
                    last = RedisErrors.unwrapped(failure);
                    repeated |= connection != null;
                    if (!RedisErrors.mayPass(last)) {
                        throw unavailable("refused: " + RedisErrors.summary(last), last);
                    }
                    if (!(last instanceof RedisLoadingException || last instanceof RedisBusyException)) {
                        drop(connection);
                    }
                    patience.pause(FIRST_PAUSE.multipliedBy(1L << attempt));
                }
            }
            throw last == null
                    ? new StoreUnavailableException(
                            settings.displayName(), "gave no clear answer in " + ATTEMPTS + " attempts")
                    : unavailable("cannot be reached: " + RedisErrors.summary(last), last);
        }
    }

    private Reply evaluate(
            StatefulRedisConnection<String, String> connection,
            Script script,
            List<String> arguments,
            CallDeadline patience)
            throws ExecutionException, TimeoutException {
        long lastMoment = clock.microsIn(patience.remaining());
        List<String> all = new ArrayList<>(arguments.size() + 2);
        all.add(namespace.space());
        all.add(Long.toString(lastMoment));
        all.addAll(arguments);
        String[] argv = all.toArray(String[]::new);
        List<Object> values;
        try {
            values = patience.await(
                    connection.async().evalsha(script.sha1(), ScriptOutputType.MULTI, namespace.keys(), argv));
        } catch (ExecutionException failed) {
            if (!(failed.getCause() instanceof RedisNoScriptException)) {
                throw failed;
            }
            values = patience.await(
                    connection.async().eval(script.text(), ScriptOutputType.MULTI, namespace.keys(), argv));
        }
        return seen(Reply.of(values));
    }

    private long replicasOf(StatefulRedisConnection<String, String> connection, int wanted, CallDeadline patience)
            throws ExecutionException, TimeoutException {
        return patience.await(connection.async().waitForReplication(wanted, REPLICA_MILLIS));
    }

    private Reply attachAndLookAtClock(StatefulRedisConnection<String, String> connection, CallDeadline patience)
            throws ExecutionException, TimeoutException {
        return seen(attachment.attach(connection, patience));
    }

    // Became unsafe while in use, for example because the primary became a replica, which may be temporary.
    private void reattach(StatefulRedisConnection<String, String> connection, CallDeadline patience)
            throws ExecutionException, TimeoutException {
        try {
            attachAndLookAtClock(connection, patience);
        } catch (UnsafeStoreException unsafe) {
            drop(connection);
            throw unavailable("is no longer safe to use: " + unsafe.getMessage(), unsafe);
        }
    }

    private Reply seen(Reply reply) {
        clock.saw(reply);
        if (reply.isOk()) {
            attachment.learnFrom(reply);
        }
        return reply;
    }

    private synchronized CompletableFuture<StatefulRedisConnection<String, String>> connection() {
        if (closed) {
            throw new StoreUnavailableException(settings.displayName(), "is closed");
        }
        if (current == null || current.isCompletedExceptionally() || isBroken(current)) {
            current = connector.connect();
        }
        return current;
    }

    private static boolean isBroken(CompletableFuture<StatefulRedisConnection<String, String>> connecting) {
        return connecting.isDone() && !connecting.join().isOpen();
    }

    private void drop(@Nullable StatefulRedisConnection<String, String> connection) {
        if (connection == null) {
            return;
        }
        synchronized (this) {
            if (current != null
                    && current.isDone()
                    && !current.isCompletedExceptionally()
                    && current.join() == connection) {
                current = null;
            }
        }
        Connector.abandon(connection);
    }

    private StoreUnavailableException unavailable(String problem, Throwable cause) {
        return new StoreUnavailableException(settings.displayName(), problem, cause);
    }

    /**
     * The approximate time of Redis: that of the last reply, plus the time since. It is used only to mark when a request
     * becomes useless.
     *
     * <p>Thread-safe.
     */
    static final class ServerClock {

        private final Ticker ticker;
        private volatile Sighting last = new Sighting(0, 0);

        private record Sighting(long nanos, long serverMicros) {}

        ServerClock(Ticker ticker) {
            this.ticker = ticker;
        }

        CallDeadline patience(Duration timeout) {
            return new CallDeadline(ticker, timeout);
        }

        void saw(Reply reply) {
            last = new Sighting(ticker.nanos(), ChronoUnit.MICROS.between(Instant.EPOCH, reply.now()));
        }

        /** When a caller with this much time left, in nanoseconds, gives up, by Redis's clock. */
        long microsIn(long nanosLeft) {
            Sighting seen = last;
            return seen.serverMicros() + (ticker.nanos() - seen.nanos() + nanosLeft) / 1_000;
        }
    }
}
