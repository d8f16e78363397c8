package io.interlock.cli;

/** What goes on inside is logged only if somebody asks for it. */
final class Logging {

    private static final String PREFIX = "org.slf4j.simpleLogger.";

    private Logging() {}

    /** Says so to slf4j-simple, before anybody asks for a logger. */
    static void set(boolean loud) {
        System.setProperty(PREFIX + "defaultLogLevel", loud ? "debug" : "off");
        System.setProperty(PREFIX + "showShortLogName", "true");
        System.setProperty("slf4j.internal.verbosity", "ERROR");
    }
}
