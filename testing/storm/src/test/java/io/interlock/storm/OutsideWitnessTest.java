package io.interlock.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.FencingToken;
import io.interlock.RunId;
import io.interlock.engine.RunContext;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.lang.reflect.Proxy;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The witness reports overlaps, and only overlaps. */
class OutsideWitnessTest {

    @TempDir
    private Path folder;

    @Test
    void whoIsStoppedAtTheDoorIsNotSeenInside() throws Exception {
        OutsideWitness witness = new OutsideWitness(folder);
        RunContext run = run();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> witness.enter(run)).isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        witness.enter(run).close();
        assertThat(witness.beginnings(run.key()))
                .extracting(OutsideWitness.Beginning::alone)
                .containsExactly(true);
    }

    @Test
    void whoIsInsideIsSeenByItsOwnProcessAndByOthersUntilItLeaves() throws Exception {
        OutsideWitness witness = new OutsideWitness(folder);
        RunContext run = run();
        try (OutsideWitness.Presence inside = witness.enter(run)) {
            assertThat(inside).isNotNull();
            assertThat(isFreeForOthers()).isFalse();
        }
        assertThat(isFreeForOthers()).isTrue();
        try (OutsideWitness.Presence first = witness.enter(run);
                OutsideWitness.Presence second = witness.enter(run)) {
            assertThat(first).isNotSameAs(second);
        }
        assertThat(witness.beginnings(run.key()))
                .extracting(OutsideWitness.Beginning::alone)
                .containsExactly(true, true, false);
    }

    private boolean isFreeForOthers() throws Exception {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Other.class.getName(),
                        folder.resolve("storm_1").toString())
                .start();
        assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return other.exitValue() == 0;
    }

    /** Another process that tries to start. */
    static final class Other {

        private Other() {}

        /** Exits with 0 if no other attempt is running, else with 3. */
        public static void main(String[] arguments) throws Exception {
            try (FileChannel file = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE)) {
                System.exit(file.tryLock() == null ? 3 : 0);
            }
        }
    }

    private static RunContext run() {
        try (MemoryStore store = new MemoryStore(Environment.system())) {
            RunId id = RunId.create(
                    Environment.system().clock(), Environment.system().random());
            SubmitRequest request =
                    SubmitRequest.of(id, StormJob.key(1), RunSpec.of(new JobName(StormJob.NAME), "alice"));
            Run run = ((SubmitAnswer.Started)
                            store.runs().submit(List.of(request)).only())
                    .run();
            return (RunContext) Proxy.newProxyInstance(
                    RunContext.class.getClassLoader(),
                    new Class<?>[] {RunContext.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "run" -> run;
                        case "key" -> run.key();
                        case "attempt" -> 1;
                        case "token" -> new FencingToken(7);
                        default -> throw new UnsupportedOperationException(method.getName());
                    });
        }
    }
}
