package samples.good.tck;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** A test that waits for what it wants to see. */
class PatientTest {
    @Test
    @Disabled("shows that a reason is enough")
    void waitsForAnEvent() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        done.countDown();
        done.await();
    }
}
