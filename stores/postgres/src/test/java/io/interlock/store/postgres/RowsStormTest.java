package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Run;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** While many threads do all that can be done to a few keys, what the rows of keys say about their runs is so at every moment. */
class RowsStormTest {

    private static final int CLIENTS = 3;
    private static final int THREADS = 9;
    private static final int DEEDS = Boolean.getBoolean("interlock.prove") ? 400 : 40;

    // Not the session of the audit.
    private static final String KILL_ONE =
            "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity"
                    + " WHERE application_name = 'interlock' AND state <> 'idle' ORDER BY random() LIMIT 1) AS victim";

    private final PostgresHarness harness = new PostgresHarness();
    private final RowsAudit audit = new RowsAudit(harness);
    private final List<RunStore> stores = new ArrayList<>();
    private final Queue<RunId> acknowledged = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        stores.forEach(RunStore::close);
        harness.close();
    }

    /** With connections that are killed, calls whose outcome is not known are made no more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("storm")
    void whatRowsSayAboutRunsIsSo(boolean kills) throws Exception {
        for (int i = 0; i < CLIENTS; i++) {
            stores.add(harness.open(Environment.system()));
        }
        List<StormLife> lives = new ArrayList<>();
        List<String> found = new ArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        try (RunCrowd crowd = new RunCrowd();
                RunCrowd watch = new RunCrowd()) {
            for (int i = 0; i < THREADS; i++) {
                StormLife life = new StormLife(stores.get(i % CLIENTS), new Random(i), acknowledged, true);
                lives.add(life);
                crowd.add(() -> live(life, kills));
            }
            watch.add(() -> {
                while (!over.get() && found.isEmpty()) {
                    found.addAll(audit.findings());
                    if (kills) {
                        harness.server().ask(KILL_ONE);
                    }
                }
            });
            watch.start();
            crowd.start();
            crowd.join();
            over.set(true);
            watch.join();
        }
        found.addAll(audit.findings());
        assertThat(found).isEmpty();
        wind(lives);
        RunStore store = stores.get(0);
        assertThat(RunAudit.findings(store, StormLife.keys(), acknowledged)).isEmpty();
        assertThat(acknowledged)
                .as("every run ends")
                .allMatch(run -> store.queries()
                        .findRun(run)
                        .map(Run::state)
                        .map(RunState::isTerminal)
                        .orElse(false));
    }

    private static void live(StormLife life, boolean kills) {
        for (int deed = 0; deed < DEEDS; deed++) {
            try {
                life.go();
            } catch (StoreUnavailableException unclear) {
                if (!kills) {
                    throw unclear;
                }
            }
        }
    }

    private void wind(List<StormLife> lives) {
        RunStore store = stores.get(0);
        for (int i = 0; i < 100 && !open().equals("0"); i++) {
            for (String tenant : List.of("acme", "globex")) {
                StormLife.PATTERNS.forEach(
                        pattern -> store.runs().resume(new ResumeRequest(tenant, pattern, "carol", "the end")));
            }
            lives.forEach(StormLife::wind);
            harness.advance(Duration.ofSeconds(2));
            store.upkeep().sweepRuns(100);
            store.sweep(100);
            assertThat(audit.findings()).isEmpty();
        }
    }

    private String open() {
        return harness.server().ask("SELECT count(*) FROM " + harness.table("open_run"));
    }
}
