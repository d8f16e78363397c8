package io.interlock.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.store.memory.MemoryStore;
import io.interlock.tck.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A caller that gets a place in a queue and does nothing with it. */
@Timeout(60)
class UntakenTurnTest {

    private static final RunRequest REQUEST = RunRequest.of(LockKey.of("acme", "ledger"), "by-hand")
            .execution(Execution.CALLER)
            .onConflict(ConflictPolicy.QUEUE);

    private final ManualTime time = new ManualTime();
    private final FaultyStore store = new FaultyStore(new MemoryStore(time)).silent();

    @Test
    void aTurnThatItsCallerNeverAsksForIsGivenUp() throws Exception {
        try (RunEngine engine = RunEngine.builder(store.store())
                .environment(time)
                .slots(0)
                .drainTime(Duration.ZERO)
                .withoutBooks()
                .build()) {
            CallerRun work = requireNonNull(((Submission.Started) engine.submit(REQUEST)).work());
            Submission.Queued forgotten = (Submission.Queued) engine.submit(REQUEST);
            time.advance(Waiter.STALE_AFTER);
            await().until(() -> store.calls("cancel") == 1);
            assertThat(engine.find(forgotten.queued().id()))
                    .map(run -> run.state())
                    .contains(RunState.ABORTED);
            work.close();
            engine.close();
            assertThat(store.calls("cancel"))
                    .as("nothing is left to be sent away")
                    .isEqualTo(1);
        }
    }
}
