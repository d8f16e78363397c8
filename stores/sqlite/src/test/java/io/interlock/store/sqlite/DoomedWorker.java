package io.interlock.store.sqlite;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** A process that submits runs and works on them, and tells what it was answered, until it is killed. */
final class DoomedWorker {

    static final int KEYS = 5;
    static final JobName JOB = new JobName("doomed");
    static final RunSpec SPEC = RunSpec.of(JOB, "doomed")
            .policy(ConflictPolicy.QUEUE)
            .retry(new RetryPlan(100, Duration.ZERO, 1, Duration.ZERO));

    private DoomedWorker() {}

    static LockKey key(int number) {
        return LockKey.of("doomed", "key-" + number);
    }

    /** Works on the store {@code args[0]}. */
    public static void main(String[] args) {
        RandomGenerator random = Environment.system().random();
        try (SqlStore store = new SqliteStoreFactory().open(StoreUrl.parse(args[0]), Environment.system())) {
            for (int i = 0; ; i++) {
                // More than it works on, so that it always leaves something behind.
                for (int key = 0; key < 3; key++) {
                    RunId id = RunId.create(Environment.system().clock(), random);
                    store.runs().submit(List.of(SubmitRequest.of(id, key((i + key) % KEYS), SPEC)));
                    say("submitted " + id);
                }
                UUID claim = new UUID(random.nextLong(), random.nextLong());
                Holder holder = new Holder("doomed/" + ProcessHandle.current().pid(), "doomed");
                for (Claimed work : store.work().claim(new ClaimRequest(claim, holder, null, Set.of(JOB), 2))) {
                    work(store, work, random.nextInt(4));
                }
            }
        }
    }

    private static void work(RunStore store, Claimed work, int luck) {
        RunId id = work.run().id();
        LeaseRecord lease = work.lease();
        store.work().heartbeat(List.of(new HeartbeatRequest(id, lease.key(), lease.id(), lease.token(), "half", null)));
        Ending ending = luck == 0
                ? new Ending.Failed(new RunError("BROKEN", "it broke"), true, null)
                : new Ending.Succeeded("{\"token\":" + lease.token() + "}");
        FinishAnswer answer = store.work()
                .finish(List.of(new FinishRequest(id, lease.key(), lease.id(), lease.token(), ending)))
                .only();
        if (answer instanceof FinishAnswer.Finished finished
                && finished.run().state().isTerminal()) {
            say("finished " + id + " " + lease.token());
        }
    }

    private static void say(String line) {
        PrintStream out = System.out;
        out.println(line);
        out.flush();
    }
}
