package io.interlock.store.postgres;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.access.AccessKey;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.RefusalCount;
import io.interlock.run.Resource;
import io.interlock.run.ResourceQuery;
import io.interlock.run.Retention;
import io.interlock.run.Seal;
import io.interlock.run.Tally;
import io.interlock.run.WorkerNote;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.AccessKeys;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.spi.run.RunBooks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a store in PostgreSQL keeps beside its runs. Safe for use by many threads. */
abstract class PostgresBooks implements RunBooks, AccessKeys {

    private static final Logger log = LoggerFactory.getLogger(PostgresBooks.class);

    abstract RunCall calls();

    abstract Listener listener();

    /** Runs a step that grants nothing. */
    abstract <T> T ask(Lane.Step<T> step);

    /** Runs a step that may grant, tied to the server it runs on. */
    abstract <R> List<R> granted(Lane.Step<List<R>> step, Predicate<R> asksToReattach);

    /** Wakes whoever waits for a key in {@code rows}. */
    abstract void announce(List<RunAnswer> rows);

    @Override
    public List<DeadLetter> deadLetters(DeadLetterQuery query) {
        return ask(LetterSteps.list(calls(), query)).stream()
                .map(LetterSteps.Said::letter)
                .toList();
    }

    @Override
    public RedriveAnswer redrive(RedriveRequest request) {
        return LetterSteps.redriven(
                request, announced(granted(LetterSteps.redrive(calls(), request), LetterSteps.Said::asksToReattach)));
    }

    @Override
    public DiscardAnswer discard(DiscardRequest request) {
        return LetterSteps.discarded(announced(ask(LetterSteps.discard(calls(), request))));
    }

    private List<LetterSteps.Said> announced(List<LetterSteps.Said> rows) {
        announce(rows.stream().map(LetterSteps.Said::said).toList());
        return rows;
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        return ask(AuditSteps.records(calls(), query));
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        return ask(AuditSteps.unsealed(calls(), limit));
    }

    @Override
    public Seal head() {
        return ask(AuditSteps.ends(calls())).head();
    }

    @Override
    public Seal anchor() {
        return ask(AuditSteps.ends(calls())).anchor();
    }

    @Override
    public boolean seal(Seal head, List<Seal> links) {
        AtomicInteger attempts = new AtomicInteger();
        String verdict = ask(counting(attempts, AuditSteps.seal(calls(), head, links)));
        // An attempt without an answer may have added them; whoever else adds the very same links adds ours.
        return verdict.equals("sealed") || (attempts.get() > 1 && verdict.equals("same"));
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        return ask(AuditSteps.sealed(calls(), after, limit));
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        return ask(NoteSteps.keepOutput(calls(), note));
    }

    @Override
    public Optional<String> output(RunId run) {
        return ask(NoteSteps.output(calls(), run)).stream().findFirst();
    }

    @Override
    public void countRefusals(List<RefusalCount> counts) {
        if (!counts.isEmpty()) {
            ask(NoteSteps.count(calls(), counts));
        }
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return ask(NoteSteps.refusals(calls(), key, since));
    }

    @Override
    public void noteWorker(WorkerNote worker) {
        ask(NoteSteps.worker(calls(), worker));
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return ask(NoteSteps.workers(calls(), tenant, time, limit));
    }

    @Override
    public long bookmark(String name) {
        return ask(NoteSteps.bookmark(calls(), name));
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        AtomicInteger attempts = new AtomicInteger();
        NoteSteps.Moved answer = ask(counting(attempts, NoteSteps.moveBookmark(calls(), name, expected, value)));
        // There because of our own first attempt, or because of somebody else? Only one may believe it was the one.
        if (!answer.moved() && answer.there() && attempts.get() > 1) {
            throw unclear("bookmark " + name + " was moved; by whom");
        }
        return answer.moved();
    }

    /** Not known, because an attempt had no answer. It is no guess then, neither that it was done nor that it was not. */
    final StoreUnavailableException unclear(String what) {
        return new StoreUnavailableException(toString(), "lost the connection while " + what + " is not known");
    }

    @Override
    public Instant storeTime() {
        return ask(ViewSteps.time(calls()));
    }

    @Override
    public List<KeyView> keys(KeyQuery query) {
        return ask(ViewSteps.keys(calls(), query));
    }

    @Override
    public List<Tally> tallies() {
        return ask(ViewSteps.tallies(calls()));
    }

    @Override
    public List<Pause> pauses(@Nullable String tenant) {
        return ask(ViewSteps.pauses(calls(), tenant));
    }

    @Override
    public List<Resource> resources(ResourceQuery query) {
        return ask(ViewSteps.resources(calls(), query));
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        return ask(ViewSteps.forget(calls(), retention, limit));
    }

    @Override
    public ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        ChangeFeed.Subscription subscription = listener().watch(WorkHints.hash(tenant), lookAgain);
        try {
            ask(WorkSteps.want(calls(), tenant));
        } catch (StoreUnavailableException away) {
            // Wake-ups are hints. The next claim in vain leaves the mark that this could not.
            log.debug("{}: work is not announced yet", this, away);
        }
        return subscription;
    }

    @Override
    public AccessKey addKey(AccessKey key, String actor) {
        return AccessSteps.added(key, ask(AccessSteps.add(calls(), key, actor)));
    }

    @Override
    public Optional<AccessKey> findKey(String id) {
        return ask(AccessSteps.find(calls(), id)).stream().findFirst();
    }

    @Override
    public List<AccessKey> listKeys(@Nullable String tenant) {
        return ask(AccessSteps.list(calls(), tenant));
    }

    @Override
    public Optional<AccessKey> revokeKey(String id, String actor, String reason) {
        return ask(AccessSteps.revoke(calls(), id, actor, reason)).stream().findFirst();
    }

    /** {@code step}, with its attempts counted: one without an answer may have taken effect, and the next one meets that. */
    static <T> Lane.Step<T> counting(AtomicInteger attempts, Lane.Step<T> step) {
        return (connection, patience) -> {
            attempts.incrementAndGet();
            return step.run(connection, patience);
        };
    }
}
