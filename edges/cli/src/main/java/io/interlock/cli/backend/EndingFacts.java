package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Json;
import io.interlock.run.Ending;
import io.interlock.run.RunError;

/** How work ended, as a server is told. */
public final class EndingFacts {

    private static final int LONGEST_MESSAGE = 4_000;
    private static final int LONGEST_OUTPUT = 100_000;

    private EndingFacts() {}

    /** An ending, and the end of what the work had to say. */
    public static Facts of(Ending ending, String output) {
        return facts(ending).and("output", output.isEmpty() ? null : fitting(output));
    }

    private static Facts facts(Ending ending) {
        if (ending instanceof Ending.Succeeded succeeded) {
            String result = succeeded.result();
            return Facts.with("outcome", "SUCCEEDED")
                    .and("result", result == null ? null : JsonReader.raw(result))
                    .done();
        } else if (ending instanceof Ending.Failed failed) {
            return Facts.with("outcome", "FAILED")
                    .and("retryable", failed.retryable())
                    .and("error", error(failed.error()))
                    .done();
        } else if (ending instanceof Ending.TimedOut late) {
            return Facts.with("outcome", "TIMED_OUT")
                    .and("error", error(late.error()))
                    .done();
        }
        return Facts.with("outcome", "ABORTED")
                .and("error", error(((Ending.Aborted) ending).error()))
                .done();
    }

    private static Facts error(RunError error) {
        String message = error.message();
        return Facts.with("code", error.code())
                .and("message", message.substring(0, Math.min(message.length(), LONGEST_MESSAGE)))
                .done();
    }

    // Bytes that are no text are written as \\u00xx, which may make more of it than a server takes.
    private static String fitting(String output) {
        String text = output;
        while (Json.line(text).length() > LONGEST_OUTPUT) {
            text = text.substring(text.length() / 2);
        }
        return text;
    }
}
