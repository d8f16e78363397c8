package io.interlock.run;

import io.interlock.Actor;
import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The record of one change, written in the same step as the change.
 *
 * @param sequence increases by one with every record of a store
 * @param run the changed run, or {@code null} if the change is not about a run
 * @param token the fencing token of the change, or {@code null} if it needed none
 * @param action the kind of change: {@code submitted}, {@code run}, {@code resource}, {@code stop-requested}, …
 * @param before the state before; empty if there was none
 * @param after the state after
 * @param correlation the id of the request that caused it, else of the request that submitted the run, or {@code null}
 * @param address the address of the client, or {@code null} if the request did not come through a server
 */
public record AuditRecord(
        long sequence,
        Instant at,
        LockKey key,
        @Nullable RunId run,
        @Nullable FencingToken token,
        String actor,
        String action,
        String before,
        String after,
        String reason,
        @Nullable String correlation,
        @Nullable String address) {

    /** The actor of changes that follow from the rules alone. */
    public static final String RULES = "interlock";

    /** This record with its number in the log. */
    public AuditRecord at(long sequence) {
        return new AuditRecord(
                sequence, at, key, run, token, actor, action, before, after, reason, correlation, address);
    }

    /** This record with another time. */
    public AuditRecord at(Instant time) {
        return new AuditRecord(
                sequence, time, key, run, token, actor, action, before, after, reason, correlation, address);
    }

    /** This record of a change of a run or its lease. */
    public AuditRecord about(@Nullable RunId run, @Nullable FencingToken token, @Nullable String correlation) {
        return new AuditRecord(
                sequence, at, key, run, token, actor, action, before, after, reason, correlation, address);
    }

    /** A record of {@code actor} that is not about a run; the log assigns its number. */
    public static AuditRecord of(
            Instant at, LockKey key, Actor actor, String action, String before, String after, String reason) {
        return new AuditRecord(
                0,
                at,
                key,
                null,
                null,
                actor.name(),
                action,
                before,
                after,
                reason,
                actor.correlation(),
                actor.address());
    }
}
