package io.interlock.store.redis;

import io.interlock.store.redis.RedisSettings.Address;
import io.interlock.time.Environment;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates connections, with its own threads. A broken connection stays broken, and its pending requests fail:
 * Lettuce's reconnect would send them again, perhaps minutes later, when their callers have given up.
 *
 * <p>Thread-safe.
 */
final class Connector implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Connector.class);
    private static final long CLOSE_SECONDS = 5;

    private final ClientResources resources;
    private final RedisClient client;
    private final Address address;
    private final RedisURI uri;

    Connector(Address address, Duration timeout, Environment environment) {
        resources = DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .threadFactoryProvider(pool -> environment.threads("interlock-redis-" + pool))
                .build();
        client = RedisClient.create(resources);
        client.setOptions(options(timeout));
        this.address = address;
        uri = uri(address, timeout);
    }

    CompletableFuture<StatefulRedisConnection<String, String>> connect() {
        return client.connectAsync(StringCodec.UTF8, uri).toCompletableFuture();
    }

    CompletableFuture<StatefulRedisPubSubConnection<String, String>> connectPubSub() {
        return client.connectPubSubAsync(StringCodec.UTF8, uri).toCompletableFuture();
    }

    /** Closes a connection without waiting for it. */
    static void abandon(StatefulConnection<?, ?> connection) {
        if (connection.isOpen()) {
            var unused = connection.closeAsync();
        }
    }

    /** Closes all connections and ends the threads. May be called twice. */
    @Override
    public void close() {
        // Not shutdown(): an interrupt would leave threads behind.
        client.shutdownAsync(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                .exceptionally(failure -> {
                    log.warn("connections to {} did not close cleanly: {}", address, failure.toString());
                    return null;
                })
                .join();
        resources.shutdown(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }

    private static ClientOptions options(Duration timeout) {
        // Waiters only listen: without keep-alive probes they would not notice a vanished peer.
        KeepAliveOptions keepAlive = KeepAliveOptions.builder()
                .enable()
                .idle(Duration.ofSeconds(15))
                .interval(Duration.ofSeconds(5))
                .count(3)
                .build();
        return ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(timeout)
                        .keepAlive(keepAlive)
                        .build())
                .build();
    }

    private static RedisURI uri(Address address, Duration timeout) {
        RedisURI.Builder builder = RedisURI.Builder.redis(address.host(), address.port())
                .withSsl(address.tls())
                .withDatabase(address.database())
                .withClientName("interlock")
                .withTimeout(timeout);
        String password = address.password();
        if (address.user() != null) {
            builder.withAuthentication(address.user(), password == null ? "" : password);
        } else if (password != null) {
            builder.withPassword(password.toCharArray());
        }
        return builder.build();
    }
}
