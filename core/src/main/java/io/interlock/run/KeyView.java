package io.interlock.run;

import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The activity of one key, at one moment.
 *
 * @param lease its lease, including an expired one that was not deleted yet, or {@code null}
 * @param run the run that has the key (RUNNING) or its reservation, or {@code null}
 * @param waiting how many runs wait in the queue
 * @param waitingSince when the first of them was submitted, or {@code null} if none waits
 * @param pause the pause of the key, or {@code null}
 */
public record KeyView(
        LockKey key,
        @Nullable LeaseRecord lease,
        @Nullable Run run,
        int waiting,
        @Nullable Instant waitingSince,
        @Nullable Pause pause,
        Instant observedAt) {

    /** A key without lease and runs, under the first of {@code pauses} that covers it. */
    public static KeyView idle(LockKey key, List<Pause> pauses, Instant now) {
        Pause pause = pauses.stream()
                .filter(each -> each.covers(key) && each.lastsAt(now))
                .findFirst()
                .orElse(null);
        return new KeyView(key, null, null, 0, null, pause, now);
    }

    public Optional<LeaseRecord> currentLease() {
        return Optional.ofNullable(lease);
    }

    /** The run that has the key or its reservation, if there is one. */
    public Optional<Run> currentRun() {
        return Optional.ofNullable(run);
    }

    public KeyStatus state() {
        if (lease != null) {
            return lease.isLive() && !isTooLong() ? KeyStatus.HELD : KeyStatus.OVERDUE;
        }
        if (pause != null) {
            return KeyStatus.PAUSED;
        }
        return run != null || waiting > 0 ? KeyStatus.WAITING : KeyStatus.FREE;
    }

    /** The status and its reason in one sentence. */
    public String explanation() {
        return Explanations.of(this);
    }

    /** Whether the work under the key exceeds its max runtime. */
    boolean isTooLong() {
        return run != null && run.isTooLong(observedAt);
    }

    /** The status of a key. */
    public enum KeyStatus {
        /** It has a live lease. */
        HELD,
        /** Its lease expired without a release, or its work exceeds its max runtime. */
        OVERDUE,
        /** It has no holder, and runs wait: for a worker, the end of a pause or their turn. */
        WAITING,
        /** It has no holder, and a pause prevents grants. */
        PAUSED,
        /** It has no holder. */
        FREE
    }

    /**
     * Which keys to list.
     *
     * @param prefix only names with this prefix; empty for all
     * @param after only names greater than this one, or {@code null} to begin at the first
     * @param limit the maximum number, 1 to {@link RunQuery#MAX_LIMIT}
     */
    public record KeyQuery(
            String tenant, String prefix, @Nullable String after, int limit) {

        public KeyQuery {
            LeaseQuery.requireLimit(limit, "request the next page with the last name");
        }

        /** The first keys of a tenant. */
        public static KeyQuery ofTenant(String tenant) {
            return new KeyQuery(tenant, "", null, RunQuery.MAX_LIMIT);
        }

        /** Whether {@code key} matches this query. */
        public boolean matches(LockKey key) {
            return key.tenant().equals(tenant)
                    && key.name().startsWith(prefix)
                    && (after == null || key.compareTo(LockKey.of(tenant, after)) > 0);
        }
    }
}
