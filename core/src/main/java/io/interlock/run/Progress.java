package io.interlock.run;

import io.interlock.InvalidSettingException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How far a run says it is. Shown to people, decides nothing.
 *
 * @param done how much is done, from 0
 * @param total of how much, at least {@code done}, or {@code null} if nobody knows
 */
public record Progress(long done, @Nullable Long total) {

    /** Nothing said yet. */
    public static final Progress NONE = new Progress(0, null);

    /** Checks the order. */
    public Progress {
        if (done < 0 || (total != null && total < done)) {
            throw new InvalidSettingException(
                    "progress",
                    total == null ? done : done + "/" + total,
                    "must be from 0 to its total",
                    "report how much is done, and of how much");
        }
    }

    /** Of how much, if that is known. */
    public OptionalLong whole() {
        return total == null ? OptionalLong.empty() : OptionalLong.of(total);
    }

    @Override
    public String toString() {
        return total == null ? Long.toString(done) : done + "/" + total;
    }
}
