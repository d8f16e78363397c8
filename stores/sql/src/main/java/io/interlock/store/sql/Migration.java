package io.interlock.store.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One step of a schema: a file {@code NNN_name.sql} that is shipped in the store's jar and never edited once released.
 *
 * @param version its number; steps are applied in this order
 * @param name what it is about
 * @param sql its text, with {@code ${schema}} and {@code ${prefix}} still in it; each statement ends with a semicolon at the
 *     end of a line
 */
public record Migration(int version, String name, String sql) {

    private static final Pattern FILE = Pattern.compile("(\\d{3})_([a-z0-9_]+)\\.sql");

    /**
     * Reads files from the folder {@code migration} beside {@code anchor}. They are named one by one, because looking for
     * them on the class path fails in some packagings.
     *
     * @throws IllegalArgumentException if a file is missing, misnamed or out of order: a mistake of the store's author
     */
    public static List<Migration> load(Class<?> anchor, String... files) {
        List<Migration> migrations =
                Stream.of(files).map(file -> read(anchor, file)).toList();
        for (int i = 1; i < migrations.size(); i++) {
            if (migrations.get(i).version <= migrations.get(i - 1).version) {
                throw new IllegalArgumentException("migration " + migrations.get(i) + " is out of order");
            }
        }
        return migrations;
    }

    /** Its statements, for tables called so. */
    List<String> statements(TableNames names) {
        return Stream.of(names.fill(sql).split(";\\s*(\\R|$)", -1))
                .filter(statement -> !statement.isBlank())
                .toList();
    }

    /** A hash of the text as shipped; the same on every system. */
    public String checksum() {
        try {
            byte[] text = sql.replace("\r\n", "\n").getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JVM has SHA-256", impossible);
        }
    }

    @Override
    public String toString() {
        return String.format("%03d_%s", version, name);
    }

    private static Migration read(Class<?> anchor, String file) {
        Matcher matcher = FILE.matcher(file);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("migration " + file + " is not called NNN_name.sql");
        }
        try (InputStream in = anchor.getResourceAsStream("migration/" + file)) {
            if (in == null) {
                throw new IllegalArgumentException("migration " + file + " is not beside " + anchor.getName());
            }
            String sql = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new Migration(Integer.parseInt(matcher.group(1)), matcher.group(2), sql);
        } catch (IOException failure) {
            throw new UncheckedIOException("migration " + file + " cannot be read", failure);
        }
    }
}
