package io.interlock.store.sqlite;

import io.interlock.time.Environment;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses the clock that suits this machine. */
final class HostClocks {

    private static final Logger log = LoggerFactory.getLogger(HostClocks.class);

    private HostClocks() {}

    private static @Nullable HostClock ofThisMachine;

    /** The clock of this machine, which all stores of this process share. */
    static synchronized HostClock ofThisMachine(Environment environment) {
        HostClock known = ofThisMachine;
        if (known == null) {
            known = of(Path.of("/proc"), environment);
            // A wall clock belongs to its environment.
            ofThisMachine = known.steady() ? known : null;
        }
        return known;
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
