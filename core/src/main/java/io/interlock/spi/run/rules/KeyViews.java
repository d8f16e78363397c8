package io.interlock.spi.run.rules;

import io.interlock.RunRefusal;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Shows the activity of a key. Changes nothing, and works on an unsettled key. */
public final class KeyViews {

    private KeyViews() {}

    /**
     * The activity of the key; empty if it has no lease, no reservation and no waiting run.
     *
     * @param waitingSince when the first of the waiting runs was submitted, or {@code null} if none waits
     */
    public static Optional<KeyView> view(KeyState state, @Nullable Instant waitingSince) {
        Optional<Run> current = state.running().or(state::reserved);
        if (state.lease().isEmpty() && current.isEmpty() && state.queueSize() == 0) {
            return Optional.empty();
        }
        RunRefusal.Paused paused = QueueRules.paused(state);
        return Optional.of(new KeyView(
                state.key(),
                state.leaseRecord(),
                current.orElse(null),
                state.queueSize(),
                waitingSince,
                paused == null ? null : paused.pause(),
                state.now()));
    }
}
