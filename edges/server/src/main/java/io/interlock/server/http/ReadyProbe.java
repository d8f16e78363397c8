package io.interlock.server.http;

import java.util.concurrent.CompletionStage;

/** Asks whether requests can be served now. Never blocks. */
@FunctionalInterface
public interface ReadyProbe {

    /** Looks. An answer that takes long counts as no. */
    CompletionStage<Readiness> ask();

    /**
     * What was found.
     *
     * @param ready whether requests can be served
     * @param reason if not, why, without secrets
     */
    record Readiness(boolean ready, String reason) {

        /** Can be of use. */
        public static Readiness yes() {
            return new Readiness(true, "");
        }

        /** Cannot be of use. */
        public static Readiness notReady(String reason) {
            return new Readiness(false, reason);
        }
    }
}
