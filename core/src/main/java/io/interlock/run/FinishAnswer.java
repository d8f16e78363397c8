package io.interlock.run;

import io.interlock.LossCause;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a store says to whoever says that its work has stopped. In every case the asker no longer has the key. */
public sealed interface FinishAnswer {

    /**
     * It is settled, now or by the same request before.
     *
     * @param run ended, or back in line for another attempt
     */
    record Finished(Run run) implements FinishAnswer {}

    /**
     * The attempt was finished before in another way; nothing was changed.
     *
     * @param run as it ended
     */
    record AlreadyFinished(Run run) implements FinishAnswer {}

    /**
     * The lease was not live any more, so the ending does not count. If its row was still there, the key is open now.
     *
     * @param cause why it was lost
     * @param run where the run stands now, or {@code null} if there is no such run
     */
    record LeaseLost(LossCause cause, @Nullable Run run) implements FinishAnswer {

        /** Where the run stands now, if there is such a run. */
        public Optional<Run> current() {
            return Optional.ofNullable(run);
        }
    }
}
