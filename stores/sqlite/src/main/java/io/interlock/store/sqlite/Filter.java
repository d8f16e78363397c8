package io.interlock.store.sqlite;

import io.interlock.run.AuditQuery;
import io.interlock.run.RunQuery;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a query asks for, as the end of a statement. Only what is asked for is in its text, so that each question finds its
 * index.
 */
final class Filter {

    // Whatever came later has a greater number, so the first one since then says where to begin.
    private static final String RUNS_SINCE = """
            AND number >= coalesce((SELECT number FROM ${schema}.${prefix}run WHERE tenant = ? AND submitted_at >= ?
                                     ORDER BY submitted_at, number LIMIT 1), 9223372036854775807)
            """;

    private static final String RECORDS_SINCE = """
            AND sequence >= coalesce((SELECT sequence FROM ${schema}.${prefix}audit WHERE at >= ?
                                       ORDER BY at, sequence LIMIT 1), 9223372036854775807)
            """;

    private final StringBuilder sql = new StringBuilder();
    private final List<Object> values = new ArrayList<>();

    Filter(String sql, Object... values) {
        and(sql, values);
    }

    /** The runs a query asks for, and one more. */
    static Filter of(RunQuery query) {
        boolean descending = query.descending();
        long after = descending && query.after() == 0 ? Long.MAX_VALUE : query.after();
        Filter filter = new Filter("WHERE tenant = ? AND number " + (descending ? "<" : ">") + " ? ");
        filter.values.addAll(List.of(query.tenant(), after));
        if (query.key() != null) {
            // A key of another tenant is none of this one's.
            filter.and(
                    "AND tenant = ? AND name = ? ",
                    query.key().tenant(),
                    query.key().name());
        }
        if (query.state() != null) {
            filter.and("AND state = ? ", query.state().name());
        }
        if (query.job() != null) {
            filter.and("AND job = ? ", query.job().value());
        }
        if (query.since() != null) {
            filter.and(RUNS_SINCE, query.tenant(), Micros.ceiling(query.since()));
        }
        return filter.and("ORDER BY number " + (descending ? "DESC " : "") + "LIMIT ?", query.limit() + 1);
    }

    /** The audit records a query asks for. */
    static Filter of(AuditQuery query) {
        Filter filter = new Filter("WHERE sequence < ? ", query.before() == 0 ? Long.MAX_VALUE : query.before());
        if (query.tenant() != null) {
            filter.and("AND tenant = ? ", query.tenant());
        }
        if (query.key() != null) {
            filter.and(
                    "AND tenant = ? AND name = ? ",
                    query.key().tenant(),
                    query.key().name());
        }
        if (query.run() != null) {
            filter.and("AND run_id = ? ", query.run().toString());
        }
        if (query.action() != null) {
            filter.and("AND action = ? ", query.action());
        }
        if (query.since() != null) {
            filter.and(RECORDS_SINCE, Micros.ceiling(query.since()));
        }
        return filter.and("ORDER BY sequence DESC LIMIT ?", query.limit());
    }

    Filter and(String more, Object... moreValues) {
        sql.append(more);
        values.addAll(List.of(moreValues));
        return this;
    }

    /** The statement that begins with {@code select}, with all values set. */
    PreparedStatement prepare(Session session, String select) throws SQLException {
        PreparedStatement statement = session.prepare(select + sql);
        for (int i = 0; i < values.size(); i++) {
            statement.setObject(i + 1, values.get(i));
        }
        return statement;
    }
}
