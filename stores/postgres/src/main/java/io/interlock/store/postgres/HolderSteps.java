package io.interlock.store.postgres;

import io.interlock.LossCause;
import io.interlock.spi.Answers;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What holders ask: batches of renewals and releases, each as one statement. */
final class HolderSteps {

    private final PostgresSettings settings;
    private final WorkHints hints;

    HolderSteps(PostgresSettings settings, WorkHints hints) {
        this.settings = settings;
        this.hints = hints;
    }

    Lane.Step<List<AnswerRow>> renew(List<RenewRequest> requests) {
        KeyTable keys = new KeyTable(requests.stream().map(RenewRequest::key).toList());
        String sql = AnswerRow.SELECT + settings.names().table("renew") + "(?, ?, ?, ?, ?, ?, ?) a";
        return (connection, patience) -> Lane.query(
                connection,
                sql,
                statement -> new SqlArrays(statement)
                        .number(patience)
                        .keys(keys)
                        .each("int4", requests, request -> keys.number(request.key()))
                        .each("uuid", requests, request -> request.id().value())
                        .each("int8", requests, request -> request.token().value())
                        .each("int8", requests, request -> AnswerRow.micros(request.ttl())),
                AnswerRow::readAll);
    }

    Lane.Step<List<AnswerRow>> release(List<ReleaseRequest> requests) {
        KeyTable keys = new KeyTable(requests.stream().map(ReleaseRequest::key).toList());
        String sql = AnswerRow.SELECT + settings.names().table("release") + "(?, ?, ?, ?, ?, ?) a";
        return (connection, patience) -> Lane.query(
                connection,
                sql,
                statement -> new SqlArrays(statement)
                        .number(patience)
                        .keys(keys)
                        .each("int4", requests, request -> keys.number(request.key()))
                        .each("uuid", requests, request -> request.id().value())
                        .each("int8", requests, request -> request.token().value()),
                AnswerRow::readAll,
                hints);
    }

    static Answers<RenewAnswer> renewAnswers(List<AnswerRow> rows) {
        return answers(rows, row -> switch (row.verdict()) {
            case "renewed" -> new RenewAnswer.Renewed(row.requireLease());
            case "expired" -> new RenewAnswer.Lost(LossCause.EXPIRED, row.lease());
            case "evicted" -> new RenewAnswer.Lost(LossCause.EVICTED, row.lease());
            case "gone" -> new RenewAnswer.Lost(LossCause.GONE, row.lease());
            case "overdue" -> new RenewAnswer.Lost(LossCause.OVERDUE, row.lease());
            case "open" -> null;
            default -> throw new IllegalStateException("unknown verdict " + row.verdict());
        });
    }

    static Answers<ReleaseAnswer> releaseAnswers(List<AnswerRow> rows) {
        return answers(rows, row -> switch (row.verdict()) {
            case "released" -> new ReleaseAnswer.Released(row.requireLease());
            case "lapsed" -> new ReleaseAnswer.Lapsed(row.requireLease());
            case "gone" -> new ReleaseAnswer.Gone(row.lease());
            case "open" -> null;
            default -> throw new IllegalStateException("unknown verdict " + row.verdict());
        });
    }

    /** Whether a release found the mark of somebody who waits. */
    static boolean leavesWaiters(AnswerRow row) {
        return row.until() != null && row.until().isAfter(row.at());
    }

    private static <A> Answers<A> answers(List<AnswerRow> rows, Function<AnswerRow, @Nullable A> answer) {
        List<@Nullable A> answers = new ArrayList<>();
        rows.forEach(row -> answers.add(answer.apply(row)));
        return Answers.partly(answers);
    }
}
