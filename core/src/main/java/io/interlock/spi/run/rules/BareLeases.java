package io.interlock.spi.run.rules;

import io.interlock.Refusal;
import io.interlock.run.Run;
import io.interlock.spi.AcquireRequest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What whoever asks for a bare lease meets of runs. */
public final class BareLeases {

    private BareLeases() {}

    /**
     * Why a bare lease is not granted in a settled room whose lease row is free or over, or {@code null} if runs have
     * nothing against it. A look outside that clears the key clears it for whoever is first in line.
     */
    public static @Nullable Refusal refusal(Room room, AcquireRequest.Takeover takeover) {
        Refusal taken = Line.taken(room);
        if (taken != null) {
            return taken;
        }
        Optional<Run> first = Line.first(room);
        Refusal.AwaitsProbe unseen = Line.awaitsProbe(room);
        if (first.isEmpty() || unseen == null || !takeover.ask()) {
            return first.map(run -> Line.queuedAhead(room, run)).orElse(null);
        }
        if (!unseen.expired().token().equals(takeover.cleared().get(room.key()))) {
            return unseen;
        }
        room.setLease(null);
        Promotion.promote(room);
        return Line.ahead(room);
    }

    /** Whether the key's lease has not ended, or still keeps the key closed. */
    public static boolean keepsLease(Room room) {
        return room.lease().isPresent() && !Line.isOver(room);
    }

    /** Who waits, in the order in which they would have their turn now. */
    public static List<Run> queue(Room room) {
        return Line.waiting(room);
    }
}
