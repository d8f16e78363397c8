package io.interlock.store.postgres;

import io.interlock.LossCause;
import io.interlock.run.BeatAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.TurnAnswer;
import io.interlock.spi.Answers;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.TurnRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Beginning work, and going on with it, each as one statement. */
final class WorkSteps {

    private WorkSteps() {}

    /** Takes work; if {@code waits}, whoever gets less than it asked for wants to hear of more. */
    static Lane.Step<List<RunAnswer>> claim(RunCall call, ClaimRequest request, boolean waits) {
        String function = waits ? "claim_or_wait" : "claim";
        return call.answers(function + "(?, ?, ?, ?, ?, ?, ?)", (statement, patience) -> {
            statement.setInt(1, patience);
            statement.setObject(2, request.id());
            statement.setString(3, Texts.shown(request.holder().instance()));
            statement.setString(4, Texts.shown(request.holder().label()));
            statement.setString(5, request.tenant());
            statement.setArray(
                    6,
                    statement
                            .getConnection()
                            .createArrayOf(
                                    "text",
                                    request.jobs().stream()
                                            .map(job -> job.value())
                                            .toArray()));
            statement.setInt(7, request.max());
        });
    }

    /** Says that somebody waits for work of {@code tenant}, or of any tenant if {@code null}. */
    static Lane.Step<Boolean> want(RunCall call, @Nullable String tenant) {
        return call.rows("want_work(?)", (statement, patience) -> statement.setString(1, tenant), rows -> true);
    }

    static List<Claimed> claimed(List<RunAnswer> rows) {
        return rows.stream()
                .map(row -> new Claimed(row.requireRun(), row.requireLease()))
                .toList();
    }

    static Lane.Step<List<RunAnswer>> takeTurn(RunCall call, List<TurnRequest> requests) {
        KeyTable keys = new KeyTable(requests.stream().map(TurnRequest::key).toList());
        return call.answers(
                "take_turn(?, ?, ?, ?, ?, ?, ?, ?)",
                (statement, patience) -> new SqlArrays(statement)
                        .number(patience)
                        .keys(keys)
                        .each("int4", requests, request -> keys.number(request.key()))
                        .each("uuid", requests, request -> request.run().value())
                        .each(
                                "uuid",
                                requests,
                                request -> request.caller().lease().value())
                        .each(
                                "text",
                                requests,
                                request -> Texts.shown(request.caller().holder().instance()))
                        .each(
                                "text",
                                requests,
                                request -> Texts.shown(request.caller().holder().label())));
    }

    static Answers<TurnAnswer> turns(int count, List<RunAnswer> rows) {
        return Answers.partly(RunCall.inOrder(count, rows, row -> switch (row.verdict()) {
            case "granted" -> new TurnAnswer.Granted(row.requireRun(), row.requireLease());
            case "waiting" -> new TurnAnswer.Waiting(row.requireRun(), row.position(), row.refusal());
            case "over" -> new TurnAnswer.Over(row.run());
            case "open" -> null;
            default -> throw RunCall.unknown(row);
        }));
    }

    static Lane.Step<List<RunAnswer>> beat(RunCall call, List<BeatRequest> requests) {
        KeyTable keys = new KeyTable(requests.stream().map(BeatRequest::key).toList());
        return call.answers(
                "beat(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (statement, patience) -> new SqlArrays(statement)
                        .number(patience)
                        .keys(keys)
                        .each("int4", requests, request -> keys.number(request.key()))
                        .each("uuid", requests, request -> request.run().value())
                        .each("uuid", requests, request -> request.lease().value())
                        .each("int8", requests, request -> request.token().value())
                        .each("text", requests, request -> stage(request))
                        .each("int8", requests, request -> done(request))
                        .each("int8", requests, request -> total(request)));
    }

    static Answers<BeatAnswer> beats(int count, List<RunAnswer> rows) {
        return Answers.partly(RunCall.inOrder(count, rows, row -> switch (row.verdict()) {
            case "beating" ->
                new BeatAnswer.Beating(
                        row.requireLease(), row.requireRun().status().stop());
            case "open" -> null;
            default -> new BeatAnswer.Lost(lost(row), row.lease());
        }));
    }

    static LossCause lost(RunAnswer row) {
        return switch (row.verdict()) {
            case "expired" -> LossCause.EXPIRED;
            case "evicted" -> LossCause.EVICTED;
            case "gone" -> LossCause.GONE;
            case "overdue" -> LossCause.OVERDUE;
            default -> throw RunCall.unknown(row);
        };
    }

    private static @Nullable String stage(BeatRequest request) {
        String stage = request.stage();
        return stage == null ? null : Texts.shown(stage);
    }

    private static @Nullable Long done(BeatRequest request) {
        return request.progress() == null ? null : request.progress().done();
    }

    private static @Nullable Long total(BeatRequest request) {
        return request.progress() == null ? null : request.progress().total();
    }
}
