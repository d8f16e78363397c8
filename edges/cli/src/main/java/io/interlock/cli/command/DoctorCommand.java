package io.interlock.cli.command;

import io.interlock.InterlockException;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.backend.StoreBackend;
import io.interlock.cli.text.Console;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.engine.Jobs;
import io.interlock.run.Retention;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code interlock doctor}. */
@Command(
        name = "doctor",
        description =
                "Looks whether everything is as it should be, and says what to do about what is not. Exit code 1 if something"
                        + " is wrong.",
        footer = {"", "Example:", "  interlock doctor --server https://locks.example --api-key-file key"})
public final class DoctorCommand implements Callable<Integer> {

    private final CommandContext session;

    @Mixin
    private TargetOptions target = new TargetOptions();

    /** The command. */
    public DoctorCommand(CommandContext session) {
        this.session = session;
    }

    @Override
    public Integer call() throws InterruptedException {
        Console console = session.console();
        console.print("ok     version   interlock " + VersionCommand.version() + " on Java "
                + System.getProperty("java.version"));
        boolean well = MachineCheck.look(session);
        try {
            if (target.isServer(session)) {
                try (Backend backend = target.open(session, Jobs.of(), Retention.DEFAULT)) {
                    new ServerCheck(session, target.client(session), backend).look(target.tenant());
                }
            } else {
                StoreBackend.Target place = target.place(session);
                well &= new StoreCheck(session, place).look();
            }
        } catch (Failure failure) {
            console.print(
                    "WRONG  " + (failure.exitCode() == ExitCode.DENIED ? "key       " : "server    ") + failure.what());
            failure.nextStep().ifPresent(next -> console.print("       do this   " + next));
            well = false;
        } catch (InterlockException failure) {
            // Messages of Interlock end with what to do.
            String message = String.valueOf(failure.getMessage());
            int next = message.lastIndexOf("; ");
            console.print("WRONG  store     " + (next < 0 ? message : message.substring(0, next)));
            if (next >= 0) {
                console.print("       do this   " + message.substring(next + 2));
            }
            well = false;
        }
        return well ? ExitCode.OK : ExitCode.FAILED;
    }
}
