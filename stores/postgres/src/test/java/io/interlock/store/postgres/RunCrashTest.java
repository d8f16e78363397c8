package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Run;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.tck.RunAudit;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The server dies in the middle of everything, twice. */
class RunCrashTest {

    private static final int KEYS = 12;

    private final PostgresServer server = PostgresServer.start(PostgresServer.DURABLE);
    private final RunStore store = open();
    private final Queue<RunId> acknowledged = new ConcurrentLinkedQueue<>();
    private final Queue<RunId> succeeded = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean over = new AtomicBoolean();

    private RunStore open() {
        return (RunStore) Stores.open(server.url("timeout=2s"), Environment.system());
    }

    @AfterEach
    void close() {
        store.close();
        server.close();
    }

    @Test
    @Tag("storm")
    void noAcknowledgedRunIsLost() throws Exception {
        try (RunCrowd crowd = new RunCrowd()) {
            for (int i = 0; i < 6; i++) {
                crowd.add(i % 2 == 0 ? this::submit : this::work);
            }
            crowd.start();
            for (int crash = 0; crash < 2; crash++) {
                int before = succeeded.size();
                await().atMost(Duration.ofSeconds(60)).until(() -> succeeded.size() > before + 20);
                server.crash();
            }
            int before = succeeded.size();
            await().atMost(Duration.ofSeconds(60)).until(() -> succeeded.size() > before + 20);
            over.set(true);
            crowd.join();
        }
        assertThat(RunAudit.findings(store, keys(), acknowledged)).isEmpty();
        assertThat(succeeded)
                .allSatisfy(run ->
                        assertThat(store.queries().findRun(run).map(Run::state)).contains(RunState.SUCCEEDED));
        assertThat(acknowledged.size()).isGreaterThan(60);
    }

    private void submit() {
        try (RunStore own = open()) {
            for (int i = 0; !over.get(); i++) {
                SubmitRequest request = RunWords.submitting("k" + i % KEYS, ConflictPolicy.QUEUE);
                if (own.queries().queue(request.key()).size() < 5) {
                    submit(own, request);
                }
            }
        } catch (StoreUnavailableException down) {
            submit();
        }
    }

    /** A caller without an answer asks again with the same id. */
    private void submit(RunStore own, SubmitRequest request) {
        while (true) {
            try {
                SubmitAnswer answer = RunWords.submit(own, request);
                if (answer instanceof SubmitAnswer.Started || answer instanceof SubmitAnswer.Queued) {
                    acknowledged.add(request.id());
                }
                return;
            } catch (StoreUnavailableException down) {
                assertThat(down).hasMessageContaining("store");
            }
        }
    }

    private void work() {
        try (RunStore own = open()) {
            while (!over.get()) {
                for (Claimed work : own.work().claim(RunWords.claiming(3))) {
                    FinishAnswer answer =
                            own.work().finish(List.of(RunWords.finishing(work))).only();
                    if (answer instanceof FinishAnswer.Finished) {
                        succeeded.add(work.run().id());
                    }
                }
            }
        } catch (StoreUnavailableException down) {
            work();
        }
    }

    private static List<LockKey> keys() {
        return IntStream.range(0, KEYS).mapToObj(i -> Bench.key("k" + i)).toList();
    }
}
