package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.time.Environment;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** One client of the store under test, with helper methods of the contract about runs. */
final class RunClient {

    static final JobName JOB = new JobName("load");
    static final Holder WORKER = new Holder("host-2/1", "worker on host-2");
    static final RunError ERROR = new RunError("BROKEN", "it broke");

    private final RunStore store;
    private final RunBench bench;

    RunClient(RunStore store, RunBench bench) {
        this.store = store;
        this.bench = bench;
    }

    RunStore store() {
        return store;
    }

    static RunSpec spec() {
        return RunSpec.of(JOB, "alice");
    }

    static RunId freshRun() {
        return RunId.create(Environment.system().clock(), Environment.system().random());
    }

    static SubmitRequest.Caller caller() {
        return new SubmitRequest.Caller(LeaseId.random(Environment.system().random()), WORKER);
    }

    SubmitAnswer submit(SubmitRequest request) {
        bench.touched(request.key());
        SubmitAnswer answer = store.runs().submit(List.of(request)).only();
        if (answer instanceof SubmitAnswer.Started || answer instanceof SubmitAnswer.Queued) {
            bench.acknowledged(request.id());
        }
        return answer;
    }

    /** Submits; must create a new run. */
    Run submitted(SubmitRequest request) {
        SubmitAnswer answer = submit(request);
        return answer instanceof SubmitAnswer.Queued queued
                ? queued.run()
                : as(SubmitAnswer.Started.class, answer).run();
    }

    SubmitAnswer submit(LockKey key, RunSpec spec) {
        return submit(SubmitRequest.of(freshRun(), key, spec));
    }

    SubmitAnswer.Started starts(LockKey key, RunSpec spec) {
        return as(SubmitAnswer.Started.class, submit(key, spec));
    }

    SubmitAnswer.Queued queues(LockKey key, RunSpec spec) {
        return as(SubmitAnswer.Queued.class, submit(key, spec));
    }

    Refusal refused(LockKey key, RunSpec spec) {
        return as(SubmitAnswer.Refused.class, submit(key, spec)).refusal();
    }

    static ClaimRequest claiming(int max) {
        return claiming("acme", max);
    }

    private static ClaimRequest claiming(String tenant, int max) {
        UUID id = LeaseId.random(Environment.system().random()).value();
        return new ClaimRequest(id, WORKER, tenant, Set.of(JOB, new JobName("other")), max);
    }

    List<Claimed> claim(int max) {
        return store.work().claim(claiming(max));
    }

    /** Claims one run, and must get one. */
    Claimed claim() {
        return claimFor("acme");
    }

    /** Claims one run of {@code tenant}, and must get one. */
    Claimed claimFor(String tenant) {
        List<Claimed> claimed = store.work().claim(claiming(tenant, 1));
        assertThat(claimed).as("claimed").hasSize(1);
        return claimed.get(0);
    }

    /** Lease id and token of the holder of {@code run}. */
    Claimed heldBy(Run run) {
        return new Claimed(run, store.find(List.of(run.key())).get(0).orElseThrow());
    }

    static FinishRequest finishing(Claimed work, Ending ending) {
        return new FinishRequest(
                work.run().id(),
                work.run().key(),
                work.lease().id(),
                work.lease().token(),
                ending);
    }

    FinishAnswer finish(Claimed work, Ending ending) {
        return store.work().finish(List.of(finishing(work, ending))).only();
    }

    Run finished(Claimed work, Ending ending) {
        return as(FinishAnswer.Finished.class, finish(work, ending)).run();
    }

    Run succeeds(Claimed work) {
        return finished(work, new Ending.Succeeded("{}"));
    }

    Run failsForNow(Claimed work) {
        return finished(work, new Ending.Failed(ERROR, true, null));
    }

    HeartbeatAnswer heartbeat(Claimed work) {
        return heartbeat(work, "copy");
    }

    HeartbeatAnswer heartbeat(Claimed work, String stage) {
        return store.work()
                .heartbeat(List.of(new HeartbeatRequest(
                        work.run().id(),
                        work.run().key(),
                        work.lease().id(),
                        work.lease().token(),
                        stage,
                        null)))
                .only();
    }

    TurnAnswer takeTurn(Run run, SubmitRequest.Caller caller) {
        return store.runs()
                .takeTurn(List.of(new TurnRequest(run.id(), run.key(), caller)))
                .only();
    }

    Run run(RunId id) {
        return store.queries().findRun(id).orElseThrow();
    }

    void is(RunId id, RunState state) {
        assertThat(run(id).state()).isEqualTo(state);
    }

    /** Checks that the run has ended with this error. */
    void ended(RunId id, RunState state, String code) {
        is(id, state);
        assertThat(run(id).status().error()).extracting(RunError::code).isEqualTo(code);
    }

    /** {@code answer}, which must be of that kind. */
    static <A> A as(Class<A> kind, Object answer) {
        assertThat(answer).isInstanceOf(kind);
        return kind.cast(answer);
    }
}
