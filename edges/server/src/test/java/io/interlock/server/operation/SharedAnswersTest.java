package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.server.operation.AdminOperations.SharedAnswers;
import io.interlock.service.Facts;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SharedAnswersTest {

    private final AtomicLong time = new AtomicLong();
    private final AtomicInteger asked = new AtomicInteger();
    private final SharedAnswers answers = new SharedAnswers(time::get);

    private Object ask(String tenant, Duration takes) {
        return answers.of(tenant, () -> {
                    pass(takes);
                    return Facts.with("asked", asked.incrementAndGet());
                })
                .shown("asked");
    }

    private void pass(Duration duration) {
        time.addAndGet(duration.toNanos());
    }

    @Test
    void whatIsCheapIsWorkedOutEachTime() {
        assertThat(ask("acme", Duration.ofMillis(100))).isEqualTo("1");
        assertThat(ask("acme", Duration.ofMillis(100))).isEqualTo("2");
    }

    @Test
    void whatIsCostlyIsGivenAgainForFourTimesAsLongAsItTook() {
        assertThat(ask("acme", Duration.ofMillis(300))).isEqualTo("1");
        pass(Duration.ofMillis(1199));
        assertThat(ask("acme", Duration.ZERO)).isEqualTo("1");
        assertThat(ask("globex", Duration.ZERO)).as("another tenant").isEqualTo("2");
        pass(Duration.ofMillis(1));
        assertThat(ask("acme", Duration.ZERO)).isEqualTo("3");
        assertThat(ask("acme", Duration.ZERO)).as("it was cheap").isEqualTo("4");
    }
}
