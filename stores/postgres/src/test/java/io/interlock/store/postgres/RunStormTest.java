package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.tck.RunAudit;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sixteen threads on four clients call every operation at once: there is no deadlock, and no call fails. */
class RunStormTest {

    private static final int CLIENTS = 4;
    private static final int THREADS = 16;
    private static final int DEEDS = 100;

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final List<RunStore> stores = new ArrayList<>();
    private final Queue<RunId> acknowledged = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        stores.forEach(RunStore::close);
        harness.close();
    }

    @Test
    @Tag("storm")
    void everythingAtOnce() throws Exception {
        for (int i = 0; i < CLIENTS; i++) {
            stores.add(harness.open(Environment.system()));
        }
        String deadlocks = deadlocks();
        List<StormLife> lives = new ArrayList<>();
        AtomicInteger most = new AtomicInteger();
        try (RunCrowd crowd = new RunCrowd();
                RunCrowd watch = new RunCrowd()) {
            for (int i = 0; i < THREADS; i++) {
                StormLife life = new StormLife(stores.get(i % CLIENTS), new Random(i), acknowledged);
                lives.add(life);
                crowd.add(() -> {
                    for (int deed = 0; deed < DEEDS; deed++) {
                        life.go();
                    }
                });
            }
            AtomicBoolean over = new AtomicBoolean();
            watch.add(() -> {
                while (!over.get()) {
                    most.accumulateAndGet(underWay(), Math::max);
                }
            });
            watch.start();
            crowd.start();
            crowd.join();
            over.set(true);
            watch.join();
        }
        assertThat(most).as("runs of a tenant under way at once").hasValueLessThanOrEqualTo(StormLife.LIMIT);
        wind(lives);
        RunStore store = stores.get(0);
        assertThat(acknowledged).hasSizeGreaterThan(100);
        assertThat(RunAudit.findings(store, StormLife.keys(), acknowledged)).isEmpty();
        assertThat(acknowledged)
                .as("every run ends")
                .allMatch(run -> store.queries()
                        .findRun(run)
                        .map(Run::state)
                        .map(RunState::isTerminal)
                        .orElse(false));
        assertThat(deadlocks()).as("deadlocks").isEqualTo(deadlocks);
    }

    private void wind(List<StormLife> lives) {
        RunStore store = stores.get(0);
        for (int i = 0; i < 60; i++) {
            for (String tenant : List.of("acme", "globex")) {
                StormLife.PATTERNS.forEach(
                        pattern -> store.runs().resume(new ResumeRequest(tenant, pattern, "carol", "the end")));
            }
            lives.forEach(StormLife::wind);
            harness.advance(Duration.ofSeconds(2));
            store.sweep(100);
            store.upkeep().sweepRuns(100);
            if (open().equals("0")) {
                return;
            }
        }
    }

    private String open() {
        return server.ask("SELECT count(*) FROM " + harness.table("open_run")
                + " WHERE state IN ('QUEUED', 'PENDING', 'RUNNING')");
    }

    private int underWay() {
        return Integer.parseInt(server.ask("SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM "
                + harness.table("open_run") + " WHERE state IN ('PENDING', 'RUNNING') GROUP BY tenant) t"));
    }

    private String deadlocks() {
        return server.ask("SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'");
    }
}
