package io.interlock;

import java.nio.charset.StandardCharsets;
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
        require("holder instance", instance);
        require("holder label", label);
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

    private static void require(String what, String text) {
        if (text.isBlank() || text.codePoints().anyMatch(Character::isISOControl)) {
            throw new InvalidSettingException(
                    what,
                    text,
                    "must not be blank or contain control characters",
                    "name the holder of the lease in plain text");
        }
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new InvalidSettingException(
                    what, text, "has " + bytes + " bytes; the limit is " + MAX_BYTES, "shorten it");
        }
    }
}
