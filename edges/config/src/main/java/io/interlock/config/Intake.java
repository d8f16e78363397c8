package io.interlock.config;

/**
 * Takes work from somewhere else and starts it as runs. {@link java.util.ServiceLoader} finds those on the class path, so that the
 * libraries of an intake are there only where somebody wants it.
 */
public interface Intake {

    /** The property of the configuration that sets it up. */
    String property();

    /**
     * Begins. The other side need not be there: an intake waits for it, and says so in the log.
     *
     * @return what ends it: takes nothing new, and gives back what it has not started
     */
    AutoCloseable start(InterlockSettings settings, IntakeContext house);
}
