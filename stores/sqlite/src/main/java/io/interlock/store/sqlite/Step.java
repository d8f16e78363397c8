package io.interlock.store.sqlite;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Run;
import io.interlock.spi.TokenLayout;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What is done in one transaction, at one moment of the store's clock: the one at which the transaction began to be alone.
 * Requests see what earlier ones of the same step changed. {@link #finish()} comes last.
 *
 * <p>A step may also only look: then nothing is written, and if {@link #wantsToWrite()} afterwards, what it said counts for
 * nothing and is to be done again by one that may write. So whatever needs no writing never keeps writers out.
 */
final class Step {

    private final Session session;
    private final LeaseTable leases;
    private final StoreTable store;
    private final Instant tokenTime;
    private final long now;
    private final double chance;
    private final boolean looking;
    private final Map<LockKey, Map<RunId, Run>> rooms = new HashMap<>();
    private StoreState state;
    private boolean wants;

    private Step(Session session, StoreClock clock, RandomGenerator random, boolean looking) throws SQLException {
        this.session = session;
        this.looking = looking;
        leases = new LeaseTable(session);
        store = new StoreTable(session);
        state = clock.now(store.read());
        now = state.moment();
        tokenTime = later(clock.wall().instant(), Micros.moment(now));
        chance = random.nextDouble();
    }

    /** Begins a step in the write transaction that {@code session} is in. */
    static Step writing(Session session, StoreClock clock, RandomGenerator random) throws SQLException {
        return new Step(session, clock, random, false);
    }

    /** Begins a step that only looks. */
    static Step looking(Session session, StoreClock clock, RandomGenerator random) throws SQLException {
        return new Step(session, clock, random, true);
    }

    Session session() {
        return session;
    }

    StoreState state() {
        return state;
    }

    /** The moment of this step, in {@link Micros}. */
    long now() {
        return now;
    }

    /** From 0 to 1. */
    double chance() {
        return chance;
    }

    /** Whether this step may write what its caller now has to; one that only looks remembers that it would have had to. */
    boolean mayWrite() {
        wants = true;
        return !looking;
    }

    boolean isLooking() {
        return looking;
    }

    boolean wantsToWrite() {
        return wants;
    }

    /** The open runs of a key as an earlier request of this step left them, or {@code null} if there was none. */
    @Nullable
    Map<RunId, Run> openRuns(LockKey key) {
        return rooms.get(key);
    }

    /** Remembers the open runs of a key as they were just written: many requests of a step may be about one line. */
    void wrote(LockKey key, Map<RunId, Run> open) {
        rooms.put(key, open);
    }

    @Nullable
    StoredLease lease(LockKey key) throws SQLException {
        return leases.find(key);
    }

    LeaseTable leases() {
        return leases;
    }

    void put(StoredLease lease) throws SQLException {
        if (mayWrite()) {
            leases.put(lease);
        }
    }

    /** Frees a key. The row goes, and with it the memory of the key's last token: the floor takes its place. */
    void free(StoredLease lease) throws SQLException {
        if (mayWrite()) {
            leases.delete(lease.key());
            state = state.with(state.tokens().above(lease.token().value()));
        }
    }

    /** A token greater than {@code previous} and all whose rows are gone. */
    FencingToken nextToken(long previous) {
        StoreState.Tokens tokens = state.tokens();
        return TokenLayout.next(previous, tokens.floor(), tokens.epoch(), tokenTime);
    }

    /** Starts a new epoch and a quiet period as long as the longest lease there can be. */
    StoreState bumpEpoch() throws SQLException {
        state = state.with(state.tokens().next(leases.greatestToken())).quietUntil(now + state.maxLease());
        wants = true;
        return state;
    }

    /** Writes down what holds for all keys, if this step wrote at all. */
    void finish() throws SQLException {
        if (wants) {
            store.write(state);
        }
    }

    // The wall clock lifts tokens above those of a file that was lost; the store's own may be ahead of it.
    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }
}
