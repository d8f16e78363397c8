package io.interlock.engine.internal.submit;

import io.interlock.LeaseId;
import io.interlock.LeaseTerms;
import io.interlock.RunId;
import io.interlock.engine.ConflictRetry;
import io.interlock.engine.Job;
import io.interlock.engine.RunRequest;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.run.Execution;
import io.interlock.run.Origin;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.time.Environment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes the store's request of a caller's: fills in what the job and the settings say. Safe for use by many threads. */
public final class SubmitRequests {

    private final EngineSettings settings;

    public SubmitRequests(EngineSettings settings) {
        this.settings = settings;
    }

    /**
     * A request that can be sent.
     *
     * @param request the same, as the store is asked
     * @param retry how often it is made again if it is refused
     * @param remote whether its caller is in another process
     */
    record Prepared(RunRequest wanted, SubmitRequest request, ConflictRetry retry, boolean remote) {}

    /** Prepares {@code request}, for a caller in another process unless {@code remote} is {@code null}. */
    Prepared prepare(RunRequest request, SubmitRequest.@Nullable Caller remote) {
        boolean byCaller = request.execution() == Execution.CALLER;
        Job job = byCaller ? settings.job(request.job()) : settings.jobs().require(request.job());
        Environment environment = settings.environment();
        SubmitRequest.Caller caller = remote;
        if (byCaller && caller == null) {
            caller = new SubmitRequest.Caller(LeaseId.random(environment.random()), settings.holder());
        }
        SubmitRequest asked = new SubmitRequest(
                RunId.create(environment.clock(), environment.random()),
                request.key(),
                spec(request, job),
                idempotency(request),
                caller,
                settings.limits(job, request.key().tenant()));
        asked.spec().terms().within(settings.store().capabilities().maxLease());
        return new Prepared(request, asked, request.conflictRetry().orElse(job.conflictRetry()), remote != null);
    }

    private RunSpec spec(RunRequest request, Job job) {
        LeaseTerms terms = new LeaseTerms(
                request.lease().orElse(job.terms().ttl()), job.terms().lockDelay());
        RunLimits limits = new RunLimits(
                request.maxWait().orElse(job.limits().maxWait()),
                request.maxRuntime().orElse(job.limits().maxRuntime()),
                job.limits().expiryGrace());
        Origin origin = new Origin(
                request.submitter().orElse(settings.holder().label()),
                request.reason().orElse(null),
                request.correlation().orElse(null),
                request.trace().orElse(null),
                request.address().orElse(null));
        return new RunSpec(
                job.name(),
                request.policy().orElse(job.policy()),
                request.execution(),
                request.priority(),
                request.parameters(),
                request.labels(),
                terms,
                limits,
                job.retry(),
                job.guard(),
                origin);
    }

    private SubmitRequest.@Nullable Idempotency idempotency(RunRequest request) {
        return request.idempotencyKey()
                .map(key -> new SubmitRequest.Idempotency(
                        key,
                        request.fingerprint().orElseGet(() -> Fingerprint.of(request)),
                        settings.keepIdempotency()))
                .orElse(null);
    }

    /** What a request asks for, as a hash: the same words give the same one, on every machine and after every restart. */
    private static final class Fingerprint {

        private Fingerprint() {}

        /** The fingerprint of {@code request}. Who asks, and why, is no part of what is asked for. */
        static String of(RunRequest request) {
            MessageDigest digest = sha256();
            put(digest, request.key().encoded());
            put(digest, request.job().value());
            put(digest, request.execution().name());
            put(digest, request.policy().map(Enum::name).orElse(""));
            put(digest, Integer.toString(request.priority()));
            put(digest, text(request.maxWait()));
            put(digest, text(request.lease()));
            put(digest, text(request.maxRuntime()));
            put(digest, request.parameters());
            new TreeMap<>(request.labels()).forEach((name, value) -> {
                put(digest, name);
                put(digest, value);
            });
            return HexFormat.of().formatHex(digest.digest());
        }

        // With its length in front, so that no two lists of texts look alike.
        private static void put(MessageDigest digest, String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
            digest.update(bytes);
        }

        private static String text(Optional<Duration> duration) {
            return duration.map(Duration::toString).orElse("");
        }

        private static MessageDigest sha256() {
            try {
                return MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException impossible) {
                throw new IllegalStateException("every Java has SHA-256", impossible);
            }
        }
    }
}
