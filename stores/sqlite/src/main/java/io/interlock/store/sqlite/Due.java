package io.interlock.store.sqlite;

import io.interlock.RunState;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunStatus;
import io.interlock.run.Waiter;
import io.interlock.spi.run.rules.Contents;
import io.interlock.spi.run.rules.Facts;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.Reservation;
import io.interlock.spi.run.rules.Room;
import io.interlock.spi.run.rules.Settlement;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When {@link Settlement} will have something to do in a room though nobody touches it.
 * Too early is harmless, too late would leave a key closed.
 *
 * @param at when time alone changes something, at the earliest, in {@link Micros}; or {@code null}
 * @param blocked set if the key is free and somebody waits, but the tenant has as many runs under way as it may
 */
record Due(@Nullable Long at, @Nullable Blocked blocked) {

    static final Due NEVER = new Due(null, null);

    /**
     * What a tenant's limit keeps waiting.
     *
     * @param below as soon as fewer runs than this are under way, there is a turn
     * @param number the first run that waits for it
     */
    record Blocked(int below, long number) {

        private static Blocked with(@Nullable Blocked other, Run run) {
            int limit = run.line().tenantMaxRunning();
            return other == null
                    ? new Blocked(limit, run.number())
                    : new Blocked(Math.max(limit, other.below), Math.min(run.number(), other.number));
        }
    }

    /**
     * Of a room as a step leaves it.
     *
     * @param before the facts the step began with
     * @param moreBusy how many more runs of the tenant are under way after it
     */
    static Due of(Facts before, int moreBusy, Contents contents) {
        return of(
                new Facts(
                        before.key(),
                        before.now(),
                        before.epoch(),
                        before.tokenFloor(),
                        before.quietUntil(),
                        before.pauses(),
                        before.tenantBusy() + moreBusy,
                        before.nextNumber(),
                        before.chance()),
                contents);
    }

    private static Due of(Facts facts, Contents contents) {
        Room room = new Room(facts, contents);
        Settlement.settle(room);
        if (!room.contents().equals(contents)) {
            // The rule went on after the room was settled.
            return NEVER.soonerFrom(facts.now());
        }
        Due due = NEVER;
        boolean queued = false;
        for (Run run : contents.runs().values()) {
            due = due.sooner(ofRun(run, contents, facts));
            queued |= run.state() == RunState.QUEUED;
        }
        Reservation kept = contents.reservation();
        due = kept == null ? due : due.soonerFrom(kept.until());
        return queued ? due.sooner(ofLine(facts, contents)).blockedBy(facts, contents) : due;
    }

    /** Whether a row with this need not be changed to one with {@code next}. */
    boolean servesInPlaceOf(Due next, long now) {
        return at != null
                && at > now
                && (next.at == null || at <= next.at)
                && (blocked == null ? next.blocked == null : blocked.equals(next.blocked));
    }

    private static Due ofRun(Run run, Contents contents, Facts facts) {
        RunStatus status = run.status();
        if (run.state() == RunState.RUNNING) {
            LeaseRow lease = contents.lease();
            return NEVER.soonerFrom(
                    lease == null
                            ? facts.now()
                            : lease.expiresAt().plus(run.spec().limits().expiryGrace()));
        }
        Instant rested = status.notBefore();
        boolean rests = rested != null && rested.isAfter(facts.now());
        Duration limit = run.spec().limits().maxWait();
        Instant from = rested != null && rested.isAfter(status.since()) ? rested : status.since();
        Due due = limit == null ? NEVER : NEVER.soonerAfter(from.plus(limit));
        Waiter waiter = run.state() == RunState.QUEUED ? status.waiter() : null;
        due = waiter == null ? due : due.soonerAfter(waiter.seenAt().plus(Waiter.STALE_AFTER));
        return rests ? due.soonerFrom(rested) : due;
    }

    /** When what keeps everybody in line waiting is over, if that is a matter of time. */
    private static Due ofLine(Facts facts, Contents contents) {
        Due due = NEVER;
        LeaseRow lease = contents.lease();
        if (lease != null && lease.opensAt().isAfter(facts.now())) {
            due = due.soonerFrom(lease.opensAt());
        }
        if (isQuiet(facts)) {
            due = due.soonerFrom(facts.quietUntil());
        }
        for (Pause pause : facts.pauses()) {
            if (holds(pause, facts)) {
                due = due.soonerFrom(pause.until());
            }
        }
        return due;
    }

    private Due blockedBy(Facts facts, Contents contents) {
        LeaseRow lease = contents.lease();
        boolean closed = contents.reservation() != null
                || (lease != null && lease.opensAt().isAfter(facts.now()))
                || isQuiet(facts)
                || facts.pauses().stream().anyMatch(pause -> holds(pause, facts));
        Blocked waits = null;
        for (Run run : contents.runs().values()) {
            if (!closed
                    && run.state() == RunState.QUEUED
                    && run.status().mayBegin(facts.now())
                    && run.line().tenantMaxRunning() <= facts.tenantBusy()) {
                waits = Blocked.with(waits, run);
            }
        }
        return new Due(at, waits);
    }

    private static boolean isQuiet(Facts facts) {
        return facts.quietUntil() != null && facts.quietUntil().isAfter(facts.now());
    }

    private static boolean holds(Pause pause, Facts facts) {
        return pause.covers(facts.key()) && pause.lastsAt(facts.now());
    }

    private Due sooner(Due other) {
        return other.at != null && (at == null || other.at < at) ? new Due(other.at, blocked) : this;
    }

    private Due soonerFrom(@Nullable Instant moment) {
        return moment == null ? this : sooner(new Due(Micros.ceiling(moment), null));
    }

    private Due soonerAfter(Instant moment) {
        return sooner(new Due(Micros.of(moment) + 1, null));
    }
}
