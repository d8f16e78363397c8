package io.interlock.cli.text;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Commands as somebody can paste them into a shell. */
public final class ShellWords {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    private ShellWords() {}

    /** {@code words}, each of them one word for a shell. */
    public static String join(List<String> words) {
        return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
