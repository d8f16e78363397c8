package io.interlock.run;

import io.interlock.Actor;
import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One change, kept in the same step as the change itself.
 *
 * @param sequence rises by one with every record of a store
 * @param at when, by the store's clock
 * @param key what was changed
 * @param run whose change it was, or {@code null} if it was no run's
 * @param token the proof of turn it was made under, or {@code null} if none was needed
 * @param actor who made it
 * @param action what was done: {@code submitted}, {@code run}, {@code resource}, {@code stop-requested}, …
 * @param before the state before; empty if there was none
 * @param after the state after
 * @param reason why
 * @param correlation what it belongs to: the id of the request that asked for it, else of the one that submitted the run, or
 *     {@code null}
 * @param address the address of the client that asked for it, or {@code null} if it came through no server
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

    /** The actor of what nobody did: it follows from the rules. */
    public static final String RULES = "interlock";

    /** This, at its place in the log. */
    public AuditRecord at(long sequence) {
        return new AuditRecord(
                sequence, at, key, run, token, actor, action, before, after, reason, correlation, address);
    }

    /** This, made at {@code time}. */
    public AuditRecord at(Instant time) {
        return new AuditRecord(
                sequence, time, key, run, token, actor, action, before, after, reason, correlation, address);
    }

    /** What {@code actor} did that concerns no run; its number is given by the log. */
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
