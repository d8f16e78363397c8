package io.interlock.metrics;

import io.interlock.StoreUnavailableException;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.run.InterceptedStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a store and measures how long each step takes, its outcome, and how often a token was refused. It changes no
 * answer. Thread-safe.
 */
final class MeteredStore implements InterceptedStore.Interceptor {

    // They answer from memory.
    private static final Set<String> NO_STEPS = Set.of("capabilities", "changes", "close");

    private static final Duration[] BUCKETS = Labels.buckets(0.001, 0.005, 0.025, 0.1, 0.5, 1, 3, 10);

    private final MeterRegistry registry;

    private MeteredStore(MeterRegistry registry) {
        this.registry = registry;
    }

    static <S extends LeaseStore> S of(S store, Class<S> type, MeterRegistry registry) {
        return InterceptedStore.of(store, type, new MeteredStore(registry));
    }

    @Override
    public @Nullable Object answer(InterceptedStore.Call call) throws Throwable {
        if (NO_STEPS.contains(call.step())) {
            return call.proceed();
        }
        long start = registry.config().clock().monotonicTime();
        String outcome = "failed";
        try {
            Object answer = call.proceed();
            outcome = "answered";
            if (answer instanceof Answers<?> answers) {
                read(answers);
            }
            return answer;
        } catch (StoreUnavailableException unclear) {
            outcome = "unclear";
            throw unclear;
        } finally {
            timer(call.step(), outcome).record(registry.config().clock().monotonicTime() - start, TimeUnit.NANOSECONDS);
        }
    }

    private Timer timer(String operation, String outcome) {
        // Slow renewals cost leases, so they have their own timer.
        boolean heartbeat = operation.equals("heartbeat") || operation.equals("renew");
        Timer.Builder timer = heartbeat
                ? Timer.builder("interlock.heartbeat").description("Steps that renew leases")
                : Timer.builder("interlock.store.operation").description("Steps of the store");
        if (!heartbeat) {
            timer.tag("operation", operation);
        }
        return timer.tag("outcome", outcome).serviceLevelObjectives(BUCKETS).register(registry);
    }

    private void read(Answers<?> answers) {
        for (int i = 0; i < answers.size(); i++) {
            if (!answers.isOpen(i)) {
                read(answers.get(i));
            }
        }
    }

    private void read(@Nullable Object answer) {
        if (answer instanceof HeartbeatAnswer.Lost lost) {
            rejected("heartbeat", lost.cause());
        } else if (answer instanceof FinishAnswer.LeaseLost lost) {
            rejected("finish", lost.cause());
        } else if (answer instanceof RenewAnswer.Lost lost) {
            rejected("renew", lost.cause());
        } else if (answer instanceof ReleaseAnswer.Gone) {
            rejected("release", null);
        } else if (answer instanceof AcquireAnswer.Granted) {
            lease("granted", "none");
        } else if (answer instanceof AcquireAnswer.Refused refused) {
            lease("refused", Labels.named(refused.refusal().getClass()));
        }
    }

    private void rejected(String step, @Nullable Enum<?> cause) {
        String why = cause == null ? "gone" : cause.name().toLowerCase(Locale.ROOT);
        Labels.count(
                registry,
                "interlock.token.rejected",
                "Steps refused because their token is not the live one",
                Tags.of("step", step, "cause", why));
    }

    private void lease(String outcome, String reason) {
        Labels.count(
                registry,
                "interlock.lease.acquisitions",
                "Requests for bare leases by outcome",
                Tags.of("outcome", outcome, "reason", reason));
    }
}
