package io.interlock.store.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes steps of calls of the functions about runs: each is one statement, one round trip, one transaction. */
final class RunCall {

    private final PostgresSettings settings;
    private final WorkHints hints;

    RunCall(PostgresSettings settings, WorkHints hints) {
        this.settings = settings;
        this.hints = hints;
    }

    /** A call of {@code function}, as in {@code cancel(?, ?)}, that answers with {@link RunAnswer}s. */
    Lane.Step<List<RunAnswer>> answers(String function, PatientBinder binder) {
        String sql = RunAnswer.SELECT + settings.names().table(function) + " a";
        return step(sql, binder, RunAnswer::readAll);
    }

    /** A call of {@code function} of which {@code columns} are wanted; it is called {@code a} there. */
    <T> Lane.Step<T> columns(String columns, String function, PatientBinder binder, Lane.Reader<T> reader) {
        return step("SELECT " + columns + " FROM " + settings.names().table(function) + " a", binder, reader);
    }

    /** A call of {@code function} that answers with rows of another kind. */
    <T> Lane.Step<T> rows(String function, PatientBinder binder, Lane.Reader<T> reader) {
        return columns("a.*", function, binder, reader);
    }

    private <T> Lane.Step<T> step(String sql, PatientBinder binder, Lane.Reader<T> reader) {
        return (connection, patience) ->
                Lane.query(connection, sql, statement -> binder.bind(statement, patience), reader, hints);
    }

    /** One answer for each of {@code count} requests, in their order; {@code null} where there is none yet. */
    static <A> List<@Nullable A> inOrder(int count, List<RunAnswer> rows, Function<RunAnswer, @Nullable A> answer) {
        List<@Nullable A> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            answers.add(null);
        }
        rows.forEach(row -> answers.set(row.request(), answer.apply(row)));
        return answers;
    }

    static IllegalStateException unknown(RunAnswer row) {
        return new IllegalStateException("unknown verdict " + row.verdict());
    }

    /** Fills in the parameters of a statement. */
    interface PatientBinder {

        /** Sets all of them; {@code patience} is how many milliseconds the step may wait for a lock. */
        void bind(PreparedStatement statement, int patience) throws SQLException;
    }
}
