package io.interlock.store.redis;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireAnswer.Grant;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.store.redis.RedisSettings.Namespace;
import io.lettuce.core.codec.Base16;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The Lua scripts in this jar, one for each step, which makes it atomic; and what they reply. */
enum Script {
    ATTACH("head", "attach"),
    ACQUIRE("head", "leases", "acquire"),
    RENEW("head", "leases", "renew"),
    RELEASE("head", "leases", "release"),
    EVICT("head", "leases", "evict"),
    FIND("head", "leases", "find"),
    LIST("head", "leases", "list"),
    SWEEP("head", "leases", "sweep"),
    BUMP("head", "leases", "bump");

    private final String text;
    private final String sha1;

    Script(String... parts) {
        StringBuilder joined = new StringBuilder();
        for (String part : parts) {
            joined.append(load(part + ".lua"));
        }
        text = joined.toString();
        sha1 = Base16.digest(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The whole script. */
    String text() {
        return text;
    }

    /** The hash by which Redis identifies it. */
    String sha1() {
        return sha1;
    }

    private static String load(String resource) {
        try (InputStream in = Script.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("the jar of the Redis store lacks " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /**
     * The reply of a script: a list that begins with its status and Redis's time and, if the script was carried out, the
     * epoch and the longest lease; inner lists are replies of the same moment.
     *
     * @param first the index of the first value after the header
     */
    record Reply(List<?> values, int first, Instant now) {

        // The order of the fields in leases.lua.
        private static final int ID = 0;
        private static final int INSTANCE = 1;
        private static final int LABEL = 2;
        private static final int RUN = 3;
        private static final int TOKEN = 4;
        private static final int GRANTED = 5;
        private static final int EXPIRES = 6;
        private static final int DELAY = 7;
        private static final int EVICTED_BY = 9;
        private static final int EVICTED_FOR = 10;
        private static final int EVICTED_AT = 11;
        private static final int MEMBER = 12;

        private static final int FIRST_GRANT = 2;

        static Reply of(List<?> values) {
            return new Reply(values, values.get(0).equals("ok") ? 4 : 2, micros((Long) values.get(1)));
        }

        String status() {
            return (String) values.get(0);
        }

        boolean isOk() {
            return status().equals("ok");
        }

        long epoch() {
            return Long.parseLong((String) values.get(2));
        }

        Duration maxLease() {
            return Duration.of(Long.parseLong((String) values.get(3)), ChronoUnit.MICROS);
        }

        int size() {
            return values.size() - first;
        }

        @Nullable
        String text(int index) {
            return (String) values.get(first + index);
        }

        /** What {@code reader} makes of the values from {@code index} on. */
        <T> List<T> from(int index, IntFunction<T> reader) {
            return IntStream.range(index, size()).mapToObj(reader).toList();
        }

        /** A mandatory text. */
        String word(int index) {
            String text = text(index);
            if (text == null) {
                throw new IllegalStateException("value " + index + " is missing in " + values);
            }
            return text;
        }

        /** Numbers that may need more than 32 bits come as text. */
        long number(int index) {
            return Long.parseLong(word(index));
        }

        Instant instant(int index) {
            return micros(number(index));
        }

        /** One answer of a batch; its first value is its kind. */
        Reply inner(int index) {
            return new Reply((List<?>) values.get(first + index), 0, now);
        }

        LeaseRecord lease(int index) {
            LeaseRecord lease = leaseOrNull(index);
            if (lease == null) {
                throw new IllegalStateException("value " + index + " is missing in " + values);
            }
            return lease;
        }

        @Nullable
        LeaseRecord leaseOrNull(int index) {
            return values.get(first + index) == null ? null : inner(index).asLease();
        }

        /** When the key of an expired lease becomes free. */
        Instant opensAt(int index) {
            Reply lease = inner(index);
            return micros(lease.number(EXPIRES) + lease.number(DELAY));
        }

        private static Instant micros(long sinceEpoch) {
            return Instant.EPOCH.plus(sinceEpoch, ChronoUnit.MICROS);
        }

        private LeaseRecord asLease() {
            String run = word(RUN);
            Holder holder = new Holder(word(INSTANCE), word(LABEL), run.isEmpty() ? null : RunId.parse(run));
            LeaseRecord.Eviction eviction = text(EVICTED_BY) == null
                    ? null
                    : new LeaseRecord.Eviction(word(EVICTED_BY), word(EVICTED_FOR), instant(EVICTED_AT));
            return new LeaseRecord(
                    Namespace.key(word(MEMBER)),
                    LeaseId.parse(word(ID)),
                    holder,
                    new FencingToken(number(TOKEN)),
                    instant(GRANTED),
                    instant(EXPIRES),
                    now,
                    eviction);
        }

        AcquireAnswer acquired() {
            return switch (word(0)) {
                case "granted" -> new AcquireAnswer.Granted(grants());
                case "held" -> new AcquireAnswer.Refused(new Refusal.Held(lease(1)));
                case "delayed" -> new AcquireAnswer.Refused(new Refusal.Delayed(lease(1), opensAt(1)));
                case "probe" -> new AcquireAnswer.Refused(new Refusal.AwaitsProbe(lease(1)));
                case "recovering" ->
                    new AcquireAnswer.Refused(new Refusal.StoreRecovering(Namespace.key(word(1)), now, instant(2)));
                default -> throw unknown();
            };
        }

        private List<Grant> grants() {
            return from(FIRST_GRANT, i -> {
                Reply grant = inner(i);
                return new Grant(grant.lease(0), grant.leaseOrNull(1));
            });
        }

        /** The releases of the grants of this call; empty if it refused, or only repeated an earlier grant. */
        List<ReleaseRequest> freshGrants() {
            return isGranted() && (Long) values.get(first + 1) == 1
                    ? grants().stream()
                            .map(Grant::lease)
                            .map(lease -> new ReleaseRequest(lease.key(), lease.id(), lease.token()))
                            .toList()
                    : List.of();
        }

        boolean isGranted() {
            return word(0).equals("granted");
        }

        RenewAnswer renewed() {
            return switch (word(0)) {
                case "renewed" -> new RenewAnswer.Renewed(lease(1));
                case "expired" -> new RenewAnswer.Lost(LossCause.EXPIRED, lease(1));
                case "evicted" -> new RenewAnswer.Lost(LossCause.EVICTED, lease(1));
                case "gone" -> new RenewAnswer.Lost(LossCause.GONE, leaseOrNull(1));
                default -> throw unknown();
            };
        }

        ReleaseAnswer released() {
            return switch (word(0)) {
                case "released" -> new ReleaseAnswer.Released(lease(1));
                case "lapsed" -> new ReleaseAnswer.Lapsed(lease(1));
                case "gone" -> new ReleaseAnswer.Gone(leaseOrNull(1));
                default -> throw unknown();
            };
        }

        EvictAnswer evicted() {
            return switch (word(0)) {
                case "evicted" -> new EvictAnswer.Evicted(lease(1), instant(2));
                case "mismatch" -> new EvictAnswer.Mismatch(leaseOrNull(1));
                default -> throw unknown();
            };
        }

        private IllegalStateException unknown() {
            return new IllegalStateException("unknown answer " + values);
        }
    }
}
