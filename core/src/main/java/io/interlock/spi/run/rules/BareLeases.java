package io.interlock.spi.run.rules;

import io.interlock.Refusal;
import io.interlock.run.Run;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What whoever asks for a bare lease meets of runs. */
public final class BareLeases {

    private BareLeases() {}

    /** Why a bare lease is not granted in a settled room whose lease row is free or over, or {@code null}. */
    public static @Nullable Refusal refusal(Room room) {
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
