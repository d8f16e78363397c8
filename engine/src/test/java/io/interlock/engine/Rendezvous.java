package io.interlock.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Work that waits until a test lets it go on. */
final class Rendezvous implements RunHandler {

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayGo = new CountDownLatch(1);

    @Override
    public String run(RunContext context) throws InterruptedException {
        begun.countDown();
        mayGo.await();
        return "{}";
    }

    void awaitBegin() throws InterruptedException {
        if (!begun.await(20, TimeUnit.SECONDS)) {
            throw new AssertionError("the work did not begin");
        }
    }

    void letGo() {
        mayGo.countDown();
    }
}
