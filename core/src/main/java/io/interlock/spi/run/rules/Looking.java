package io.interlock.spi.run.rules;

import io.interlock.RunRefusal;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Shows what goes on under a key. Changes nothing, and needs no settled room: people see what the store has. */
public final class Looking {

    private Looking() {}

    /** What goes on under the key; empty if nobody has it, it is kept for nobody, and nobody waits. */
    public static Optional<KeyView> view(Room room) {
        List<Run> waiting = Line.waiting(room);
        Optional<Run> current = room.running().or(() -> room.reservation().flatMap(kept -> room.run(kept.run())));
        if (room.lease().isEmpty() && current.isEmpty() && waiting.isEmpty()) {
            return Optional.empty();
        }
        RunRefusal.Paused paused = Line.paused(room);
        return Optional.of(new KeyView(
                room.key(),
                room.leaseRecord(),
                current.orElse(null),
                waiting.size(),
                waiting.stream()
                        .map(Run::submittedAt)
                        .min(Comparator.naturalOrder())
                        .orElse(null),
                paused == null ? null : paused.pause(),
                room.now()));
    }
}
