package io.interlock.config;

import io.interlock.InterlockException;
import java.util.List;
import java.util.stream.Collectors;

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
}
