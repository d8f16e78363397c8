package io.interlock.store.memory;

import io.interlock.Actor;
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
import io.interlock.run.OpenRuns;
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
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** A client's view of the data beside the runs of a store in memory. Thread-safe. */
abstract class MemoryRecordsView extends MemoryRuns implements RunStore {

    MemoryRecordsView(Environment environment, RunSteps runs) {
        super(environment, runs);
    }

    private MemoryRecords records() {
        requireOpen();
        return runs().records();
    }

    @Override
    public List<DeadLetter> deadLetters(DeadLetterQuery query) {
        return records().letters().deadLetters(query);
    }

    @Override
    public RedriveAnswer redrive(RedriveRequest request) {
        return records().letters().redrive(request);
    }

    @Override
    public DiscardAnswer discard(DiscardRequest request) {
        return records().letters().discard(request);
    }

    @Override
    public void append(List<AuditRecord> records) {
        records().audit().append(records);
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        return records().audit().records(query);
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        return records().audit().unsealed(limit);
    }

    @Override
    public Seal head() {
        return records().audit().head();
    }

    @Override
    public Seal anchor() {
        return records().audit().anchor();
    }

    @Override
    public AuditSignature signature() {
        return records().audit().signature();
    }

    @Override
    public boolean sign(AuditSignature before, AuditSignature next) {
        return records().audit().sign(before, next);
    }

    @Override
    public Numbers numbers() {
        return records().audit().numbers();
    }

    @Override
    public boolean seal(Seal head, List<Seal> links) {
        return records().audit().seal(head, links);
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        return records().audit().sealed(after, limit);
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        return records().notes().keepOutput(note);
    }

    @Override
    public Optional<String> output(RunId run) {
        return records().notes().output(run);
    }

    @Override
    public void countRefusals(List<RefusalCount> counts) {
        records().notes().countRefusals(counts);
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return records().notes().refusals(key, since);
    }

    @Override
    public void noteWorker(WorkerNote worker) {
        records().notes().noteWorker(worker);
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return records().notes().workers(tenant, time, limit);
    }

    @Override
    public long bookmark(String name) {
        return records().notes().bookmark(name);
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        return records().notes().moveBookmark(name, expected, value);
    }

    @Override
    public Instant storeTime() {
        return records().views().storeTime();
    }

    @Override
    public List<KeyView> keys(KeyQuery query) {
        return records().views().keys(query);
    }

    @Override
    public List<RunCount> runCounts() {
        return records().views().runCounts();
    }

    @Override
    public OpenRuns openRuns(String tenant, long most) {
        return records().views().openRuns(tenant, most);
    }

    @Override
    public List<Pause> pauses(@Nullable String tenant) {
        return records().views().pauses(tenant);
    }

    @Override
    public List<Resource> resources(ResourceQuery query) {
        return records().views().resources(query);
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        return records().history().forget(retention, limit);
    }

    private AccessKeys accessKeys() {
        requireOpen();
        return new MemoryAccessKeys(runs().table());
    }

    @Override
    public AccessKey addKey(AccessKey key, Actor actor) {
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
    public Optional<AccessKey> revokeKey(String id, Actor actor, String reason) {
        return accessKeys().revokeKey(id, actor, reason);
    }

    @Override
    public void keysUsed(SortedSet<String> ids) {
        accessKeys().keysUsed(ids);
    }

    @Override
    public ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        return wakeUps().subscribe(runs().table().work, Optional.ofNullable(tenant), lookAgain);
    }
}
