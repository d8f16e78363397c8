package io.interlock.store.sqlite;

import io.interlock.spi.run.RunQuery;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a query about runs asks for, and one run more, as SQL. Only what is asked for is in the text, so that each question
 * finds its index.
 *
 * @param where the conditions, and the order
 * @param values what their question marks stand for
 */
record RunFilter(String where, List<Object> values) {

    // Whoever was submitted later has a greater number, so the first one since then says where to begin.
    private static final String SINCE = """
            AND number >= coalesce((SELECT number FROM ${schema}.${prefix}run WHERE tenant = ? AND submitted_at >= ?
                                     ORDER BY submitted_at, number LIMIT 1), 9223372036854775807)
            """;

    static RunFilter of(RunQuery query) {
        boolean fromTheEnd = query.descending() && query.after() == 0;
        StringBuilder where = new StringBuilder("WHERE tenant = ? AND number ");
        where.append(query.descending() ? "< ? " : "> ? ");
        List<Object> values =
                new ArrayList<>(List.of(query.tenant(), fromTheEnd ? Long.valueOf(Long.MAX_VALUE) : query.after()));
        if (query.key() != null) {
            // A key of another tenant is none of this one's.
            where.append("AND tenant = ? AND name = ? ");
            values.add(query.key().tenant());
            values.add(query.key().name());
        }
        if (query.state() != null) {
            where.append("AND state = ? ");
            values.add(query.state().name());
        }
        if (query.job() != null) {
            where.append("AND job = ? ");
            values.add(query.job().value());
        }
        if (query.since() != null) {
            where.append(SINCE);
            values.add(query.tenant());
            values.add(Micros.ceiling(query.since()));
        }
        where.append(query.descending() ? "ORDER BY number DESC LIMIT ?" : "ORDER BY number LIMIT ?");
        values.add(query.limit() + 1);
        return new RunFilter(where.toString(), List.copyOf(values));
    }

    void bind(PreparedStatement statement) throws SQLException {
        for (int i = 0; i < values.size(); i++) {
            statement.setObject(i + 1, values.get(i));
        }
    }
}
