package io.interlock.cli.command;

import io.interlock.cli.run.ProcessSignal;
import java.util.concurrent.CountDownLatch;

/** Somebody wants this process to end: TERM or INT. */
final class StopOnSignal {

    private final CountDownLatch told = new CountDownLatch(1);

    private StopOnSignal() {}

    static StopOnSignal ofThisProcess() {
        StopOnSignal wish = new StopOnSignal();
        ProcessSignal.handle("TERM", wish.told::countDown);
        ProcessSignal.handle("INT", wish.told::countDown);
        return wish;
    }

    void await() {
        while (true) {
            try {
                told.await();
                return;
            } catch (InterruptedException nobodyShould) {
                // Only a signal ends it.
            }
        }
    }
}
