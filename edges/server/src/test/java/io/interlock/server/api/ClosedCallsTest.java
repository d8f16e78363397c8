package io.interlock.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.interlock.server.problem.Problems;
import io.interlock.service.ProblemCode;
import io.interlock.time.Environment;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What a caller that is refused is told. */
class ClosedCallsTest {

    @Test
    void aPoolThatIsFullIsBusyAndOneThatIsClosedStops() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        BlockingCalls pool = BlockingCalls.apart(Environment.system(), 4);
        try {
            Throwable full = null;
            while (full == null) {
                full = catchThrowable(() -> pool.execute(() -> hold(mayEnd)));
            }
            assertThat(Problems.of(full).kind()).isEqualTo(ProblemCode.OVERLOADED);
        } finally {
            mayEnd.countDown();
            pool.close();
        }
        Throwable closed = catchThrowable(() -> pool.execute(() -> {}));
        assertThat(Problems.of(closed).kind()).isEqualTo(ProblemCode.SHUTTING_DOWN);
    }

    private static void hold(CountDownLatch mayEnd) {
        try {
            mayEnd.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
