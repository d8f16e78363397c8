package io.interlock.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a property.
 *
 * @param name with {@code *} for a name the user chooses and {@code []} for a place in a list
 * @param kind what may stand there
 * @param choices the allowed words, if only some are
 * @param otherwise what holds if nobody sets it, or {@code null} if nothing does
 * @param about for people, one sentence
 */
record Setting(
        String name,
        Kind kind,
        List<String> choices,
        @Nullable String otherwise,
        String about) {

    /** What may stand in a property. */
    enum Kind {
        TEXT,
        NUMBER,
        DECIMAL,
        FLAG,
        DURATION,
        CHOICE,
        WORDS,
        NUMBERS,
        /** Not shown at all. */
        SECRET,
        /** A store's URL, shown without its password. */
        STORE,
        /** An address, shown without user and query. */
        URL,
        /** An address whose path may be a secret: only its host is shown. */
        HOOK
    }

    /** Reads a line of the list: {@code name | kind | default | about}, the kind being words in brackets for a choice. */
    static Setting parse(String line) {
        String[] parts = line.split("\\|", 4);
        String kind = parts[1].strip();
        List<String> choices = kind.startsWith("[")
                ? List.of(kind.substring(1, kind.length() - 1).split("\\s+", -1))
                : List.of();
        String otherwise = parts[2].strip();
        return new Setting(
                parts[0].strip(),
                choices.isEmpty() ? Kind.valueOf(kind) : Kind.CHOICE,
                choices,
                otherwise.isEmpty() ? null : otherwise,
                parts[3].strip());
    }

    /** Whether it has any number of values. */
    boolean isList() {
        return kind == Kind.WORDS || kind == Kind.NUMBERS;
    }

    /** Whether its name has a part the user chooses. */
    boolean isPattern() {
        return name.contains("*") || name.contains("[]");
    }
}
