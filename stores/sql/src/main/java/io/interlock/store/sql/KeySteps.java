package io.interlock.store.sql;

import io.interlock.BoundedMap;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes {@link Step steps}: for one request, which waits for its key, or for many together, of which those are left open whose
 * keys another step has. After the commit it sends the wake-ups. Safe for use by many threads.
 */
final class KeySteps {

    private static final Logger log = LoggerFactory.getLogger(KeySteps.class);

    private static final int REMEMBERED_KEYS = 100_000;

    /** How many requests one step takes at most, where a write keeps all others out. */
    private static final int MOST_AT_ONCE = 100;

    private final Database database;
    private final StoredRuns runs;
    private final RandomGenerator random;
    private final SqlStore.Feed feed;
    private final Consumer<Collection<String>> placesFreed;
    // Keys that had a row when a step last looked; for all others the step makes one first.
    private final Map<LockKey, Boolean> seen = Collections.synchronizedMap(BoundedMap.ofLastUsed(REMEMBERED_KEYS));

    /**
     * Steps on the keys of a database.
     *
     * @param placesFreed is told of tenants under whose limit a place may be free
     */
    KeySteps(
            Database database,
            StoredRuns runs,
            RandomGenerator random,
            SqlStore.Feed feed,
            Consumer<Collection<String>> placesFreed) {
        this.database = database;
        this.runs = runs;
        this.random = random;
        this.feed = feed;
        this.placesFreed = placesFreed;
    }

    @FunctionalInterface
    interface Rule<Q, A> {

        /** The answer, or {@code null} to leave the request open. */
        @Nullable
        A apply(Step step, Q request) throws SQLException;
    }

    /**
     * How requests of one kind are answered.
     *
     * @param keys the keys of a request
     * @param needs what to load beside them
     * @param makesKeys whether the step makes rows of keys that have none
     * @param rule answers a request whose keys are all loaded
     */
    record Kind<Q, A>(
            Function<Q, List<LockKey>> keys, Function<List<Q>, Step.Needs> needs, boolean makesKeys, Rule<Q, A> rule) {}

    /** What a step leaves to be told. */
    private record Outcome<A>(List<@Nullable A> answers, List<LockKey> keys, Set<String> work, Set<String> limited) {}

    /** Answers all requests in one step; where a write keeps all others out, a bounded number of them in each of several. */
    <Q, A> Answers<A> answer(Database.Lane lane, List<Q> requests, Kind<Q, A> kind) {
        return answer(lane, requests, kind, requests.size() == 1);
    }

    /** The same; {@code alone} it waits for the keys of the requests. */
    <Q, A> Answers<A> answer(Database.Lane lane, List<Q> requests, Kind<Q, A> kind, boolean alone) {
        List<@Nullable A> answers = new ArrayList<>();
        while (answers.size() < requests.size()) {
            List<Q> left = requests.subList(answers.size(), requests.size());
            List<Q> next = database.hasOneWriter() && left.size() > MOST_AT_ONCE ? left.subList(0, MOST_AT_ONCE) : left;
            Outcome<A> outcome =
                    database.write(lane, transaction -> step(transaction, false, step -> run(step, next, kind, alone)));
            tell(outcome);
            answers.addAll(outcome.answers());
        }
        return Answers.partly(answers);
    }

    /** Answers one request in a step of its own; where a write keeps all others out, only if a look is not enough. */
    <Q, A> A answerOne(Q request, Kind<Q, A> kind) {
        return lookFirst(List.of(request), true, any -> database.hasOneWriter(), kind)
                .only();
    }

    /** Answers requests by a look where it may be enough, and all others in one step. */
    <Q, A> Answers<A> lookFirst(List<Q> requests, boolean alone, Predicate<Q> mayBeEnough, Kind<Q, A> kind) {
        List<@Nullable A> answers = new ArrayList<>(Collections.nCopies(requests.size(), null));
        return lookFirst(requests, answers, alone, mayBeEnough, kind, kind);
    }

    /** The same for those that have no answer yet. */
    <Q, A> Answers<A> lookFirst(
            List<Q> requests,
            List<@Nullable A> answers,
            boolean alone,
            Predicate<Q> mayBeEnough,
            Kind<Q, A> look,
            Kind<Q, A> kind) {
        List<Integer> looked = IntStream.range(0, requests.size())
                .filter(place -> answers.get(place) == null && mayBeEnough.test(requests.get(place)))
                .boxed()
                .toList();
        FastPath.complete(requests, answers, looked, some -> lookAtEach(some, look));
        return FastPath.complete(requests, answers, some -> answer(Database.Lane.STEPS, some, kind, alone));
    }

    @FunctionalInterface
    private interface Body<A> {

        A run(Step step) throws SQLException;
    }

    /** Makes a step in a transaction, {@code once} in a single trip. */
    private <A> A step(Transaction transaction, boolean once, Body<A> body) throws SQLException {
        try {
            return body.run(new Step(transaction, runs, random.nextDouble(), once));
        } catch (WaitingRuns.StepFailure failure) {
            throw failure.failure();
        }
    }

    private static <Q> Set<LockKey> keysOf(List<Q> requests, Kind<Q, ?> kind) {
        Set<LockKey> keys = new LinkedHashSet<>();
        requests.forEach(request -> keys.addAll(kind.keys().apply(request)));
        return keys;
    }

    /**
     * Answers requests by one look at all their keys. A request has no answer if it would have to write, comes after one of the
     * same key that would have to, or needs more than one look where that is a round trip more.
     */
    private <Q, A> Answers<A> lookAtEach(List<Q> requests, Kind<Q, A> kind) {
        return database.read(transaction -> step(transaction, !database.hasOneWriter(), step -> {
            step.load(keysOf(requests, kind), List.of(), true, kind.needs().apply(requests));
            List<@Nullable A> answers = new ArrayList<>();
            for (Q request : requests) {
                answers.add(lookedAt(step, request, kind));
            }
            return Answers.partly(answers);
        }));
    }

    private <Q, A> @Nullable A lookedAt(Step step, Q request, Kind<Q, A> kind) throws SQLException {
        try {
            A answer = kind.rule().apply(step, request);
            boolean enough = !step.writer().wantsToWrite(kind.keys().apply(request))
                    && (database.dialect().flush() == null || !acknowledges(answer));
            return enough ? answer : null;
        } catch (Transaction.Over needsMore) {
            return null;
        }
    }

    /** Looks at one key, and tells what {@code rule} says of it, changes and all. */
    <Q, A> A lookAt(Q request, Kind<Q, A> kind) {
        return database.read(transaction -> step(transaction, false, step -> {
            step.load(kind.keys().apply(request), List.of(), true, kind.needs().apply(List.of(request)));
            return Objects.requireNonNull(kind.rule().apply(step, request), "a look has an answer");
        }));
    }

    /** Locks {@code keys} that no other step has, applies {@code rule} to the step, and writes what changed. */
    <A> A lockFirst(List<LockKey> keys, Rule<List<LockKey>, A> rule) {
        return lockFirst(keys, keys.size(), Step.Needs.KEYS, rule);
    }

    /** The same for up to {@code limit} of them, with what a rule needs to see. */
    <A> A lockFirst(List<LockKey> keys, int limit, Step.Needs needs, Rule<List<LockKey>, A> rule) {
        Outcome<A> outcome = database.write(
                Database.Lane.STEPS,
                transaction -> step(transaction, false, step -> {
                    step.loadFirst(keys, limit, needs);
                    List<@Nullable A> answers = new ArrayList<>();
                    answers.add(rule.apply(step, keys));
                    return finish(step, answers);
                }));
        tell(outcome);
        return Objects.requireNonNull(outcome.answers().get(0), "a step on many keys has an answer");
    }

    /**
     * Makes {@code step} on all of these keys together. If a row of one cannot be read, as one that a later version has written may
     * be, it is made on each of them alone, and the key is left out for a while: it fails no other key.
     *
     * @return what the steps have answered
     */
    <A> List<A> eachReadable(List<LockKey> keys, Function<List<LockKey>, A> step) {
        List<LockKey> readable = keys.stream().filter(key -> !isUnreadable(key)).toList();
        if (readable.isEmpty()) {
            return List.of();
        }
        try {
            return List.of(step.apply(readable));
        } catch (StoreUnavailableException failure) {
            requireUnreadable(failure);
            return readable.stream().flatMap(key -> alone(key, step).stream()).toList();
        }
    }

    /** Makes a step on one key, also if it is left out by now; without an answer if a row of it cannot be read. */
    <A> Optional<A> alone(LockKey key, Function<List<LockKey>, A> step) {
        try {
            return Optional.of(step.apply(List.of(key)));
        } catch (StoreUnavailableException failure) {
            requireUnreadable(failure);
            if (runs.leaveOut(key)) {
                log.error("key {} stays as it is: {}", key, failure.getMessage());
            }
            return Optional.empty();
        }
    }

    /** As {@link StoredRuns#isLeftOut}. */
    boolean isUnreadable(LockKey key) {
        return runs.isLeftOut(key);
    }

    /** How many such keys there are. */
    int unreadableKeys() {
        return runs.leftOut();
    }

    private static void requireUnreadable(StoreUnavailableException failure) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof StoredRuns.UnreadableRow) {
                return;
            }
        }
        throw failure;
    }

    private <Q, A> Outcome<A> run(Step step, List<Q> requests, Kind<Q, A> kind, boolean alone) throws SQLException {
        Set<LockKey> keys = keysOf(requests, kind);
        step.load(
                keys,
                kind.makesKeys() ? unseen(keys) : List.of(),
                alone || database.hasOneWriter(),
                kind.needs().apply(requests));
        if (kind.makesKeys()) {
            requireRows(step);
        }
        List<@Nullable A> answers = new ArrayList<>();
        for (Q request : requests) {
            if (!answers.isEmpty() && step.transaction().isLong()) {
                break;
            }
            boolean loaded = kind.keys().apply(request).stream().allMatch(key -> step.key(key) != null);
            answers.add(loaded ? kind.rule().apply(step, request) : null);
        }
        return finish(step, answers);
    }

    private <A> Outcome<A> finish(Step step, List<@Nullable A> answers) throws SQLException {
        StepWriter writer = step.writer();
        if (writer.hasChanges()) {
            writer.commit(step.transaction().trip());
        } else if (answers.stream().anyMatch(KeySteps::acknowledges)) {
            step.transaction().confirm();
        }
        step.keys().stream()
                .filter(key -> !key.row().isAbsent())
                .forEach(key -> seen.put(key.row().key(), true));
        return new Outcome<>(answers, writer.keysToWake(), writer.tenantsWithWork(), step.limitedTenants());
    }

    /** Whether an answer says that something was done. What it rests on must last, also if it was done by an earlier step. */
    private static boolean acknowledges(@Nullable Object answer) {
        return !(answer == null
                || answer instanceof AcquireAnswer.Refused
                || answer instanceof RenewAnswer.Lost
                || answer instanceof ReleaseAnswer.Gone
                || answer instanceof SubmitAnswer.Refused
                || answer instanceof TurnAnswer.Waiting
                || answer instanceof HeartbeatAnswer.Lost
                || (answer instanceof Collection<?> found && found.isEmpty()));
    }

    private void tell(Outcome<?> outcome) {
        if (!outcome.keys().isEmpty()) {
            feed.keysChanged(outcome.keys());
        }
        if (!outcome.work().isEmpty()) {
            feed.workAppeared(outcome.work());
        }
        if (!outcome.limited().isEmpty()) {
            placesFreed.accept(outcome.limited());
        }
    }

    /** Tells of what was decided about these keys without a step. */
    void told(Set<LockKey> keys, Set<String> work) {
        keys.forEach(key -> seen.put(key, true));
        if (!work.isEmpty()) {
            feed.workAppeared(work);
        }
    }

    Collection<LockKey> unseen(Set<LockKey> keys) {
        return keys.stream().filter(key -> !hasSeen(key)).toList();
    }

    boolean hasSeen(LockKey key) {
        return seen.get(key) != null;
    }

    // What is granted is written into a row; one that was forgotten since a step saw it is made again.
    private void requireRows(Step step) throws MissingRow {
        List<LockKey> missing = step.keys().stream()
                .filter(key -> key.row().isAbsent())
                .map(key -> key.row().key())
                .toList();
        if (!missing.isEmpty()) {
            forget(missing);
            throw new MissingRow();
        }
    }

    /** The row of a key was forgotten since a step saw it; the step is made again, and makes it. */
    static final class MissingRow extends SQLException {

        private static final long serialVersionUID = 1L;
    }

    /** These keys have no row any more, or are not known to have one. */
    void forget(Collection<LockKey> keys) {
        keys.forEach(seen::remove);
    }
}
