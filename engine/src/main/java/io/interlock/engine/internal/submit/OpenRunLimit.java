package io.interlock.engine.internal.submit;

import io.interlock.BoundedMap;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.access.TenantLimitException;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.wait.WaitScheduler;
import io.interlock.run.Summary.OpenRuns;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunViews;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses new runs of a tenant that has too many open ones, or too much in them.
 *
 * <p>The store is asked for their number beside submissions, at most once in a while for each tenant, and never counts beyond the
 * limit. In between, this process counts what it adds. So the limit is met about, not to the run: what is submitted during a count
 * may be missed or counted twice until the next one, and several processes may exceed it by what they add between two counts. Safe
 * for use by many threads.
 */
public final class OpenRunLimit {

    private static final String ENDED = "wait until some have ended";
    private static final Logger log = LoggerFactory.getLogger(OpenRunLimit.class);
    private static final Duration COUNT_EVERY = Duration.ofSeconds(1);
    private static final int MOST_TENANTS = 10_000;

    private final EngineThreads threads;
    private final LocalTime time;
    private final WaitScheduler.EngineLifecycle lifecycle;
    private final RunViews views;
    private final OpenRuns limit;
    private final Map<String, Count> counts = BoundedMap.ofLastUsed(MOST_TENANTS);

    public OpenRunLimit(
            EngineThreads threads,
            LocalTime time,
            WaitScheduler.EngineLifecycle lifecycle,
            RunViews views,
            OpenRuns limit) {
        this.threads = threads;
        this.time = time;
        this.lifecycle = lifecycle;
        this.views = views;
        this.limit = limit;
    }

    private static final class Count {
        /** By the last count, and what this process has added since. */
        private OpenRuns open = new OpenRuns(0, 0);

        private boolean counting;
        private @Nullable Moment at;
    }

    /**
     * A run of {@code tenant} is about to be submitted. Work under way is let in: what it asks for is a part of it.
     *
     * @throws EngineClosedException if the engine is closed
     * @throws TenantLimitException if it has too many that are open
     */
    void admit(String tenant) {
        lifecycle.requireOpen();
        if (isUnlimited()) {
            return;
        }
        boolean count;
        boolean fullOfRuns;
        boolean full;
        synchronized (this) {
            Count known = counts.computeIfAbsent(tenant, unknown -> new Count());
            fullOfRuns = known.open.count() >= limit.count();
            full = fullOfRuns || known.open.payload() >= limit.payload();
            count = !known.counting && isOld(known);
            known.counting |= count;
        }
        if (count) {
            threads.call(() -> views.openRuns(tenant, limit.count()))
                    .whenComplete((open, failure) -> counted(tenant, open, failure));
        }
        if (full && !lifecycle.isAtWork()) {
            throw fullOfRuns
                    ? new TenantLimitException(tenant, "open runs", EngineSettings.OPEN_RUNS, limit.count(), ENDED)
                    : new TenantLimitException(
                            tenant,
                            "bytes of parameters in open runs",
                            EngineSettings.OPEN_PAYLOAD,
                            limit.payload(),
                            ENDED);
        }
    }

    void added(SubmitRequest request) {
        if (isUnlimited()) {
            return;
        }
        int payload = OpenRuns.payload(request.spec());
        synchronized (this) {
            Count known = counts.get(request.key().tenant());
            if (known != null) {
                known.open = new OpenRuns(known.open.count() + 1, known.open.payload() + payload);
            }
        }
    }

    private boolean isUnlimited() {
        return limit.count() == EngineSettings.NO_LIMIT && limit.payload() == EngineSettings.NO_LIMIT;
    }

    private boolean isOld(Count known) {
        return known.at == null || time.elapsed(known.at) > COUNT_EVERY.toNanos();
    }

    private synchronized void counted(String tenant, @Nullable OpenRuns open, @Nullable Throwable failure) {
        Count known = counts.computeIfAbsent(tenant, unknown -> new Count());
        known.counting = false;
        known.at = time.now();
        if (open == null) {
            log.debug("open runs of tenant {} could not be counted: {}", tenant, String.valueOf(failure));
        } else {
            known.open = open;
        }
    }
}
