package io.interlock.run;

import io.interlock.InvalidSettingException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of a kind of work. Runs of one job share their settings; {@code QUEUE_LATEST} and {@code REPLACE} supersede only
 * runs of the same job.
 *
 * @param value 1 to 100 characters of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit
 */
public record JobName(String value) implements Comparable<JobName> {

    private static final Pattern RULE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    public JobName {
        if (!RULE.matcher(value).matches()) {
            throw new InvalidSettingException(
                    "job",
                    value,
                    "must be 1 to 100 characters of A-Z a-z 0-9 . _ - and begin with a letter or digit",
                    "choose a plain identifier for the job");
        }
    }

    @Override
    public int compareTo(JobName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }

    // Written out: what a record makes by itself is linked at its first use, which costs each start of the command line
    // milliseconds.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JobName that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }
}
