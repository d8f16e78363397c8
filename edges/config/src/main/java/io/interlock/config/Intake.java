package io.interlock.config;

/**
 * Receives work from another system and starts runs for it. {@link java.util.ServiceLoader} finds intakes on the class
 * path, so that only installations that use an intake need its libraries.
 */
public interface Intake {

    /** The configuration property of this intake. */
    String property();

    /**
     * Starts receiving. If the other system is unavailable, the intake logs that and keeps trying.
     *
     * @return closes the intake: it receives nothing more, and returns work it has not started
     */
    AutoCloseable start(InterlockSettings settings, IntakeContext house);
}
