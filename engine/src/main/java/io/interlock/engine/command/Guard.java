package io.interlock.engine.command;

import io.interlock.time.Environment;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The small process that watches over a command ({@code guard.sh}). It notices the death of this process, whatever the cause, by
 * the end of a pipe, and then kills everything the command has started.
 *
 * <p>One thread reads; any may write.
 */
final class Guard {

    private static final String TEXT = Tools.script("guard.sh");

    private final String mark;
    private final Process process;
    private final Writer orders;
    private final BufferedReader words;

    private Guard(String mark, Process process) {
        this.mark = mark;
        this.process = process;
        orders = process.outputWriter(StandardCharsets.UTF_8);
        words = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts one, with a mark nobody else has. */
    static Guard start(Tools tools, Environment environment) throws IOException {
        return start(
                tools,
                String.format(
                        "%016x%016x",
                        environment.random().nextLong(), environment.random().nextLong()));
    }

    /** Starts one in place of another that was killed. */
    static Guard start(Tools tools, String mark) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(tools.setsid(), tools.sh(), "-c", TEXT, "interlock-guard", mark)
                .redirectError(Redirect.DISCARD);
        // Nothing of this process's environment: it may be guarded itself, and the guard's grep needs nothing.
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin");
        builder.environment().put("LC_ALL", "C");
        return new Guard(mark, builder.start());
    }

    /** What everything it watches over has in its environment. */
    String mark() {
        return mark;
    }

    long pid() {
        return process.pid();
    }

    /** Runs {@code task} if it ends before its work is done. */
    void onDeath(Runnable task) {
        var unused = process.onExit().thenAccept(ended -> {
            if (ended.exitValue() != 0) {
                task.run();
            }
        });
    }

    /** Gives it an order; nothing happens if it is dead, since then somebody hears of its death. */
    synchronized void tell(String order) {
        try {
            orders.write(order + "\n");
            orders.flush();
        } catch (IOException dead) {
            // See onDeath.
        }
    }

    /** The next thing it says, or {@code null} if there is nothing more. */
    @Nullable
    String next() {
        try {
            return words.readLine();
        } catch (IOException closed) {
            return null;
        }
    }

    /** Lets go of it, after its last word. */
    void close() {
        try (words;
                orders) {
            // Closing is all there is to do.
        } catch (IOException dead) {
            // It has ended anyway.
        }
    }
}
