package io.interlock.engine.notify;

import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.engine.command.Exit;
import io.interlock.engine.command.GuardedProcess;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.engine.command.InheritedVariables;
import io.interlock.engine.command.ProcessLaunch;
import io.interlock.time.Environment;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/** Delivers to the input of a command. What that prints is thrown away; nothing of it is left when it has ended. */
final class CommandDelivery implements Delivery {

    private final NotifyTarget.Command target;
    private final Environment environment;

    CommandDelivery(NotifyTarget.Command target, Environment environment) {
        this.target = target;
        this.environment = environment;
    }

    @Override
    public Result deliver(Notification notification) {
        try (GuardedProcess process = GuardedProcess.start(launch(notification), environment)) {
            write(process.stdin(), NotificationJson.of(notification));
            return judge(process.waitFor(target.within()));
        } catch (IOException | InterlockException failure) {
            return new Result.Failed("it could not be started: " + failure.getMessage(), false);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new Result.Failed("interrupted", false);
        }
    }

    private ProcessLaunch launch(Notification notification) {
        return ProcessLaunch.of(target.argv())
                .environment(variables(notification, InheritedVariables.all()))
                .redirects(Redirect.PIPE, Redirect.DISCARD, Redirect.DISCARD);
    }

    static Map<String, String> variables(Notification notification, Map<String, String> ofThisProcess) {
        Map<String, String> variables = InheritedEnvironment.ALL.of(ofThisProcess);
        variables.put("INTERLOCK_NOTIFICATION_ID", notification.id());
        variables.put("INTERLOCK_NOTIFICATION_TYPE", notification.kind().word());
        return variables;
    }

    /** Less than a pipe holds: this does not wait for the command to read, and the command need not. */
    private static void write(OutputStream stdin, String body) {
        try (stdin) {
            stdin.write((body + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException unread) {
            // Its exit code tells whether it has taken it in.
            return;
        }
    }

    private Result judge(Optional<Exit> exit) {
        if (exit.isEmpty()) {
            return new Result.Failed(
                    "it took longer than " + DurationText.format(target.within()) + " and was killed", false);
        }
        return exit.get().succeeded()
                ? new Result.Delivered()
                : new Result.Failed("it ended with " + exit.get(), false);
    }
}
