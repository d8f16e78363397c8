package io.interlock.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a property.
 *
 * @param name with {@code *} for a user-defined name and {@code []} for an index of a list
 * @param choices the allowed words, if they are limited
 * @param otherwise the default, or {@code null} if there is none
 */
record Setting(
        String name,
        Kind kind,
        List<String> choices,
        @Nullable String otherwise,
        String about) {

    /** The kind of a value. */
    enum Kind {
        TEXT,
        NUMBER,
        DECIMAL,
        FLAG,
        DURATION,
        CHOICE,
        WORDS,
        NUMBERS,
        /** Never shown. */
        SECRET,
        /** A store's URL, shown without its password. */
        STORE,
        /** An address, shown without user and query. */
        URL,
        /** An address whose path may be a secret: only its host is shown. */
        HOOK
    }

    /** Parses a line {@code name | kind | default | about}; words in brackets as kind are the allowed values. */
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

    /** Whether it is a list. */
    boolean isList() {
        return kind == Kind.WORDS || kind == Kind.NUMBERS;
    }

    /** Whether its name has a user-defined part. */
    boolean isPattern() {
        return name.contains("*") || name.contains("[]");
    }
}
