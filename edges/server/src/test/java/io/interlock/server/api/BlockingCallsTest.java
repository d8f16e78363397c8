package io.interlock.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.server.problem.Problem;
import io.interlock.time.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class BlockingCallsTest {

    private final BlockingCalls calls = BlockingCalls.of(Environment.system(), 1, 20);
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
}
