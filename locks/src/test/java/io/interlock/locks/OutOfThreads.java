package io.interlock.locks;

import io.interlock.time.Environment;
import io.interlock.time.ForwardingEnvironment;
import java.util.concurrent.ThreadFactory;

/** An environment in which threads of one name cannot start, as on a machine that has no more of them. */
final class OutOfThreads extends ForwardingEnvironment {

    private final String name;

    OutOfThreads(Environment rest, String name) {
        super(rest);
        this.name = name;
    }

    @Override
    public ThreadFactory threads(String name) {
        return name.equals(this.name) ? Stillborn::new : super.threads(name);
    }

    private static final class Stillborn extends Thread {
        Stillborn(Runnable task) {
            super(task);
        }

        @Override
        public synchronized void start() {
            throw new OutOfMemoryError("unable to create native thread");
        }
    }
}
