package io.interlock.benchmark.workload;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.RunSpec;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * Fills a store, through its own contract, in batches, from several threads: one method for each thing that grows. A
 * faster way to fill, by the tables themselves, must leave the same behind.
 */
public final class GrowthFill {

    /** The job of every tenth past run; all others have a job of one of nine other names. */
    static final JobName JOB = new JobName("job-0");

    private static final int JOBS = 10;
    private static final int THREADS = 4;
    private static final int BATCH = 250;
    private static final int HELD_ONE_IN = 10;
    private static final int RUNS_PER_KEY = 100;
    private static final Duration TTL = Duration.ofHours(20);

    private final RunStore store;
    private final long until;
    private final Holder holder = new Holder(UUID.randomUUID().toString(), "growth");

    /** Fills {@code store} until {@code until}, in nanoseconds of the JVM, at the latest. */
    public GrowthFill(RunStore store, long until) {
        this.store = store;
        this.until = until;
    }

    /** The name of key number {@code number}; each tenth is held, all others are free. */
    static LockKey key(int number) {
        return LockKey.of("filled/" + number);
    }

    /** A key that a hundred past runs were done under. */
    static LockKey keyOfRuns() {
        return LockKey.of("done/0/0");
    }

    /** Keys that were used: each tenth is still held, all others were given back. Returns how many there are. */
    long keys(int count) throws Exception {
        int each = count / THREADS;
        return batches(each, BATCH, (thread, from, size) -> {
            int first = thread * each + from;
            List<AcquireRequest> wanted = new ArrayList<>();
            for (int i = first; i < first + size; i++) {
                wanted.add(AcquireRequest.of(key(i), new LeaseId(UUID.randomUUID()), holder, TTL));
            }
            Answers<AcquireAnswer> answers = store.tryAcquire(wanted);
            List<ReleaseRequest> over = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                if ((first + i) % HELD_ONE_IN != 0
                        && !answers.isOpen(i)
                        && answers.get(i) instanceof AcquireAnswer.Granted granted) {
                    LeaseRecord lease = granted.grants().get(0).lease();
                    over.add(new ReleaseRequest(lease.key(), lease.id(), lease.token()));
                }
            }
            store.release(over);
            return size;
        });
    }

    /** Runs that have succeeded, a hundred for each key, of ten jobs. Returns how many there are. */
    public long pastRuns(int count) throws Exception {
        return pastRuns("done", count);
    }

    /** Audit records: those of past runs, and of more of them if they are not enough. Returns how many there are. */
    long auditRecords(int count) throws Exception {
        long there = newestAuditNumber();
        for (int more = 0; there < count && System.nanoTime() < until; more++) {
            pastRuns("more-" + more, count / RUNS_PER_KEY * RUNS_PER_KEY / THREADS);
            there = newestAuditNumber();
        }
        return there;
    }

    private long pastRuns(String prefix, int count) throws Exception {
        int each = count / THREADS;
        // Each thread has keys of its own, and a batch has no key twice, or runs would be refused.
        int keys = Math.max(1, each / RUNS_PER_KEY);
        return batches(each, Math.min(BATCH, keys), (thread, from, size) -> {
            List<SubmitRequest> wanted = new ArrayList<>();
            for (int i = from; i < from + size; i++) {
                wanted.add(SubmitRequest.of(
                                RunId.create(Clock.systemUTC(), ThreadLocalRandom.current()),
                                LockKey.of(prefix + "/" + thread + "/" + i % keys),
                                RunSpec.of(new JobName("job-" + i % JOBS), "growth"))
                        .by(new SubmitRequest.Caller(new LeaseId(UUID.randomUUID()), holder)));
            }
            Answers<SubmitAnswer> answers = store.runs().submit(wanted);
            List<FinishRequest> over = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                if (!answers.isOpen(i)
                        && answers.get(i) instanceof SubmitAnswer.Started started
                        && started.lease() != null) {
                    over.add(new FinishRequest(
                            started.run().id(),
                            started.run().key(),
                            started.lease().id(),
                            started.lease().token(),
                            new Ending.Succeeded(null)));
                }
            }
            store.work().finish(over);
            return over.size();
        });
    }

    private long newestAuditNumber() {
        List<AuditRecord> newest = store.audit().records(AuditQuery.ofTenant(LockKey.DEFAULT_TENANT, 1));
        return newest.isEmpty() ? 0 : newest.get(0).sequence();
    }

    /** Makes {@code each} on every thread, in batches. Returns how many were made in time. */
    private long batches(int each, int batch, Batch making) throws Exception {
        LongAdder made = new LongAdder();
        Parallel.forEach(THREADS, THREADS, thread -> {
            for (int from = 0; from < each && System.nanoTime() < until; from += batch) {
                made.add(making.make(thread, from, Math.min(batch, each - from)));
            }
        });
        return made.sum();
    }

    private interface Batch {
        int make(int thread, int from, int size);
    }
}
