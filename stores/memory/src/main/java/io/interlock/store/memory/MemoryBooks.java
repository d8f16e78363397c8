package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.access.AccessKey;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.AuditSignature;
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
import io.interlock.run.RunCount;
import io.interlock.run.Seal;
import io.interlock.run.WorkerNote;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.AccessKeys;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.spi.run.RunBooks;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A client's view of what a store in memory keeps beside its runs. Safe for use by many threads. */
abstract class MemoryBooks extends MemoryRuns implements RunBooks, AccessKeys {

    MemoryBooks(Environment environment, RunSteps runs) {
        super(environment, runs);
    }

    private Books books() {
        requireOpen();
        return runs().books();
    }

    @Override
    public List<DeadLetter> deadLetters(DeadLetterQuery query) {
        return books().letters().deadLetters(query);
    }

    @Override
    public RedriveAnswer redrive(RedriveRequest request) {
        return books().letters().redrive(request);
    }

    @Override
    public DiscardAnswer discard(DiscardRequest request) {
        return books().letters().discard(request);
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        return books().audit().records(query);
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        return books().audit().unsealed(limit);
    }

    @Override
    public Seal head() {
        return books().audit().head();
    }

    @Override
    public Seal anchor() {
        return books().audit().anchor();
    }

    @Override
    public AuditSignature signature() {
        return books().audit().signature();
    }

    @Override
    public boolean sign(AuditSignature before, AuditSignature next) {
        return books().audit().sign(before, next);
    }

    @Override
    public Numbers numbers() {
        return books().audit().numbers();
    }

    @Override
    public boolean seal(Seal head, List<Seal> links) {
        return books().audit().seal(head, links);
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        return books().audit().sealed(after, limit);
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        return books().notes().keepOutput(note);
    }

    @Override
    public Optional<String> output(RunId run) {
        return books().notes().output(run);
    }

    @Override
    public void countRefusals(List<RefusalCount> counts) {
        books().notes().countRefusals(counts);
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return books().notes().refusals(key, since);
    }

    @Override
    public void noteWorker(WorkerNote worker) {
        books().notes().noteWorker(worker);
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return books().notes().workers(tenant, time, limit);
    }

    @Override
    public long bookmark(String name) {
        return books().notes().bookmark(name);
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        return books().notes().moveBookmark(name, expected, value);
    }

    @Override
    public Instant storeTime() {
        return books().views().storeTime();
    }

    @Override
    public List<KeyView> keys(KeyQuery query) {
        return books().views().keys(query);
    }

    @Override
    public List<RunCount> runCounts() {
        return books().views().runCounts();
    }

    @Override
    public long openRuns(String tenant, long most) {
        return books().views().openRuns(tenant, most);
    }

    @Override
    public List<Pause> pauses(@Nullable String tenant) {
        return books().views().pauses(tenant);
    }

    @Override
    public List<Resource> resources(ResourceQuery query) {
        return books().views().resources(query);
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        return books().history().forget(retention, limit);
    }

    private AccessKeys accessKeys() {
        requireOpen();
        return new MemoryAccessKeys(runs().table());
    }

    @Override
    public AccessKey addKey(AccessKey key, String actor) {
        return accessKeys().addKey(key, actor);
    }

    @Override
    public Optional<AccessKey> findKey(String id) {
        return accessKeys().findKey(id);
    }

    @Override
    public List<AccessKey> listKeys(@Nullable String tenant) {
        return accessKeys().listKeys(tenant);
    }

    @Override
    public Optional<AccessKey> revokeKey(String id, String actor, String reason) {
        return accessKeys().revokeKey(id, actor, reason);
    }

    @Override
    public ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        return wakeUps().subscribe(runs().table().work, Optional.ofNullable(tenant), lookAgain);
    }
}
