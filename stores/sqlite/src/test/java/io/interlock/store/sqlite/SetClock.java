package io.interlock.store.sqlite;

import io.interlock.time.Environment;
import io.interlock.time.ForwardingEnvironment;
import java.time.Instant;
import java.time.InstantSource;

/** The real environment with a wall clock that a test sets. */
final class SetClock extends ForwardingEnvironment {

    private volatile Instant wall;

    SetClock(String wall) {
        super(Environment.system());
        this.wall = Instant.parse(wall);
    }

    void set(String time) {
        wall = Instant.parse(time);
    }

    @Override
    public InstantSource clock() {
        return () -> wall;
    }
}
