package io.interlock.engine.internal.worker;

import io.interlock.InvalidSettingException;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.TransientFailureException;
import io.interlock.locks.runtime.Futures;
import io.interlock.run.Ending;
import io.interlock.run.RunError;
import io.interlock.run.StopRequest;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an attempt's ending is called, judged by what the work returned or threw, and by what it was told meanwhile. */
public final class Endings {

    private Endings() {}

    static Ending returned(HeldRun work, @Nullable String result) {
        Ending forced = forced(work);
        if (forced != null) {
            return forced;
        }
        try {
            return new Ending.Succeeded(result);
        } catch (InvalidSettingException tooLong) {
            return new Ending.Failed(new RunError("RESULT_TOO_LARGE", text(tooLong)), false, null);
        }
    }

    public static Ending threw(HeldRun work, Throwable failure) {
        Ending forced = forced(work);
        if (forced != null) {
            return forced;
        }
        Optional<StopRequest> stop = work.stop().raised();
        if (stop.isPresent()) {
            return stop.get().code().equals(ActiveRuns.SHUTDOWN)
                    ? new Ending.Failed(
                            new RunError(ActiveRuns.SHUTDOWN, stop.get().reason()), true, Duration.ZERO)
                    : new Ending.Aborted(stop.get().error());
        }
        return failed(work, Futures.cause(failure));
    }

    /** The work says {@code ending}, which counts unless the lease or the time was over before. */
    public static Ending said(HeldRun work, Ending ending) {
        Ending forced = forced(work);
        return forced != null ? forced : ending;
    }

    /** The ending that no word of the work can change, or {@code null}. */
    private static @Nullable Ending forced(HeldRun work) {
        if (work.lost() != null) {
            return new Ending.Failed(
                    new RunError(
                            ActiveRuns.LEASE_LOST,
                            "the lease was lost: " + work.lost().explanation()),
                    true,
                    null);
        }
        return work.stop()
                .raised()
                .filter(stop -> stop.code().equals(RunError.MAX_RUNTIME))
                .map(stop -> new Ending.TimedOut(new RunError(RunError.MAX_RUNTIME, stop.reason())))
                .orElse(null);
    }

    private static Ending failed(HeldRun work, Throwable failure) {
        if (failure instanceof PermanentFailureException permanent) {
            return new Ending.Failed(new RunError(permanent.code(), text(failure)), false, null);
        }
        if (failure instanceof TransientFailureException passing) {
            Duration rest = passing.rest().orElse(null);
            return new Ending.Failed(new RunError(passing.code(), text(failure)), true, rest);
        }
        RunError error = new RunError(code(failure), text(failure));
        return new Ending.Failed(error, work.job().failures().mayPass(failure), null);
    }

    private static String code(Throwable failure) {
        String simple = failure.getClass().getSimpleName();
        return simple.isEmpty() ? failure.getClass().getName() : simple;
    }

    private static String text(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getName() : message;
    }
}
