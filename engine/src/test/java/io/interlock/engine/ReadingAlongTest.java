package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.Stage;
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
    private final FaultyStore faults = new FaultyStore(memory).silent();
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
    void progressIsHeardWithinASecondAndConstantProgressCostsOneCallASecond() {
        handler = run -> {
            seconds(1);
            run.progress(1, 20);
            seconds(2);
            read.add(String.valueOf(
                    engine.find(run.run().id()).orElseThrow().status().progress()));
            int before = faults.calls("heartbeat");
            for (int step = 2; step <= 20; step++) {
                run.progress(step, 20);
                world.advance(Duration.ofMillis(100));
            }
            seconds(1);
            read.add(String.valueOf(
                    engine.find(run.run().id()).orElseThrow().status().progress()));
            assertThat(faults.calls("heartbeat") - before).isBetween(2, 4);
            return "{}";
        };
        submit();
        assertThat(read).containsExactly("1/20", "20/20");
    }

    @Test
    void progressIsNotTakenForThatOfAStageBefore() {
        handler = run -> {
            run.stage("one");
            run.stage("two");
            run.progress(1, 2);
            for (int look = 0; look < 20; look++) {
                world.advance(Duration.ofMillis(50));
                RunStatus now = engine.find(run.run().id()).orElseThrow().status();
                List<String> stages = now.stages().stream().map(Stage::name).toList();
                read.add(stages + " " + now.progress());
            }
            return "{}";
        };
        submit();
        assertThat(read).contains("[one] 0", "[one, two] 1/2").doesNotContain("[one] 1/2");
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
        assertThat(engine.queries().outputs(run).get(1)).hasSize(16 * 1024);
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
        read.add(memory.queries().outputs(run.run().id()).getOrDefault(1, ""));
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
