package io.interlock.cli;

/** What goes on inside is logged only if somebody asks for it. */
final class Logging {

    private static final String PREFIX = "org.slf4j.simpleLogger.";

    private Logging() {}

    /**
     * Says so to slf4j-simple, before anybody asks for a logger.
     *
     * @param loud whether everything is asked for
     * @param lasting whether it goes on for long, so that nobody would see what goes wrong meanwhile
     */
    static void set(boolean loud, boolean lasting) {
        System.setProperty(PREFIX + "defaultLogLevel", loud ? "debug" : lasting ? "warn" : "off");
        System.setProperty(PREFIX + "showShortLogName", "true");
        System.setProperty("slf4j.internal.verbosity", "ERROR");
    }
}
