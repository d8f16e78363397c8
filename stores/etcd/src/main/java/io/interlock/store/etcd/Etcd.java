package io.interlock.store.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.time.CallDeadline;
import io.interlock.time.Environment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The connection to a cluster, the names of a store's keys in it, and what its errors mean. The driver repeats only
 * calls that no member has received.
 *
 * <p>Thread-safe.
 */
final class Etcd implements AutoCloseable {

    // Below every character a tenant may contain, so that the order of names is the order of keys.
    private static final char SEPARATOR = ',';

    final Client client;
    private final EtcdSettings settings;
    private final Environment environment;
    private volatile boolean closed;

    Etcd(EtcdSettings settings, Environment environment) {
        this.settings = settings;
        this.environment = environment;
        ClientBuilder builder = Client.builder()
                .endpoints(settings.endpoints())
                .connectTimeout(settings.common().timeout())
                .waitForReady(true);
        if (settings.user() != null && settings.password() != null) {
            builder.user(text(settings.user())).password(text(settings.password()));
        }
        try {
            client = (settings.tls() ? secured(builder) : builder).build();
        } catch (SSLException | IllegalArgumentException unreadable) {
            throw new InvalidSettingException(
                    "store",
                    settings.toString(),
                    "has certificates that cannot be used (" + unreadable.getMessage() + ")",
                    "check the files of ca, cert and key");
        }
    }

    private ClientBuilder secured(ClientBuilder builder) throws SSLException {
        return builder.sslContext(tls -> {
            Path ca = settings.ca();
            Path cert = settings.cert();
            Path key = settings.key();
            if (ca != null) {
                tls.trustManager(ca.toFile());
            }
            if (cert != null && key != null) {
                tls.keyManager(cert.toFile(), key.toFile());
            }
        });
    }

    ByteSequence store() {
        return named("store");
    }

    ByteSequence quiet() {
        return named("quiet");
    }

    ByteSequence keyOf(LockKey key) {
        return named("key/" + member(key));
    }

    /** Exists while the key is held; {@code shared} is its name if other keys share it. */
    ByteSequence holdOf(LockKey key, @Nullable String shared) {
        return named("hold/" + (shared == null ? member(key) : shared));
    }

    /** Exists while the key is held, and until its lock delay is over; {@code shared} is its name if other keys share it. */
    ByteSequence delayOf(LockKey key, @Nullable String shared) {
        return named("delay/" + (shared == null ? member(key) : shared));
    }

    /** The beginning of the places of processes that wait for a key. It ends in what no name contains, because one may begin like another. */
    ByteSequence waitersOf(LockKey key) {
        return named("wait/" + member(key) + '\0');
    }

    /** The beginning of the names of keys: of all, of a tenant, or of a tenant's keys with a prefix. */
    ByteSequence keysOf(@Nullable String tenant, String namePrefix) {
        return named("key/" + (tenant == null ? "" : tenant + SEPARATOR + namePrefix));
    }

    LockKey key(ByteSequence name) {
        String member = string(name).substring((settings.common().prefix() + "/key/").length());
        int separator = member.indexOf(SEPARATOR);
        return new LockKey(member.substring(0, separator), member.substring(separator + 1));
    }

    ByteSequence named(String name) {
        return text(settings.common().prefix() + "/" + name);
    }

    static ByteSequence text(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    static String string(ByteSequence text) {
        return text.toString(StandardCharsets.UTF_8);
    }

    <T> T await(Supplier<CompletableFuture<T>> call) {
        return awaitEach(List.of(call), Supplier::get).get(0);
    }

    /** Waits for calls that are made together, one for each of {@code items}. */
    <I, T> List<T> awaitEach(Collection<I> items, Function<I, CompletableFuture<T>> call) {
        if (closed) {
            throw new StoreUnavailableException(settings.toString(), "is closed");
        }
        List<CompletableFuture<T>> futures = items.stream().map(call).toList();
        try (CallDeadline deadline =
                new CallDeadline(environment.ticker(), settings.common().timeout())) {
            List<T> answers = new ArrayList<>(futures.size());
            for (CompletableFuture<T> future : futures) {
                answers.add(deadline.await(future));
            }
            return answers;
        } catch (ExecutionException failed) {
            throw failure(failed.getCause() == null ? failed : failed.getCause());
        } catch (TimeoutException late) {
            futures.forEach(future -> future.cancel(true));
            throw new StoreUnavailableException(
                    settings.toString(),
                    "gave no answer in " + settings.common().timeout().toMillis() + " ms");
        }
    }

    private InterlockException failure(Throwable cause) {
        String name = settings.toString();
        String message = String.valueOf(cause.getMessage());
        if (message.contains("permission denied")) {
            return InvalidSettingException.forbidden(
                    "store",
                    name,
                    "denies this user a right",
                    "grant readwrite on the prefix " + settings.common().prefix() + "/");
        }
        if (message.contains("UNAUTHENTICATED")
                || message.contains("authentication failed")
                || message.contains("user name is empty")) {
            return InvalidSettingException.forbidden(
                    "store", name, "refused the login", "correct user and password in the store's URL");
        }
        return new StoreUnavailableException(name, "did not answer clearly (" + message + ")", cause);
    }

    @Override
    public void close() {
        closed = true;
        client.close();
    }

    private static String member(LockKey key) {
        return key.tenant() + SEPARATOR + key.name();
    }
}
