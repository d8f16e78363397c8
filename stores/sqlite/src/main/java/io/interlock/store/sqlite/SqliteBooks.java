package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreCapabilities;
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
import io.interlock.run.Run;
import io.interlock.run.Seal;
import io.interlock.run.Tally;
import io.interlock.run.WorkerNote;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.spi.run.RunBooks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a {@link SqliteStore} keeps beside its runs. */
abstract class SqliteBooks extends SqliteRuns implements RunBooks {

    SqliteBooks(Lanes lanes, DataVersionFeed feed, StoreCapabilities capabilities) {
        super(lanes, feed, capabilities);
    }

    @Override
    public List<DeadLetter> deadLetters(DeadLetterQuery query) {
        return lanes.look(step -> List.copyOf(new LetterTable(step.session()).list(query)));
    }

    @Override
    public RedriveAnswer redrive(RedriveRequest request) {
        return lanes.lookThenWrite(step -> new RunSteps(step).redrive(request));
    }

    @Override
    public DiscardAnswer discard(DiscardRequest request) {
        return lanes.lookThenWrite(step -> new RunSteps(step).discard(request));
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        return lanes.look(step -> List.copyOf(new AuditTable(step.session()).list(query)));
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        return lanes.lookThenWrite(step -> new Sealing(step).unsealed(limit));
    }

    @Override
    public Seal head() {
        return lanes.look(step -> new SealTable(step.session()).head());
    }

    @Override
    public Seal anchor() {
        return lanes.look(step -> new SealTable(step.session()).anchor());
    }

    @Override
    public boolean seal(Seal head, List<Seal> links) {
        return lanes.lookThenWrite(step -> {
            SealTable seals = new SealTable(step.session());
            boolean last = seals.head().equals(head);
            if (last && !links.isEmpty() && step.mayWrite()) {
                seals.add(links);
            }
            return last;
        });
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        return lanes.look(step -> List.copyOf(new SealTable(step.session()).after(after, limit)));
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        return lanes.lookThenWrite(step -> {
            Run run = new RunTable(step.session()).find(note.run());
            boolean proved = run != null && note.isProofOf(run);
            if (run != null && proved && step.mayWrite()) {
                new NoteTable(step.session()).putOutput(run, note.text());
            }
            return proved;
        });
    }

    @Override
    public Optional<String> output(RunId run) {
        return lanes.look(step -> new NoteTable(step.session()).output(run));
    }

    @Override
    public void countRefusals(List<RefusalCount> counts) {
        lanes.write(step -> {
            for (RefusalCount count : counts) {
                if (step.mayWrite()) {
                    new NoteTable(step.session()).count(count);
                }
            }
            return counts;
        });
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return lanes.look(step -> List.copyOf(new NoteTable(step.session()).refusals(key, since)));
    }

    @Override
    public void noteWorker(WorkerNote worker) {
        lanes.write(step -> {
            if (step.mayWrite()) {
                new WorkerTable(step.session()).put(worker, step.now());
            }
            return worker;
        });
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return lanes.look(step ->
                List.copyOf(new WorkerTable(step.session()).workers(tenant, step.now() - Micros.of(time), limit)));
    }

    @Override
    public long bookmark(String name) {
        return lanes.look(step -> new NoteTable(step.session()).bookmark(name));
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        return lanes.lookThenWrite(step -> {
            NoteTable notes = new NoteTable(step.session());
            boolean asExpected = notes.bookmark(name) == expected;
            if (asExpected && step.mayWrite()) {
                notes.putBookmark(name, value);
            }
            return asExpected;
        });
    }

    @Override
    public Instant storeTime() {
        return lanes.look(step -> Micros.moment(step.now()));
    }

    @Override
    public List<KeyView> keys(KeyQuery query) {
        return lanes.look(step -> new ManyRooms(step).views(query));
    }

    @Override
    public List<Tally> tallies() {
        return lanes.look(step -> List.copyOf(new ViewTable(step.session()).tallies()));
    }

    @Override
    public List<Pause> pauses(@Nullable String tenant) {
        return lanes.look(step -> new PauseTable(step.session())
                .all(tenant).stream()
                        .filter(pause -> pause.lastsAt(Micros.moment(step.now())))
                        .toList());
    }

    @Override
    public List<Resource> resources(ResourceQuery query) {
        return lanes.look(step -> List.copyOf(new ViewTable(step.session()).resources(query)));
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        return lanes.lookThenWrite(step -> {
            HistoryTable history = new HistoryTable(step);
            int runs = history.forgetRuns(retention, limit);
            history.forgetNotes(retention);
            long then = step.now() - Micros.of(retention.audit());
            return new Forgotten(runs, new SealTable(step.session()).forget(then, limit, step));
        });
    }

    @Override
    public ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        return feed.watchWork(tenant, lookAgain);
    }
}
