package io.interlock.spi.run.rules;

import io.interlock.RunRefusal;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Shows what goes on under a key. Changes nothing, and needs no settled key: people see what the store has. */
public final class KeyViews {

    private KeyViews() {}

    /**
     * What goes on under the key; empty if it has no lease, is kept for no run, and no run waits.
     *
     * @param waitingSince when the first of the waiting runs was submitted, or {@code null} if none waits
     */
    public static Optional<KeyView> view(KeyState state, @Nullable Instant waitingSince) {
        Optional<Run> current = state.running().or(() -> state.reservation().flatMap(kept -> state.run(kept.run())));
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
