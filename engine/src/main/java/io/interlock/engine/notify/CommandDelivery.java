package io.interlock.engine.notify;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Delivers to the input of a command. What that prints is thrown away. */
final class CommandDelivery implements Delivery {

    private final NotifyTarget.Command target;

    CommandDelivery(NotifyTarget.Command target) {
        this.target = target;
    }

    @Override
    public Result deliver(Notification notification) {
        ProcessBuilder builder = new ProcessBuilder(target.argv())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD);
        builder.environment().put("INTERLOCK_NOTIFICATION_ID", notification.id());
        builder.environment()
                .put("INTERLOCK_NOTIFICATION_TYPE", notification.kind().word());
        try {
            Process process = builder.start();
            try {
                return run(process, NotificationJson.of(notification));
            } finally {
                kill(process);
            }
        } catch (IOException failure) {
            return new Result.Failed("it could not be started: " + failure.getMessage(), false);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new Result.Failed("interrupted", false);
        }
    }

    private Result run(Process process, String body) throws InterruptedException {
        // Less than a pipe holds: writing it does not wait for the command to read.
        try (OutputStream input = process.getOutputStream()) {
            input.write(body.getBytes(StandardCharsets.UTF_8));
        } catch (IOException closed) {
            // It may do its work without reading; its exit code tells.
        }
        if (!process.waitFor(target.within().toMillis(), TimeUnit.MILLISECONDS)) {
            return new Result.Failed("it took longer than " + target.within().toSeconds() + "s and was killed", false);
        }
        int code = process.exitValue();
        return code == 0 ? new Result.Delivered() : new Result.Failed("it ended with " + code, false);
    }

    private static void kill(Process process) {
        if (process.isAlive()) {
            // Listed before the first is killed: whoever loses its parent is found no more.
            List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                    .toList();
            all.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
