package io.interlock.store.postgres;

import io.interlock.spi.Answers;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A batch of submissions, as one statement. */
final class SubmitStep {

    private SubmitStep() {}

    static Lane.Step<List<RunAnswer>> of(RunCall call, List<SubmitRequest> requests) {
        KeyTable keys = new KeyTable(requests.stream().map(SubmitRequest::key).toList());
        String runs = RunJson.of(requests);
        List<Idem> names = requests.stream().map(Idem::of).toList();
        return call.answers(
                "submit(?, ?, ?, ?, ?::json, ?, ?, ?, ?, ?, ?)",
                (statement, patience) -> new SqlArrays(statement)
                        .number(patience)
                        .keys(keys)
                        .each("int4", requests, request -> keys.number(request.key()))
                        .text(runs)
                        .each("text", names, Idem::key)
                        .each("text", names, Idem::fingerprint)
                        .each("int8", names, Idem::keepFor)
                        .each("uuid", requests, request -> lease(request.caller()))
                        .each("text", requests, request -> instance(request.caller()))
                        .each("text", requests, request -> label(request.caller())));
    }

    static Answers<SubmitAnswer> answers(int count, List<RunAnswer> rows) {
        return Answers.partly(RunCall.inOrder(count, rows, SubmitStep::answer));
    }

    private static @Nullable SubmitAnswer answer(RunAnswer row) {
        return switch (row.verdict()) {
            case "started" -> new SubmitAnswer.Started(row.requireRun(), row.lease());
            case "joined" -> new SubmitAnswer.Joined(row.requireRun());
            case "queued" -> new SubmitAnswer.Queued(row.requireRun(), row.position());
            case "refused" -> new SubmitAnswer.Refused(row.requireRefusal());
            case "duplicate" -> new SubmitAnswer.Duplicate(row.requireRun());
            case "mismatch" -> new SubmitAnswer.Mismatch(row.requireRun());
            case "open" -> null;
            default -> throw RunCall.unknown(row);
        };
    }

    /** By what a request is known again, in what SQL understands. */
    private record Idem(
            @Nullable String key,
            @Nullable String fingerprint,
            @Nullable Long keepFor) {

        static Idem of(SubmitRequest request) {
            SubmitRequest.Idempotency known = request.idempotency();
            return known == null
                    ? new Idem(null, null, null)
                    : new Idem(
                            Texts.exact("idempotency key", known.key()),
                            Texts.exact("fingerprint", known.fingerprint()),
                            Texts.micros(known.keepFor()));
        }
    }

    private static @Nullable UUID lease(SubmitRequest.@Nullable Caller caller) {
        return caller == null ? null : caller.lease().value();
    }

    private static @Nullable String instance(SubmitRequest.@Nullable Caller caller) {
        return caller == null ? null : Texts.shown(caller.holder().instance());
    }

    private static @Nullable String label(SubmitRequest.@Nullable Caller caller) {
        return caller == null ? null : Texts.shown(caller.holder().label());
    }
}
