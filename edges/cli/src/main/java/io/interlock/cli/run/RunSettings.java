package io.interlock.cli.run;

import io.interlock.cli.backend.KeyAcquirer;
import io.interlock.engine.command.InheritedEnvironment;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code interlock run} was told.
 *
 * @param order what is asked for
 * @param command program and arguments
 * @param place the options that lead to the same store or server
 * @param onLost what happens to the command when the lease is lost
 * @param timeout how long the command may take, or {@code null} for ever
 * @param inherited which variables of this process the command sees
 * @param busyExitCode the exit code if the key is not acquired; 0 if the command is skipped then
 */
public record RunSettings(
        KeyAcquirer.Request order,
        List<String> command,
        List<String> place,
        OnLost onLost,
        @Nullable Duration timeout,
        InheritedEnvironment inherited,
        int busyExitCode) {

    public RunSettings {
        command = List.copyOf(command);
        place = List.copyOf(place);
    }

    String key() {
        return order.key().name();
    }

    String program() {
        return order.program();
    }

    /** What happens to the command when the lease is lost. */
    public enum OnLost {
        /** It gets TERM, and KILL if it does not end. */
        TERM,
        /** It is killed. */
        KILL,
        /** It goes on, at the risk of the user. */
        WARN
    }
}
