package samples.good.time;

import java.util.function.LongSupplier;

/** The composition root: here the clock of the JVM may come in. */
public final class SystemEnvironment {
    /** Monotonic time. */
    public LongSupplier ticker() {
        return System::nanoTime;
    }
}
