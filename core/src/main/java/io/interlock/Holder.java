package io.interlock;

import io.interlock.run.RunTexts;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a lease.
 *
 * @param instance the process instance; two instances never share it, not even two starts on one machine
 * @param label a readable name: machine, program, or who triggered it
 * @param run the execution the lease belongs to, or {@code null} for a bare lease
 */
public record Holder(
        String instance, String label, @Nullable RunId run) {

    /** The longest instance or label, in bytes of UTF-8. */
    public static final int MAX_BYTES = 200;

    public Holder {
        RunTexts.require("holder instance", instance, MAX_BYTES, "name the holder of the lease in plain text");
        RunTexts.require("holder label", label, MAX_BYTES, "name the holder of the lease in plain text");
    }

    /** A holder without a run. */
    public Holder(String instance, String label) {
        this(instance, label, null);
    }

    /** This holder, working on {@code run}. */
    public Holder forRun(RunId run) {
        return new Holder(instance, label, run);
    }

    /** The execution the lease belongs to, if any. */
    public Optional<RunId> runId() {
        return Optional.ofNullable(run);
    }
}
