package io.interlock.example.ingestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.engine.RunContext;
import io.interlock.engine.TransientFailureException;
import io.interlock.time.Environment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Races that are ingested at once. */
class RacesTest {

    private final CountDownLatch working = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    @Test
    void whenOneFailsTheOthersAreStoppedAtOnce() {
        Races races = new Races(2, "memory:", Environment.system());
        long begin = System.nanoTime();
        assertThatThrownBy(() -> races.each(List.of(1, 2), run(), this::work))
                .isInstanceOf(TransientFailureException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
        assertThat(stopped.getCount()).isZero();
    }

    private void work(int race, List<Database.Fence> fences) throws InterruptedException {
        if (race == 1) {
            working.await();
            throw new TransientFailureException("SOURCE_FAILED", "race 1 answered 503");
        }
        working.countDown();
        try {
            new CountDownLatch(1).await();
        } finally {
            stopped.countDown();
        }
    }

    private static RunContext run() {
        return (RunContext) Proxy.newProxyInstance(
                RunContext.class.getClassLoader(),
                new Class<?>[] {RunContext.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "key" -> LockKey.of("acme", "event/1");
                    case "token" -> new FencingToken(1);
                    default -> null;
                });
    }
}
