package io.interlock.store.postgres;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.Answers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A batch of acquires, as one statement. */
final class AcquireStep implements Lane.Step<List<AnswerRow>> {

    private final PostgresSettings settings;
    private final WorkHints hints;
    private final List<AcquireRequest> requests;
    private final KeyTable keys;

    AcquireStep(PostgresSettings settings, WorkHints hints, List<AcquireRequest> requests) {
        this.settings = settings;
        this.hints = hints;
        this.requests = requests;
        this.keys = new KeyTable(
                requests.stream().flatMap(request -> request.keys().stream()).toList());
    }

    @Override
    public List<AnswerRow> run(Connection connection, int patience) throws SQLException {
        String sql =
                AnswerRow.SELECT + settings.names().table("acquire") + "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) a";
        return Lane.query(connection, sql, statement -> bind(statement, patience), AnswerRow::readAll, hints);
    }

    static Answers<AcquireAnswer> answers(int count, List<AnswerRow> rows) {
        List<List<AnswerRow>> byRequest = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byRequest.add(new ArrayList<>());
        }
        rows.forEach(row -> byRequest.get(row.request()).add(row));
        List<@Nullable AcquireAnswer> answers = new ArrayList<>();
        byRequest.forEach(own -> answers.add(answer(own)));
        return Answers.partly(answers);
    }

    private static @Nullable AcquireAnswer answer(List<AnswerRow> rows) {
        AnswerRow first = rows.get(0);
        return switch (first.verdict()) {
            case "granted" -> new AcquireAnswer.Granted(grants(rows));
            case "held" -> refused(new Refusal.Held(first.requireLease()));
            case "delayed" -> refused(new Refusal.Delayed(first.requireLease(), first.requireUntil()));
            case "probe" -> refused(new Refusal.AwaitsProbe(first.requireLease()));
            case "recovering" ->
                refused(new Refusal.StoreRecovering(first.requireKey(), first.at(), first.requireUntil()));
            case "reserved", "paused", "ahead" -> refused(first.requireRefusal());
            case "open" -> null;
            default -> throw new IllegalStateException("unknown verdict " + first.verdict());
        };
    }

    private static AcquireAnswer refused(Refusal refusal) {
        return new AcquireAnswer.Refused(refusal);
    }

    // The lease that was taken over follows the one that took it.
    private static List<AcquireAnswer.Grant> grants(List<AnswerRow> rows) {
        List<AcquireAnswer.Grant> grants = new ArrayList<>();
        for (AnswerRow row : rows) {
            if (row.verdict().equals("granted")) {
                grants.add(new AcquireAnswer.Grant(row.requireLease(), null));
            } else {
                int last = grants.size() - 1;
                grants.set(last, new AcquireAnswer.Grant(grants.get(last).lease(), row.requireLease()));
            }
        }
        return grants;
    }

    private void bind(PreparedStatement statement, int patience) throws SQLException {
        List<Integer> first = new ArrayList<>(List.of(1));
        List<Integer> numbers = new ArrayList<>();
        List<@Nullable Long> cleared = new ArrayList<>();
        for (AcquireRequest request : requests) {
            for (LockKey key : request.keys()) {
                FencingToken token = request.takeover().cleared().get(key);
                numbers.add(keys.number(key));
                cleared.add(token == null ? null : token.value());
            }
            first.add(numbers.size() + 1);
        }
        new SqlArrays(statement)
                .number(patience)
                .keys(keys)
                .each("uuid", requests, request -> request.id().value())
                .each("text", requests, request -> request.holder().instance())
                .each("text", requests, request -> request.holder().label())
                .each("uuid", requests, AcquireStep::run)
                .each(
                        "int8",
                        requests,
                        request -> AnswerRow.micros(request.terms().ttl()))
                .each(
                        "int8",
                        requests,
                        request -> AnswerRow.micros(request.terms().lockDelay()))
                .each("bool", requests, AcquireRequest::waits)
                .each("bool", requests, request -> request.takeover().ask())
                .array("int4", first.toArray())
                .array("int4", numbers.toArray())
                .array("int8", cleared.toArray());
    }

    private static @Nullable Object run(AcquireRequest request) {
        return request.holder().runId().map(run -> (Object) run.value()).orElse(null);
    }
}
