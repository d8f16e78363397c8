package io.interlock.run;

import io.interlock.Actor;
import org.jspecify.annotations.Nullable;

/**
 * Where a run comes from. It has no effect on decisions.
 *
 * @param reason the submitter's reason, or {@code null}
 * @param correlation the correlation id for the audit log, or {@code null}
 * @param trace the W3C {@code traceparent} it was submitted under, or {@code null}
 * @param address the address of the client, for the audit log, or {@code null}
 */
public record Origin(
        String submitter,
        @Nullable String reason,
        @Nullable String correlation,
        @Nullable String trace,
        @Nullable String address) {

    public Origin {
        RunTexts.require("submitter", submitter, "name the submitter");
        if (reason != null) {
            RunTexts.require("reason", reason, "remove it, or give a reason for the run");
        }
        if (correlation != null) {
            RunTexts.require("correlation", correlation, "remove it, or give a correlation id");
        }
        if (trace != null) {
            RunTexts.require("traceparent", trace, "remove it, or pass on the header unchanged");
        }
    }

    /** An origin with only a submitter. */
    public static Origin of(String submitter) {
        return new Origin(submitter, null, null, null, null);
    }

    /** The submitter as an actor of the audit log. */
    public Actor actor() {
        return new Actor(submitter, correlation, address);
    }
}
