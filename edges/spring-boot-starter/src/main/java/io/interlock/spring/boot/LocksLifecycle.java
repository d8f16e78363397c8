package io.interlock.spring.boot;

import io.interlock.locks.Locks;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the locks when the application stops: after web servers and schedulers have let their work end, and before the first bean is
 * destroyed that work under a lease may need.
 */
final class LocksLifecycle implements SmartLifecycle {

    /** Below the phases of web servers, and of schedulers and executors, which are stopped first. */
    private static final int PHASE = Integer.MAX_VALUE / 2 - 1024;

    private final Locks locks;
    private volatile boolean running;

    LocksLifecycle(Locks locks) {
        this.locks = locks;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        locks.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    // Closed locks cannot be opened again, so a context that only pauses keeps them.
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
