package io.interlock.store.postgres;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.RunId;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.time.Environment;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Short words for what tests ask of a store of runs. */
final class RunWords {

    static final JobName JOB = new JobName("load");
    static final Holder WORKER = new Holder("test/2", "the worker");

    private RunWords() {}

    static UUID uuid() {
        return LeaseId.random(Environment.system().random()).value();
    }

    static RunId freshRun() {
        return new RunId(uuid());
    }

    static RunSpec spec() {
        return RunSpec.of(JOB, "alice");
    }

    static SubmitRequest submitting(String name, ConflictPolicy policy) {
        return SubmitRequest.of(freshRun(), Bench.key(name), spec().policy(policy));
    }

    static SubmitAnswer submit(RunStore store, SubmitRequest request) {
        return store.runs().submit(List.of(request)).only();
    }

    /** Submits, and must get a run of its own. */
    static Run submitted(RunStore store, SubmitRequest request) {
        SubmitAnswer answer = submit(store, request);
        if (answer instanceof SubmitAnswer.Started started) {
            return started.run();
        }
        if (answer instanceof SubmitAnswer.Queued queued) {
            return queued.run();
        }
        throw new AssertionError("not let in: " + answer);
    }

    static Run queued(RunStore store, String name) {
        return submitted(store, submitting(name, ConflictPolicy.QUEUE));
    }

    static ClaimRequest claiming(int max) {
        return new ClaimRequest(uuid(), WORKER, "acme", Set.of(JOB), max);
    }

    /** Claims one run, and must get one. */
    static Claimed claim(RunStore store) {
        List<Claimed> claimed = store.work().claim(claiming(1));
        if (claimed.isEmpty()) {
            throw new AssertionError("there is no work");
        }
        return claimed.get(0);
    }

    static FinishRequest finishing(Claimed work) {
        LeaseRecord lease = work.lease();
        return new FinishRequest(work.run().id(), lease.key(), lease.id(), lease.token(), new Ending.Succeeded("{}"));
    }

    static HeartbeatRequest beating(Claimed work, String stage) {
        LeaseRecord lease = work.lease();
        return new HeartbeatRequest(work.run().id(), lease.key(), lease.id(), lease.token(), stage, null);
    }
}
