package io.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import io.interlock.spring.ExclusiveRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A small application of ShedLock, moved step by step, while instances of both steps run side by side. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ShedLockMigrationTest {

    private static final LockKey KEY = LockKey.of("report");

    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class));

    @Test
    void oldAndNewInstancesExcludeEachOther(@TempDir Path folder) {
        ApplicationContextRunner shared =
                application.withPropertyValues("interlock.store=sqlite:" + folder.resolve("i.db"));
        shared.withUserConfiguration(Old.class)
                .withBean(OldJob.class)
                .run(old -> shared.withBean(NewJob.class).run(young -> {
                    OldJob scheduled = old.getBean(OldJob.class);
                    NewJob moved = young.getBean(NewJob.class);
                    Locks locks = young.getBean(Locks.class);
                    assertThat(scheduled.ran().await(20, TimeUnit.SECONDS)).isTrue();
                    try (Lease lease =
                            locks.acquire(KEY, Duration.ofSeconds(10)).orElseThrow()) {
                        assertThat(lease.isHeld()).isTrue();
                        int before = scheduled.count();
                        scheduled.build();
                        assertThat(scheduled.count()).isEqualTo(before);
                    }
                    scheduled.holdNext();
                    scheduled.holding().await();
                    moved.build();
                    assertThat(moved.count()).isZero();
                    scheduled.letGo();
                    await().until(() -> {
                        moved.build();
                        return moved.count() > 0;
                    });
                }));
    }

    @Configuration
    @EnableScheduling
    @EnableSchedulerLock(defaultLockAtMostFor = "1m")
    static class Old {}

    static class OldJob {

        private final CountDownLatch ran = new CountDownLatch(1);
        private final CountDownLatch holding = new CountDownLatch(1);
        private final CountDownLatch letGo = new CountDownLatch(1);
        private volatile boolean hold;
        private final AtomicInteger count = new AtomicInteger();

        // snippet: shedlockBefore
        @Scheduled(fixedDelay = 100)
        @SchedulerLock(name = "report", lockAtMostFor = "1m")
        public void build() throws InterruptedException {
            work();
        }
        // end snippet

        private void work() throws InterruptedException {
            count.incrementAndGet();
            ran.countDown();
            if (hold) {
                holding.countDown();
                letGo.await();
            }
        }

        public CountDownLatch ran() {
            return ran;
        }

        public CountDownLatch holding() {
            return holding;
        }

        public void holdNext() {
            hold = true;
        }

        public void letGo() {
            letGo.countDown();
        }

        public int count() {
            return count.get();
        }
    }

    static class NewJob {

        private final AtomicInteger count = new AtomicInteger();

        // snippet: shedlockAfter
        @Scheduled(fixedDelay = 100)
        @ExclusiveRun(key = "report", maxRuntime = "1m")
        public void build() {
            work();
        }
        // end snippet

        private void work() {
            count.incrementAndGet();
        }

        public int count() {
            return count.get();
        }
    }
}
