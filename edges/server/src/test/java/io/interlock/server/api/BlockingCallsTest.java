package io.interlock.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.service.Problem;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class BlockingCallsTest {

    private final BlockingCalls calls = new BlockingCalls(Environment.system(), 1, 20);
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final CountDownLatch busy = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @Test
    void tenantsTakeTurns() throws Exception {
        occupy();
        List<CompletionStage<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add(call("many", "many " + i));
        }
        all.add(call("few", "few 0"));
        all.add(call("few", "few 1"));
        goOn.countDown();
        for (CompletionStage<Boolean> each : all) {
            each.toCompletableFuture().get(5, TimeUnit.SECONDS);
        }
        assertThat(done).startsWith("many 0", "few 0", "many 1", "few 1", "many 2", "many 3");
    }

    @Test
    void noTenantFillsTheLine() throws Exception {
        occupy();
        List<CompletionStage<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            all.add(call("many", "many " + i));
        }
        CompletionStage<Boolean> tooMany = call("many", "one too many");
        all.add(call("few", "few"));
        goOn.countDown();
        for (CompletionStage<Boolean> each : all) {
            each.toCompletableFuture().get(5, TimeUnit.SECONDS);
        }
        assertThatThrownBy(() -> tooMany.toCompletableFuture().get(5, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(Problem.class);
        assertThat(done).contains("few").doesNotContain("one too many");
    }

    @Test
    void aCallThatFindsNoThreadFails() {
        CompletionStage<Boolean> call = new BlockingCalls(new Threadless(), 1, 20).call("acme", () -> true);
        assertThatThrownBy(() -> call.toCompletableFuture().get(5, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(Problem.class);
    }

    private CompletionStage<Boolean> call(String tenant, String name) {
        return calls.call(tenant, () -> done.add(name));
    }

    private void occupy() throws InterruptedException {
        calls.execute(() -> {
            busy.countDown();
            try {
                goOn.await();
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        });
        busy.await();
    }

    /** The real world, but for threads, of which it has none. */
    private static final class Threadless implements Environment {

        @Override
        public InstantSource clock() {
            return Environment.system().clock();
        }

        @Override
        public Ticker ticker() {
            return Environment.system().ticker();
        }

        @Override
        public Timers timers(String name) {
            return Environment.system().timers(name);
        }

        @Override
        public ThreadFactory threads(String name) {
            return task -> new Thread(task) {
                @Override
                public synchronized void start() {
                    throw new OutOfMemoryError("unable to create native thread");
                }
            };
        }

        @Override
        public RandomGenerator random() {
            return Environment.system().random();
        }
    }
}
