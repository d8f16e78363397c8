package io.interlock.run;

import io.interlock.InvalidSettingException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The progress that a run reports. Shown to users, without effect on decisions.
 *
 * @param done how much is done, from 0
 * @param total the total, at least {@code done}, or {@code null} if unknown
 */
public record Progress(long done, @Nullable Long total) {

    /** Nothing reported yet. */
    public static final Progress NONE = new Progress(0, null);

    public Progress {
        if (done < 0 || (total != null && total < done)) {
            throw new InvalidSettingException(
                    "progress",
                    total == null ? done : done + "/" + total,
                    "must be from 0 to its total",
                    "report done and total");
        }
    }

    /** The total, if it is known. */
    public OptionalLong whole() {
        return total == null ? OptionalLong.empty() : OptionalLong.of(total);
    }

    @Override
    public String toString() {
        return total == null ? Long.toString(done) : done + "/" + total;
    }
}
