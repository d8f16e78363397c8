package io.interlock.config;

import io.interlock.InterlockException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The configuration has mistakes; the exception lists all of them. */
public final class ConfigurationException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final transient List<Mistake> mistakes;

    ConfigurationException(List<Mistake> mistakes) {
        super(mistakes.stream()
                .map(Mistake::toString)
                .collect(Collectors.joining(
                        "\n  ",
                        "the configuration has " + mistakes.size()
                                + (mistakes.size() == 1 ? " mistake:\n  " : " mistakes:\n  "),
                        "")));
        this.mistakes = List.copyOf(mistakes);
    }

    /** The mistakes, at least one. */
    public List<Mistake> mistakes() {
        return mistakes;
    }

    /**
     * A mistake in the configuration.
     *
     * @param property which property, without {@code interlock.}
     * @param detail what is wrong, with value, limit and next step
     * @param origin where it was set: a flag, a variable, a file with its line; {@code null} if it is not set
     */
    public record Mistake(
            String property, String detail, @Nullable String origin) {

        @Override
        public String toString() {
            return (origin == null ? "" : origin + ": ") + property + " " + detail;
        }
    }
}
