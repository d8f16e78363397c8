package io.interlock.run;

import io.interlock.Actor;
import org.jspecify.annotations.Nullable;

/**
 * Where a run comes from. It decides nothing.
 *
 * @param submitter who asks
 * @param reason why, in the submitter's words, or {@code null}
 * @param correlation what it belongs to, for the audit log, or {@code null}
 * @param trace the W3C {@code traceparent} it was submitted under, or {@code null}
 * @param address the address of the client that asks, for the audit log, or {@code null}
 */
public record Origin(
        String submitter,
        @Nullable String reason,
        @Nullable String correlation,
        @Nullable String trace,
        @Nullable String address) {

    /** Checks the texts. */
    public Origin {
        RunTexts.require("submitter", submitter, "say who asks");
        if (reason != null) {
            RunTexts.require("reason", reason, "leave it out, or say why the run is wanted");
        }
        if (correlation != null) {
            RunTexts.require("correlation", correlation, "leave it out, or say what the run belongs to");
        }
        if (trace != null) {
            RunTexts.require("traceparent", trace, "leave it out, or pass on the header as it came");
        }
    }

    /** Nothing but who asks. */
    public static Origin of(String submitter) {
        return new Origin(submitter, null, null, null, null);
    }

    /** The submitter, as the audit log has it. */
    public Actor actor() {
        return new Actor(submitter, correlation, address);
    }
}
