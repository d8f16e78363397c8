package io.interlock.store.redis;

import io.interlock.LockKey;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.Watchers;
import io.interlock.store.redis.RedisSettings.Namespace;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups by publish and subscribe, on a connection that is opened for the first watcher and reopened when it breaks.
 * Messages in between are lost, so after each subscription all watchers are woken.
 *
 * <p>Thread-safe.
 */
final class WakeUps implements ChangeFeed, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WakeUps.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final Connector connector;
    private final String channel;
    private final Timers timers;
    private final RandomGenerator random;
    private final Watchers<String> watchers = new Watchers<>();
    private Duration pause = FIRST_PAUSE;
    private boolean started;
    private boolean closed;

    WakeUps(Connector connector, Namespace namespace, Environment environment) {
        this.connector = connector;
        this.channel = namespace.wakeChannel();
        this.timers = environment.timers("interlock-redis-wake");
        this.random = environment.random();
    }

    @Override
    public Subscription watch(LockKey key, Runnable lookAgain) {
        Subscription watch = watchers.add(Namespace.member(key), lookAgain);
        start();
        return watch;
    }

    /** Sends no more wake-ups. The connector closes the connection. */
    @Override
    public synchronized void close() {
        closed = true;
        timers.close();
        watchers.clear();
    }

    private synchronized void start() {
        if (!started && !closed) {
            started = true;
            connect();
        }
    }

    private synchronized void connect() {
        if (!closed) {
            var unused = connector.connectPubSub().whenComplete(this::connected);
        }
    }

    private void connected(
            @Nullable StatefulRedisPubSubConnection<String, String> connection, @Nullable Throwable failure) {
        if (connection == null) {
            again(failure);
            return;
        }
        Listener listener = new Listener(connection);
        connection.addListener((RedisConnectionStateListener) listener);
        connection.addListener(listener.messages);
        var unused = connection.async().subscribe(channel).whenComplete((done, refused) -> {
            if (refused != null) {
                listener.end(refused);
            }
        });
        if (!connection.isOpen()) {
            listener.end(null);
        }
    }

    private synchronized void again(@Nullable Throwable failure) {
        if (closed) {
            return;
        }
        // A first failure may be a restart; if it persists, waiters only poll, and this should be logged.
        if (pause.compareTo(LONGEST_PAUSE) >= 0) {
            log.warn(
                    "no wake-ups from {}: {}; waiters poll",
                    channel,
                    failure == null ? "disconnected" : RedisErrors.summary(failure));
        }
        timers.after(pause.plusMillis(random.nextLong(pause.toMillis())), this::connect);
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }

    private synchronized void subscribed() {
        pause = FIRST_PAUSE;
    }

    /** Listens on one connection until it ends. */
    private final class Listener implements RedisConnectionStateListener {

        private final StatefulRedisPubSubConnection<String, String> connection;
        private boolean ended;

        private final RedisPubSubAdapter<String, String> messages = new RedisPubSubAdapter<>() {
            @Override
            public void message(String from, String member) {
                watchers.callThoseOf(member);
            }

            @Override
            public void subscribed(String to, long count) {
                WakeUps.this.subscribed();
                watchers.callAll();
            }
        };

        Listener(StatefulRedisPubSubConnection<String, String> connection) {
            this.connection = connection;
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
            end(null);
        }

        void end(@Nullable Throwable failure) {
            synchronized (this) {
                if (ended) {
                    return;
                }
                ended = true;
            }
            Connector.abandon(connection);
            again(failure);
        }
    }
}
