package io.interlock.store.postgres;

import io.interlock.run.Ending;
import io.interlock.run.FinishAnswer;
import io.interlock.run.RunError;
import io.interlock.spi.Answers;
import io.interlock.spi.run.FinishRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A batch of endings, as one statement. */
final class FinishStep {

    private FinishStep() {}

    static Lane.Step<List<RunAnswer>> of(RunCall call, List<FinishRequest> requests) {
        KeyTable keys = new KeyTable(requests.stream().map(FinishRequest::key).toList());
        List<Said> said =
                requests.stream().map(request -> Said.of(request.ending())).toList();
        return call.answers(
                "finish(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (statement, patience) -> new SqlArrays(statement)
                        .number(patience)
                        .keys(keys)
                        .each("int4", requests, request -> keys.number(request.key()))
                        .each("uuid", requests, request -> request.run().value())
                        .each("uuid", requests, request -> request.lease().value())
                        .each("int8", requests, request -> request.token().value())
                        .each("text", said, Said::ending)
                        .each("text", said, Said::result)
                        .each("text", said, Said::code)
                        .each("text", said, Said::message)
                        .each("bool", said, Said::retryable)
                        .each("int8", said, Said::rest));
    }

    static Answers<FinishAnswer> answers(int count, List<RunAnswer> rows) {
        return Answers.partly(RunCall.inOrder(count, rows, row -> switch (row.verdict()) {
            case "finished" -> new FinishAnswer.Finished(row.requireRun());
            case "already" -> new FinishAnswer.AlreadyFinished(row.requireRun());
            case "open" -> null;
            default -> new FinishAnswer.LeaseLost(WorkSteps.lost(row), row.run());
        }));
    }

    /** An ending in what SQL understands. */
    private record Said(
            String ending,
            @Nullable String result,
            @Nullable String code,
            @Nullable String message,
            boolean retryable,
            @Nullable Long rest) {

        static Said of(Ending ending) {
            if (ending instanceof Ending.Succeeded succeeded) {
                return new Said("SUCCEEDED", Texts.exactOrNull("result", succeeded.result()), null, null, false, null);
            }
            if (ending instanceof Ending.Failed failed) {
                return of("FAILED", failed.error(), failed.retryable(), Texts.microsOrNull(failed.rest()));
            }
            if (ending instanceof Ending.Aborted aborted) {
                return of("ABORTED", aborted.error(), false, null);
            }
            return of("TIMED_OUT", ((Ending.TimedOut) ending).error(), false, null);
        }

        // An error that cannot be kept as it is must not keep the work from ending.
        private static Said of(String ending, RunError error, boolean retryable, @Nullable Long rest) {
            return new Said(ending, null, Texts.shown(error.code()), Texts.shown(error.message()), retryable, rest);
        }
    }
}
