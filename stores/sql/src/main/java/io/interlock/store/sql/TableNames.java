package io.interlock.store.sql;

import io.interlock.InvalidSettingException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a store's tables live: a schema, and the prefix all its names begin with. Both may come from a user, and both end
 * up inside SQL text; so both are plain identifiers, or this record cannot be made.
 *
 * @param schema for example {@code public}; for SQLite always {@code main}; {@code null} for the database of the connection
 * @param prefix for example {@value #DEFAULT_PREFIX}; two stores with different prefixes never meet
 */
public record TableNames(@Nullable String schema, String prefix) {

    public static final String PREFIX_OPTION = "prefix";

    public static final String DEFAULT_PREFIX = "interlock_";

    private static final Pattern IDENTIFIER = Pattern.compile("[a-z_][a-z0-9_]{0,30}");

    /**
     * Checks both names.
     *
     * @throws InvalidSettingException if one is not a plain identifier
     */
    public TableNames {
        if (schema != null) {
            require("schema", schema);
        }
        require(PREFIX_OPTION, prefix);
    }

    /** {@code sql} with {@code ${schema}} and {@code ${prefix}} replaced. */
    public String fill(String sql) {
        return sql.replace("${schema}.", qualifier()).replace("${prefix}", prefix);
    }

    public String table(String name) {
        return qualifier() + prefix + name;
    }

    /** What all names begin with, for people. */
    String readable() {
        return (schema == null ? "" : schema + ".") + prefix;
    }

    // A schema may be a word of SQL; names that begin with the prefix and go on are none.
    private String qualifier() {
        return schema == null ? "" : '"' + schema + "\".";
    }

    private static void require(String setting, String value) {
        if (!IDENTIFIER.matcher(value).matches()) {
            throw new InvalidSettingException(
                    setting,
                    value,
                    "must be 1 to 31 characters of a-z 0-9 _ and not begin with a digit",
                    "choose a plain lower-case name, for example " + DEFAULT_PREFIX);
        }
    }
}
