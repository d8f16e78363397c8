package io.interlock.store.postgres;

import io.interlock.LockKey;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Fills the parameters of a statement from left to right, lists as arrays. */
final class SqlArrays {

    private final PreparedStatement statement;
    private int next;

    SqlArrays(PreparedStatement statement) {
        this(statement, 1);
    }

    /** Begins with the parameter {@code first}. */
    SqlArrays(PreparedStatement statement, int first) {
        this.statement = statement;
        next = first;
    }

    SqlArrays number(int value) throws SQLException {
        statement.setInt(next++, value);
        return this;
    }

    SqlArrays text(String value) throws SQLException {
        statement.setString(next++, value);
        return this;
    }

    SqlArrays keys(KeyTable keys) throws SQLException {
        return array("text", keys.tenants()).array("text", keys.names());
    }

    SqlArrays keys(List<LockKey> keys) throws SQLException {
        return each("text", keys, LockKey::tenant).each("text", keys, LockKey::name);
    }

    <R> SqlArrays each(String type, List<R> requests, Function<R, @Nullable Object> part) throws SQLException {
        return array(type, requests.stream().map(part).toArray());
    }

    SqlArrays array(String type, @Nullable Object[] values) throws SQLException {
        statement.setArray(next++, statement.getConnection().createArrayOf(type, values));
        return this;
    }
}
