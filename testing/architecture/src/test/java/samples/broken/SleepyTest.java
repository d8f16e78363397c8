package samples.broken;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** Broken: waits for time to pass, and is switched off without a word. */
class SleepyTest {
    @Test
    @Disabled
    void sleeps() throws InterruptedException {
        Thread.sleep(1);
    }

    @Test
    @Disabled(" ")
    void sleepsInUnits() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(1);
    }
}
