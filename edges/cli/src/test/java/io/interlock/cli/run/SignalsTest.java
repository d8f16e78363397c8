package io.interlock.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.engine.command.GuardedProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** When a signal cuts something off, and when it is kept for later. */
class SignalsTest {

    private final Signals signals = new Signals(System::nanoTime);

    @Test
    void whatIsUnderWayWhenASignalComesIsNotCutOff() {
        signals.came(GuardedProcess.Signal.TERM);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(signals.received()).contains(GuardedProcess.Signal.TERM);
        List<GuardedProcess.Signal> passedOn = new ArrayList<>();
        signals.to(passedOn::add);
        signals.came(GuardedProcess.Signal.INT);
        assertThat(passedOn).containsExactly(GuardedProcess.Signal.TERM, GuardedProcess.Signal.INT);
    }

    @Test
    void whoeverWaitsIsInterruptedAndOnlyThen() throws InterruptedException {
        assertThat(signals.<String>interrupting(() -> "its turn")).isEqualTo("its turn");
        Thread waiting = Thread.currentThread();
        assertThatThrownBy(() -> signals.interrupting(() -> {
                    new Thread(() -> signals.came(GuardedProcess.Signal.INT)).start();
                    new CountDownLatch(1).await();
                    return "never";
                }))
                .isInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> signals.interrupting(() -> {
                    new CountDownLatch(1).await();
                    return "never";
                }))
                .as("it came before")
                .isInstanceOf(InterruptedException.class);
        assertThat(waiting.isInterrupted()).isFalse();
    }
}
