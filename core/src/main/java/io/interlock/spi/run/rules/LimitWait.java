package io.interlock.spi.run.rules;

import io.interlock.RunState;
import io.interlock.run.Run;
import java.util.Collection;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a tenant's limit keeps waiting under one key.
 *
 * @param below as soon as fewer runs than this are under way, there is a turn
 * @param number the first run that waits for it
 */
public record LimitWait(int below, long number) {

    /** Of a room as a step leaves it; {@code null} if the limit keeps nobody waiting there. */
    public static @Nullable LimitWait of(Room room) {
        return Line.closed(room) != null
                ? null
                : of(room.runs(), room.facts(), room.facts().crowd(room.tenantBusy()));
    }

    /** Of runs that nothing keeps waiting but the limit, where {@code crowd} are under way or come first; {@code null} if there is none. */
    public static @Nullable LimitWait of(Collection<Run> runs, Facts facts, int crowd) {
        LimitWait waits = null;
        for (Run run : runs) {
            if (isLimited(run)
                    && run.status().mayBegin(facts.now())
                    && run.line().tenantMaxRunning() <= crowd) {
                waits = with(waits, run);
            }
        }
        return waits;
    }

    /** The number of the first run in line that a limit may keep waiting, if there is one. */
    public static OptionalLong first(Collection<Run> runs) {
        return runs.stream().filter(LimitWait::isLimited).mapToLong(Run::number).min();
    }

    private static boolean isLimited(Run run) {
        return run.state() == RunState.QUEUED && run.line().tenantMaxRunning() < Integer.MAX_VALUE;
    }

    private static LimitWait with(@Nullable LimitWait other, Run run) {
        int limit = run.line().tenantMaxRunning();
        return other == null
                ? new LimitWait(limit, run.number())
                : new LimitWait(Math.max(limit, other.below), Math.min(run.number(), other.number));
    }
}
