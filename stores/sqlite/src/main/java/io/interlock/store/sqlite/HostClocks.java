package io.interlock.store.sqlite;

import io.interlock.time.Environment;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses the clock that suits this machine. */
final class HostClocks {

    private static final Logger log = LoggerFactory.getLogger(HostClocks.class);

    private HostClocks() {}

    static HostClock ofThisMachine(Environment environment) {
        return of(Path.of("/proc"), environment);
    }

    static HostClock of(Path proc, Environment environment) {
        try {
            return ProcHostClock.in(proc);
        } catch (IOException notLinux) {
            log.info(
                    "this system does not tell time since boot ({}); leases are timed by its wall clock",
                    notLinux.toString());
            return new WallHostClock(environment.clock());
        }
    }
}
