package io.interlock.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.StoreUnavailableException;
import io.interlock.config.Intake;
import io.interlock.config.SqsSettings;
import io.interlock.engine.RunEngine;
import io.interlock.sqs.SqsIntake.QueueIntake;
import io.interlock.time.Environment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** The end of an intake whose store hangs. */
class ShutdownTest {

    private static final int RECEIVERS = 3;

    @Test
    void receiversThatHangAreWaitedForTogetherAndNotOneAfterTheOther() throws Exception {
        LocalSqs sqs = LocalSqs.shared();
        LocalSqs.Pair queues = sqs.queues();
        CountDownLatch away = new CountDownLatch(1);
        Semaphore hanging = new Semaphore(0);
        RunEngine engine = (RunEngine) Proxy.newProxyInstance(
                RunEngine.class.getClassLoader(), new Class<?>[] {RunEngine.class}, (proxy, method, arguments) -> {
                    hanging.release();
                    away.await();
                    throw new StoreUnavailableException("store", "does not answer");
                });
        SqsSettings settings = sqs.settings(queues.url());
        QueueIntake intake = QueueIntake.start(
                new SqsSettings(
                        settings.queue(),
                        settings.tenant(),
                        settings.place(),
                        RECEIVERS,
                        settings.times(),
                        settings.messages()),
                new Intake.Context(engine, Environment.system(), (name, labels, value) -> {}));
        for (int i = 0; i < RECEIVERS; i++) {
            queues.send("group-" + i, "{\"job\": \"note\"}".replace("note", "note" + i));
        }
        hanging.acquire(RECEIVERS);
        long begin = System.nanoTime();
        intake.close();
        away.countDown();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(25));
    }
}
