package io.interlock.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.cli.backend.KeyAcquirer;
import io.interlock.cli.backend.KeyAcquirer.HeldKey;
import io.interlock.cli.backend.KeyAcquirer.HeldKey.Stop;
import io.interlock.cli.run.Wrapper.RunSettings;
import io.interlock.cli.text.Console;
import io.interlock.engine.command.GuardedProcess;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.engine.command.ProcessLaunch;
import io.interlock.run.Ending;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.Environment.Timers.Scheduled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How long a command goes on whose lease is, or seems to be, in danger. */
class SupervisionTest {

    private static final Environment REAL = Environment.system();

    private final Signals signals = new Signals(REAL.ticker());

    @Test
    void aLeaseThatIsConfirmedAtTheLastMomentLetsTheCommandGoOn() throws Exception {
        Duration lease = Duration.ofSeconds(2);
        HeldLease held = new HeldLease(asked -> asked == 1 ? Duration.ZERO : Duration.ofMillis(500));
        try (Timers timers = REAL.timers("supervision");
                GuardedProcess process = start("read line; exit 3")) {
            supervision(lease, Duration.ofSeconds(10), process, timers).watch(held, signals);
            await().until(() ->
                    held.asked.get() > 8 || !process.waitFor(Duration.ZERO).isEmpty());
            process.stdin().close();
            assertThat(process.waitFor().code()).isEqualTo(3);
        }
    }

    @Test
    void aCommandThatLosesItsLeaseHasItsGrace() throws Exception {
        HeldLease held = new HeldLease(asked -> Duration.ofSeconds(20));
        // Only the guard would kill it.
        try (Timers never = new Never();
                GuardedProcess process =
                        start("trap 'sleep 1.1; exit 3' TERM; echo ready; while :; do sleep 0.05; done")) {
            assertThat(process.stdout().read()).isEqualTo('r');
            supervision(Duration.ofSeconds(24), Duration.ofMillis(900), process, never)
                    .watch(held, signals);
            held.stop.complete(new HeldKey.Stop(HeldKey.Stop.Kind.LOST, "trial"));
            assertThat(process.waitFor().code()).isEqualTo(3);
        }
    }

    @Test
    void aLossThatOnlyTheGuardNoticedIsALossToo() throws Exception {
        HeldLease held = new HeldLease(asked -> Duration.ofMillis(400));
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        try (Timers never = new Never();
                GuardedProcess process = start("exec sleep 300")) {
            Supervision supervision = supervision(
                    Duration.ofSeconds(2), Duration.ofSeconds(1), process, never, new PrintStream(told, true, UTF_8));
            supervision.watch(held, signals);
            Supervision.Ended ended = supervision.await(held, signals);
            assertThat(ended.exit().code()).isEqualTo(137);
            assertThat(ended.exitCode()).isEqualTo(121);
            assertThat(ended.lost()).isTrue();
            assertThat(told.toString(UTF_8)).contains("no heartbeat was confirmed in time");
        }
    }

    @Test
    void theEndIsNotToldBeforeTheLoss() throws Exception {
        HeldLease held = new HeldLease(asked -> Duration.ofSeconds(20));
        CompletableFuture<Supervision.Ended> end = new CompletableFuture<>();
        CompletableFuture<Boolean> toldFirst = new CompletableFuture<>();
        // The reader of the message is slow: there is time for the end to overtake it.
        OutputStream slow = new OutputStream() {
            @Override
            public void write(int letter) {
                if (!toldFirst.isDone()) {
                    end.copy()
                            .completeOnTimeout(null, 300, TimeUnit.MILLISECONDS)
                            .join();
                    toldFirst.complete(!end.isDone());
                }
            }
        };
        try (Timers never = new Never();
                GuardedProcess process = start("echo ready; exec sleep 300")) {
            assertThat(process.stdout().read()).isEqualTo('r');
            Supervision supervision = supervision(
                    Duration.ofSeconds(24), Duration.ofSeconds(3), process, never, new PrintStream(slow, true, UTF_8));
            supervision.watch(held, signals);
            var unused = CompletableFuture.runAsync(
                    () -> held.stop.complete(new HeldKey.Stop(HeldKey.Stop.Kind.LOST, "trial")));
            end.complete(supervision.await(held, signals));
            assertThat(toldFirst.join()).isTrue();
            assertThat(end.join().lost()).isTrue();
        }
    }

    private static Supervision supervision(Duration lease, Duration grace, GuardedProcess process, Timers timers) {
        return supervision(lease, grace, process, timers, new PrintStream(new ByteArrayOutputStream(), true, UTF_8));
    }

    private static Supervision supervision(
            Duration lease, Duration grace, GuardedProcess process, Timers timers, PrintStream told) {
        KeyAcquirer.Request order = new KeyAcquirer.Request(
                LockKey.of("k"), "command", ConflictPolicy.REJECT, null, lease, grace, 0, null, Map.of(), "sh");
        RunSettings settings = new RunSettings(
                order, List.of("sh"), List.of(), RunSettings.OnLost.TERM, null, InheritedEnvironment.ALL, 75);
        return new Supervision(settings, process, timers, new Narrator(Console.of(told, told), false, false));
    }

    private static GuardedProcess start(String script) throws IOException {
        return GuardedProcess.start(ProcessLaunch.of(List.of("/bin/sh", "-c", script)), REAL);
    }

    /** What is later, is never. */
    private static final class Never implements Timers {
        @Override
        public Scheduled after(Duration delay, Runnable task) {
            return () -> {};
        }

        @Override
        public void close() {}
    }

    /** A lease of which the test says how long it can be relied upon. */
    static final class HeldLease implements HeldKey {
        private final CompletableFuture<Stop> stop = new CompletableFuture<>();
        private final AtomicInteger asked = new AtomicInteger();
        private final IntFunction<Duration> left;

        HeldLease(IntFunction<Duration> left) {
            this.left = left;
        }

        @Override
        public String runId() {
            return "run";
        }

        @Override
        public long token() {
            return 1;
        }

        @Override
        public Duration remaining() {
            return left.apply(asked.getAndIncrement());
        }

        @Override
        public void onStop(Consumer<Stop> listener) {
            var unused = stop.thenAccept(listener);
        }

        @Override
        public void stage(String name) {}

        @Override
        public void progress(long done, @Nullable Long total) {}

        @Override
        public Optional<Stop> finish(Ending ending) {
            return Optional.empty();
        }
    }
}
