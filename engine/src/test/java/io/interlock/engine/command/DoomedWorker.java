package io.interlock.engine.command;

import io.interlock.engine.handler.CommandHandler;
import io.interlock.time.Environment;
import java.util.List;

/** A process that runs a command and waits to be killed. */
final class DoomedWorker {

    private DoomedWorker() {}

    /** Runs its only argument with {@code sh -c}. */
    public static void main(String[] args) throws Exception {
        new CommandHandler(CommandSpec.of(List.of("/bin/sh", "-c", args[0])), Environment.system())
                .run(new FakeContext("{}"));
    }
}
