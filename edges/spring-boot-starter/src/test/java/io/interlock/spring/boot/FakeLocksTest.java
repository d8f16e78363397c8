package io.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LeaseLostException;
import io.interlock.LockKey;
import io.interlock.locks.Locks;
import io.interlock.spring.ExclusiveRun;
import io.interlock.spring.boot.test.FakeLocks;
import io.interlock.spring.boot.test.WithFakeLocks;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A test as users write it: no store, no database that could hold leases, and the application as it is. */
@SpringBootTest
@WithFakeLocks
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FakeLocksTest {

    private static final LockKey KEY = LockKey.of("report");

    @Autowired
    private FakeLocks fake;

    @Autowired
    private Locks locks;

    @Autowired
    private Reports reports;

    @AfterEach
    void grant() {
        fake.grantAll();
    }

    @Test
    void grants() throws InterruptedException {
        assertThat(reports.build(false)).isEqualTo("built");
        assertThat(locks).isSameAs(fake);
    }

    // snippet: springFake
    @Test
    void refusesOnDemand() throws InterruptedException {
        fake.refuse(LockKey.of("report"));
        assertThat(reports.build(false)).isNull();
        fake.grantAll();
        assertThat(reports.build(false)).isEqualTo("built");
    }
    // end snippet

    @Test
    void losesOnDemand() throws InterruptedException {
        assertThatThrownBy(() -> reports.build(true)).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> fake.lose(KEY)).isInstanceOf(IllegalStateException.class);
    }

    @Configuration
    @EnableAutoConfiguration
    @Import(Reports.class)
    static class Application {}

    static class Reports {

        private final FakeLocks fake;

        Reports(FakeLocks fake) {
            this.fake = fake;
        }

        @ExclusiveRun(key = "report")
        public String build(boolean lose) throws InterruptedException {
            if (lose) {
                fake.lose(KEY);
                new CountDownLatch(1).await();
            }
            return "built";
        }
    }
}
