package io.interlock.engine.internal.sweep;

import io.interlock.run.SweepAction;
import java.util.List;

/** One of the janitor's duties. */
public interface Sweep {

    /** What people call it. */
    String name();

    /** Does it once: what was done, and why. */
    List<SweepAction> runOnce();
}
