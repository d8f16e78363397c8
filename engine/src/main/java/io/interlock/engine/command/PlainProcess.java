package io.interlock.engine.command;

import io.interlock.time.Environment;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A command without a guard, where there is none to be had. */
final class PlainProcess extends GuardedProcess {

    private static final int FIRST_SIGNAL = 129;
    private static final int LAST_SIGNAL = 192;

    private final Process process;

    private PlainProcess(Process process) {
        this.process = process;
    }

    static PlainProcess start(ProcessLaunch launch, List<String> command, Environment environment) throws IOException {
        PlainProcess started =
                new PlainProcess(launch.builder(command, launch.environment()).start());
        environment.threads("interlock-command").newThread(started::await).start();
        return started;
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public OutputStream stdin() {
        return process.getOutputStream();
    }

    @Override
    public InputStream stdout() {
        return process.getInputStream();
    }

    @Override
    public InputStream stderr() {
        return process.getErrorStream();
    }

    @Override
    public void signal(Signal signal) {
        // Listed before the first is killed: a process that loses its parent is found no more.
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        for (ProcessHandle one : all) {
            if (signal == Signal.KILL) {
                one.destroyForcibly();
            } else {
                one.destroy();
            }
        }
    }

    @Override
    public void liveFor(Supplier<Duration> left, Duration more) {
        // Without a guard, nothing could end it.
    }

    @Override
    public boolean overdue() {
        return false;
    }

    @Override
    public void bequeath(Path file) {
        // Without a guard, nothing could remove it.
    }

    private void await() {
        int status = process.onExit().join().exitValue();
        end(status >= FIRST_SIGNAL && status <= LAST_SIGNAL ? Exit.signalled(status - 128) : Exit.exited(status));
    }
}
