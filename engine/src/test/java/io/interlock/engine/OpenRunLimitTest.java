package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.access.TenantLimitException;
import io.interlock.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A tenant with too many open runs. */
class OpenRunLimitTest {

    private final Simulation world = new Simulation(4711);
    private final MemoryStore store = new MemoryStore(world.host());
    private final Simulation.Host process = world.host();
    private final RunEngine engine = RunEngine.builder(store)
            .environment(process)
            .threads(process.threads(() -> Duration.ZERO))
            .jobs(Jobs.of(Job.named("load").build()))
            .maxOpenRuns(10)
            .build();

    @Test
    void newRunsOfATenantAreRefusedAtItsLimit() {
        List<RunId> runs = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            runs.add(submit("acme", i));
        }
        assertThatThrownBy(() -> submit("acme", 10))
                .isInstanceOfSatisfying(TenantLimitException.class, full -> {
                    assertThat(full.tenant()).isEqualTo("acme");
                    assertThat(full.setting()).isEqualTo("limits.open-runs");
                    assertThat(full.limit()).isEqualTo(10);
                })
                .hasMessageContaining("limits.open-runs");
        submit("globex", 10);
        assertThat(store.views().openRuns("acme", 100).count()).isEqualTo(10);

        engine.cancel(runs.get(3), "alice", "no longer wanted");
        world.advance(Duration.ofSeconds(2));
        assertThatThrownBy(() -> submit("acme", 11))
                .as("the number is as old as the last count")
                .isInstanceOf(TenantLimitException.class);
        submit("acme", 12);
    }

    @Test
    void whatIsThereBeforeCounts() {
        try (RunEngine other = RunEngine.builder(store)
                .environment(world.host())
                .threads(process.threads(() -> Duration.ZERO))
                .jobs(Jobs.of(Job.named("load").build()))
                .build()) {
            for (int i = 0; i < 20; i++) {
                other.submit(RunRequest.of(LockKey.of("acme", "other/" + i), "load"));
            }
        }
        submit("acme", 0);
        assertThatThrownBy(() -> submit("acme", 1)).isInstanceOf(TenantLimitException.class);
    }

    @Test
    void runsAreRefusedWhenThoseThatAreOpenHoldTooMuch() {
        try (RunEngine small = RunEngine.builder(store)
                .environment(process)
                .threads(process.threads(() -> Duration.ZERO))
                .jobs(Jobs.of(Job.named("load").build()))
                .maxOpenPayload(1_000)
                .build()) {
            String half = "{\"text\": \"" + "x".repeat(600) + "\"}";
            for (int i = 0; i < 2; i++) {
                small.submit(
                        RunRequest.of(LockKey.of("acme", "big/" + i), "load").parameters(half));
            }
            assertThat(store.views().openRuns("acme", 100).payload()).isEqualTo(2L * half.length());
            assertThatThrownBy(() -> small.submit(RunRequest.of(LockKey.of("acme", "big/2"), "load")))
                    .isInstanceOfSatisfying(TenantLimitException.class, full -> {
                        assertThat(full.setting()).isEqualTo("limits.open-payload");
                        assertThat(full.limit()).isEqualTo(1_000);
                    });
            small.submit(RunRequest.of(LockKey.of("globex", "big/2"), "load"));
        }
    }

    @Test
    void aLimitOfZeroIsRefused() {
        assertThatThrownBy(() -> RunEngine.builder(store).maxOpenRuns(0).build())
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("limits.open-runs");
    }

    private RunId submit(String tenant, int key) {
        return engine.submit(RunRequest.of(LockKey.of(tenant, "key/" + key), "load"))
                .orElseThrow()
                .id();
    }
}
