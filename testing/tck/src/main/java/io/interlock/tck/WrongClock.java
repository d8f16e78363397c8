package io.interlock.tck;

import io.interlock.time.Environment;
import io.interlock.time.ForwardingEnvironment;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** The environment of a real process with a wrong wall clock. Thread-safe. */
public final class WrongClock extends ForwardingEnvironment {

    private final AtomicReference<Duration> wrongBy;

    /** A clock that is ahead by {@code wrongBy}, or behind if that is negative. */
    public WrongClock(Duration wrongBy) {
        super(Environment.system());
        this.wrongBy = new AtomicReference<>(wrongBy);
    }

    /** Sets the clock forward by {@code more}, or back. */
    public void jump(Duration more) {
        wrongBy.updateAndGet(before -> before.plus(more));
    }

    @Override
    public InstantSource clock() {
        return () -> super.clock().instant().plus(wrongBy.get());
    }
}
