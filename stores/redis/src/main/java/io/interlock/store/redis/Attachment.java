package io.interlock.store.redis;

import io.interlock.DurationText;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.store.redis.RedisSettings.Namespace;
import io.interlock.store.redis.Script.Reply;
import io.interlock.time.CallDeadline;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether the connected Redis process may have lost leases, and remembers the epoch, so that tokens increase
 * even if Redis lost all data, and the longest lease.
 *
 * <p>Done when a store is opened, and again whenever a script finds the store record missing, or is about to grant in
 * another Redis process than the record was checked against or in one that was a replica in between. Thread-safe.
 */
final class Attachment {

    private static final Logger log = LoggerFactory.getLogger(Attachment.class);
    private static final Pattern VERSION = Pattern.compile("(?m)^redis_version:(\\d+)\\.([^\\r\\n]*)");
    private static final Pattern RUN_ID = Pattern.compile("(?m)^run_id:(\\p{XDigit}+)");
    private static final int OLDEST_VERSION = 7;
    private static final int TRIES = 3;

    private final RedisSettings settings;
    private final Namespace namespace;
    private Known known;

    /** The values that this process remembers even if Redis loses them. */
    private record Known(long epoch, Duration maxLease) {
        Known and(Known other) {
            return new Known(
                    Math.max(epoch, other.epoch), maxLease.compareTo(other.maxLease) > 0 ? maxLease : other.maxLease);
        }
    }

    Attachment(RedisSettings settings, Namespace namespace) {
        this.settings = settings;
        this.namespace = namespace;
        this.known = new Known(0, settings.common().maxLease());
    }

    /** The longest lease this store may grant. */
    Duration maxLease() {
        return known().maxLease();
    }

    /** Remembers what a reply says of the store. */
    synchronized void learnFrom(Reply reply) {
        known = known.and(new Known(reply.epoch(), reply.maxLease()));
    }

    /**
     * Checks the Redis at the other end of {@code connection}.
     *
     * @throws UnsafeStoreException if it is unsafe to use
     */
    Reply attach(StatefulRedisConnection<String, String> connection, CallDeadline patience)
            throws ExecutionException, TimeoutException {
        for (int i = 0; i < TRIES; i++) {
            String runId = runIdOf(patience.await(connection.async().info("server")));
            boolean durable = isDurable(connection, patience);
            Known before = known();
            String[] arguments = {
                namespace.space(),
                Long.toString(TimeUnit.MICROSECONDS.convert(before.maxLease())),
                Long.toString(before.epoch()),
                runId,
                durable ? "1" : "0",
                settings.firstUse() ? "1" : "0"
            };
            List<Object> values = patience.await(
                    connection.async().eval(Script.ATTACH.text(), ScriptOutputType.MULTI, namespace.keys(), arguments));
            Reply reply = Reply.of(values);
            if (reply.isOk()) {
                report(reply, before);
                return reply;
            }
            refuseUnsafe(reply);
        }
        throw new StoreUnavailableException(settings.displayName(), "was another process at each attempt");
    }

    private synchronized Known known() {
        return known;
    }

    private String runIdOf(String info) {
        Matcher version = VERSION.matcher(info);
        Matcher runId = RUN_ID.matcher(info);
        if (!version.find() || !runId.find()) {
            throw unsafe("does not report its version and run id", "use a Redis that answers INFO server");
        }
        // Before 7.0 INFO took one section, and a script's cached text was copied to replicas.
        if (Integer.parseInt(version.group(1)) < OLDEST_VERSION) {
            throw unsafe(
                    "is Redis " + version.group(1) + "." + version.group(2) + "; the oldest supported is "
                            + OLDEST_VERSION + ".0",
                    "upgrade Redis");
        }
        return runId.group(1);
    }

    // Scripts cannot read the configuration; the script compares the run id, so that both are about one process.
    private boolean isDurable(StatefulRedisConnection<String, String> connection, CallDeadline patience)
            throws ExecutionException, TimeoutException {
        try {
            Map<String, String> config = patience.await(connection.async().configGet("appendonly", "appendfsync"));
            return "yes".equals(config.get("appendonly")) && "always".equals(config.get("appendfsync"));
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RedisCommandExecutionException forbidden) {
                log.warn(
                        "store {} does not show its configuration ({}): each restart begins a quiet period",
                        settings.displayName(),
                        forbidden.getMessage());
                return false;
            }
            throw failed;
        }
    }

    private void refuseUnsafe(Reply reply) {
        switch (reply.status()) {
            case "again" -> {}
            case "replica" ->
                throw unsafe("is a replica of " + reply.word(0), "give the address of the primary in the store's URL");
            case "evicting" ->
                throw unsafe(
                        "has maxmemory-policy " + reply.word(0) + " and may drop leases to save memory",
                        "set maxmemory-policy to noeviction");
            case "newer" ->
                throw unsafe(
                        "has data in format " + reply.word(0) + "; this program knows format 1",
                        "upgrade this program");
            case "exhausted" -> throw exhausted(settings);
            default -> throw new IllegalStateException("unknown status " + reply.status());
        }
    }

    static UnsafeStoreException exhausted(RedisSettings settings) {
        return new UnsafeStoreException(
                settings.displayName(), "has used up its 2047 epochs", "choose another prefix for new keys");
    }

    private UnsafeStoreException unsafe(String problem, String nextStep) {
        return new UnsafeStoreException(settings.displayName(), problem, nextStep);
    }

    private void report(Reply reply, Known before) {
        Duration maxLease = reply.maxLease();
        String event = reply.word(0);
        String what = switch (event) {
            case "emptied" -> "has lost its data";
            case "unknown" -> "started a short time ago and is empty, so it may have lost its data";
            case "changed" -> "is another process than before and may have lost the last leases";
            case "demoted" -> "was a replica in between and may have lost the last leases";
            case "older" -> "came back with older data";
            default -> null;
        };
        if (what != null) {
            log.warn(
                    "store {} {}: epoch {} begins, nothing is granted for {}",
                    settings.displayName(),
                    what,
                    reply.epoch(),
                    DurationText.format(Duration.between(reply.now(), reply.instant(1))));
        } else if (!event.equals("same")) {
            log.info("store {} attached: {}", settings.displayName(), event);
        }
        Duration raisedFrom = Duration.of(reply.number(2), ChronoUnit.MICROS);
        if (raisedFrom.compareTo(maxLease) < 0) {
            log.warn(
                    "store {}: maxLease is permanently raised from {} to {}; quiet periods last as long",
                    settings.displayName(),
                    DurationText.format(raisedFrom),
                    DurationText.format(maxLease));
        } else if (before.epoch() == 0 && settings.common().maxLease().compareTo(maxLease) < 0) {
            log.info(
                    "store {} was used with maxLease {} before, which remains in force instead of {}",
                    settings.displayName(),
                    DurationText.format(maxLease),
                    DurationText.format(settings.common().maxLease()));
        }
    }
}
