package io.interlock.tck;

import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** All events of one grant of one key, for {@link StoreAudit}. */
final class GrantLife {

    private final LeaseRecord lease;
    private final Duration lockDelay;
    private final Instant grantedAt;
    private final List<Event.Renewed> renewals = new ArrayList<>();
    private final List<Event.Ended> ends = new ArrayList<>();
    private final List<Event.Evicted> evictions = new ArrayList<>();
    private final List<Event.Swept> sweeps = new ArrayList<>();
    private final List<Event.Unclear> unclear = new ArrayList<>();
    private final Instant firstEnd;
    private Event.Span firstSpan;
    private Instant lastSeen;
    private Instant lastEnd;

    GrantLife(Event.Granted granted, LeaseRecord lease) {
        this.lease = lease;
        lockDelay = granted.request().terms().lockDelay();
        grantedAt = granted.span().normal(lease.grantedAt());
        firstSpan = granted.span();
        firstEnd = granted.span().normal(lease.expiresAt());
        lastSeen = granted.span().normal(lease.observedAt());
        lastEnd = firstEnd;
    }

    /** Records a further answer that confirmed the grant. */
    void confirm(Event.Granted granted, LeaseRecord again) {
        if (granted.span().begun() < firstSpan.begun()) {
            firstSpan = granted.span();
        }
        Instant seen = granted.span().normal(again.observedAt());
        if (!seen.isBefore(lastSeen)) {
            lastSeen = seen;
            lastEnd = granted.span().normal(again.expiresAt());
        }
    }

    LeaseId id() {
        return lease.id();
    }

    Instant grantedAt() {
        return grantedAt;
    }

    Event.Span firstSpan() {
        return firstSpan;
    }

    List<Event.Renewed> renewals() {
        return renewals;
    }

    List<Event.Ended> ends() {
        return ends;
    }

    List<Event.Evicted> evictions() {
        return evictions;
    }

    List<Event.Swept> sweeps() {
        return sweeps;
    }

    List<Event.Unclear> unclear() {
        return unclear;
    }

    /** When the key could be granted again, by the store's clock. */
    Instant freeFrom() {
        if (!ends.isEmpty()) {
            Event.Ended end = ends.get(0);
            return end.span().normal(end.lease().observedAt());
        }
        // The last end counts, even if it is earlier than those before: a renewal may shorten a lease.
        Instant seen = lastSeen;
        Instant last = lastEnd;
        for (Event.Renewed renewed : renewals) {
            Instant at = renewed.span().normal(renewed.lease().observedAt());
            if (!at.isBefore(seen)) {
                seen = at;
                last = renewed.span().normal(renewed.lease().expiresAt());
            }
        }
        return last.plus(lockDelay);
    }

    /** Whether a release without a clear answer may have freed the key for a grant in {@code span}. */
    boolean mayHaveEndedBefore(Event.Span span) {
        return unclear.stream().anyMatch(call -> call.step() == Event.Step.RELEASE && !span.isBefore(call.span()));
    }

    /** The findings about this grant alone. */
    List<String> offences(Duration precision) {
        List<String> found = new ArrayList<>();
        if (ends.size() > 1) {
            found.add("I1: ended " + ends.size() + " times: " + this);
        }
        if (sweeps.size() > 1 || (!sweeps.isEmpty() && !ends.isEmpty())) {
            found.add("I1: swept " + sweeps.size() + " times and released " + ends.size() + " times: " + this);
        }
        boolean renewalUnclear = unclear.stream().anyMatch(call -> call.step() == Event.Step.RENEW);
        Instant end = firstEnd;
        renewals.sort(Comparator.comparing(
                renewed -> renewed.span().normal(renewed.lease().observedAt())));
        for (Event.Renewed renewed : renewals) {
            Instant at = renewed.span().normal(renewed.lease().observedAt());
            if (!renewalUnclear && !at.isBefore(end.plus(precision))) {
                found.add("I1: renewed at " + at + " though expired at " + end + ": " + this);
            }
            if (isAfterItsEnd(renewed)) {
                found.add("I1: renewed after it was released, swept or evicted: " + this);
            }
            end = renewed.span().normal(renewed.lease().expiresAt());
        }
        return found;
    }

    @Override
    public String toString() {
        return lease.key() + " token " + lease.token() + " id " + lease.id() + " from " + grantedAt + " free from "
                + freeFrom();
    }

    private boolean isAfterItsEnd(Event.Renewed renewed) {
        return ends.stream().anyMatch(end -> end.span().isBefore(renewed.span()))
                || sweeps.stream().anyMatch(sweep -> sweep.span().isBefore(renewed.span()))
                || evictions.stream().anyMatch(evicted -> evicted.span().isBefore(renewed.span()));
    }
}
