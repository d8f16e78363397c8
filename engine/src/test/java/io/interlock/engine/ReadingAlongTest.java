package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What people can read of work that still goes on, while time is in the test's hands. */
class ReadingAlongTest {

    private static final LockKey KEY = LockKey.of("acme", "pipeline/7");

    private final Simulation world = new Simulation(4711);
    private final MemoryStore memory = new MemoryStore(world.host());
    private final FaultyStore faults = new FaultyStore(memory);
    private final Simulation.Host process = world.host();
    private final List<String> read = new ArrayList<>();
    private RunHandler handler = run -> "{}";

    private final RunEngine engine = RunEngine.builder(faults.store())
            .environment(process)
            .threads(process.threads(() -> Duration.ZERO))
            .jobs(Jobs.of(Job.named("load").handler(run -> handler.run(run)).build()))
            .build();

    @Test
    void theEndOfWhatWorkSaysIsReadWhileItGoesOn() {
        handler = run -> {
            run.output("one\n");
            seconds(4);
            read(run);
            run.output("two\n");
            seconds(1);
            read(run);
            seconds(3);
            read(run);
            seconds(60);
            return "{}";
        };
        submit();
        assertThat(read).containsExactly("one\n", "one\n", "one\ntwo\n");
        assertThat(faults.calls("keepOutput"))
                .as("one for each pause, one at the end, none for silence")
                .isEqualTo(3);
    }

    @Test
    void muchThatIsSaidCostsNoMoreCalls() {
        handler = run -> {
            for (int second = 0; second < 60; second++) {
                for (int line = 0; line < 100; line++) {
                    run.output("x".repeat(1000) + "\n");
                }
                seconds(1);
            }
            read(run);
            return "{}";
        };
        RunId run = submit();
        assertThat(faults.calls("keepOutput")).isBetween(10, 30);
        assertThat(read.get(0)).hasSize(8 * 1024);
        assertThat(engine.records().output(run).orElseThrow()).hasSize(16 * 1024);
    }

    @Test
    void workGoesOnThoughNobodyKeepsWhatItSays() {
        faults.down("keepOutput");
        handler = run -> {
            run.output("one\n");
            seconds(4);
            faults.up();
            run.output("two\n");
            seconds(4);
            read(run);
            return "{}";
        };
        submit();
        assertThat(read).containsExactly("one\ntwo\n");
    }

    private void read(RunContext run) {
        read.add(memory.output(run.run().id()).orElse(""));
    }

    private RunId submit() {
        RunId id = engine.submit(RunRequest.of(KEY, "load")).orElseThrow().id();
        seconds(5);
        return id;
    }

    private void seconds(int seconds) {
        world.advance(Duration.ofSeconds(seconds));
    }
}
