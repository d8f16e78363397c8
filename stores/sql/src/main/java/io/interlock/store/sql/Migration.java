package io.interlock.store.sql;

import io.interlock.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One step of a schema: a file {@code NNN_name.sql} for all databases that is never edited once released.
 *
 * @param version its number; steps are applied in this order
 * @param name what it is about
 * @param sql its text for one kind of database, with {@code ${schema}} and {@code ${prefix}} still in it; each statement ends
 *     with a semicolon at the end of a line
 */
public record Migration(int version, String name, String sql) {

    /**
     * What one kind of database writes differently. A line that begins with {@code @} is only for the databases it names.
     *
     * @param database its name in such lines
     * @param texts what is written for {@code ${word}}; for {@code ${word argument}}, with the argument in place of {@code %s}
     */
    public record Words(String database, Map<String, String> texts) {

        private static final Pattern ONLY_FOR = Pattern.compile("@(\\S+) (.*)");
        private static final Pattern WORD = Pattern.compile("\\$\\{(?!schema}|prefix})(\\w+)(?: ([^}]*))?}");

        private String fill(String template) {
            String own = template.lines().map(this::line).collect(Collectors.joining("\n"));
            return WORD.matcher(own)
                    .replaceAll(found -> Matcher.quoteReplacement(
                            text(found.group(1)).replace("%s", Objects.requireNonNullElse(found.group(2), ""))));
        }

        private String line(String line) {
            Matcher only = ONLY_FOR.matcher(line);
            if (!only.matches()) {
                return line;
            }
            return List.of(only.group(1).split(",", -1)).contains(database) ? only.group(2) : "";
        }

        private String text(String word) {
            String text = texts.get(word);
            if (text == null) {
                throw new IllegalArgumentException(database + " has no text for ${" + word + "}");
            }
            return text;
        }
    }

    /**
     * The schema of a store, in the words of one kind of database. Files are named one by one, because looking for them on the class
     * path fails in some packagings.
     */
    public static List<Migration> ofStore(Words words) {
        return List.of(read(Migration.class, words, 1, "store"));
    }

    /** Its statements, for tables called so. */
    List<String> statements(TableNames names) {
        return Stream.of(names.fill(sql).split(";\\s*(\\R|$)", -1))
                .filter(statement -> !statement.isBlank())
                .toList();
    }

    /** A hash of the text; the same on every system. */
    public String checksum() {
        return Sha256.hex(sql.replace("\r\n", "\n"));
    }

    @Override
    public String toString() {
        return String.format("%03d_%s", version, name);
    }

    /** Reads a file from the folder {@code migration} beside {@code anchor}. */
    static Migration read(Class<?> anchor, Words words, int version, String name) {
        String file = String.format("migration/%03d_%s.sql", version, name);
        try (InputStream in = Objects.requireNonNull(anchor.getResourceAsStream(file), file)) {
            String template = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new Migration(version, name, words.fill(template));
        } catch (IOException failure) {
            throw new UncheckedIOException(file + " cannot be read", failure);
        }
    }
}
