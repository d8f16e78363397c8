package io.interlock.engine.internal;

import io.interlock.run.SweepAction;
import java.util.List;

/** One of the janitor's duties. */
interface Sweep {

    /** What people call it. */
    String name();

    /** Does it once: what was done, and why. */
    List<SweepAction> runOnce();
}
