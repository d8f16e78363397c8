package io.interlock.store.postgres;

import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.EvictRequest;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What onlookers, operators and the janitor ask, each as one statement. */
final class AdminSteps {

    private final PostgresSettings settings;
    private final WorkHints hints;

    AdminSteps(PostgresSettings settings, WorkHints hints) {
        this.settings = settings;
        this.hints = hints;
    }

    Lane.Step<List<AnswerRow>> evict(EvictRequest request) {
        return rows("evict(?, ?, ?, ?, ?, ?)", (statement, patience) -> {
            statement.setInt(1, patience);
            statement.setString(2, request.key().tenant());
            statement.setString(3, request.key().name());
            statement.setLong(4, request.expected().value());
            statement.setString(5, request.actor());
            statement.setString(6, request.reason());
        });
    }

    Lane.Step<List<AnswerRow>> find(List<LockKey> keys) {
        return rows("find(?, ?)", (statement, patience) -> new SqlArrays(statement).keys(keys));
    }

    Lane.Step<List<AnswerRow>> list(LeaseQuery query) {
        return rows("list(?, ?, ?, ?, ?)", (statement, patience) -> {
            statement.setString(1, query.tenant());
            statement.setString(2, query.namePrefix());
            statement.setString(3, query.cursor().map(LockKey::tenant).orElse(null));
            statement.setString(4, query.cursor().map(LockKey::name).orElse(null));
            statement.setInt(5, query.limit() + 1);
        });
    }

    Lane.Step<List<AnswerRow>> sweep(int limit) {
        return rows("sweep(?, ?)", (statement, patience) -> {
            statement.setInt(1, patience);
            statement.setInt(2, limit);
        });
    }

    Lane.Step<Instant> bumpEpoch() {
        return (connection, patience) -> Lane.query(
                connection,
                "SELECT " + settings.names().table("bump_epoch") + "(?)",
                statement -> statement.setInt(1, patience),
                row -> {
                    if (!row.next()) {
                        throw new SQLException("bump_epoch gave no answer", "XX000");
                    }
                    return row.getObject(1, OffsetDateTime.class).toInstant();
                });
    }

    static List<Optional<LeaseRecord>> found(int count, List<AnswerRow> rows) {
        List<Optional<LeaseRecord>> found = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            found.add(Optional.empty());
        }
        rows.forEach(row -> found.set(row.request(), Optional.of(row.requireLease())));
        return List.copyOf(found);
    }

    private Lane.Step<List<AnswerRow>> rows(String call, PatientBinder binder) {
        String sql = AnswerRow.SELECT + settings.names().table(call) + " a";
        return (connection, patience) ->
                Lane.query(connection, sql, statement -> binder.bind(statement, patience), AnswerRow::readAll, hints);
    }

    private interface PatientBinder {

        void bind(PreparedStatement statement, int patience) throws SQLException;
    }
}
