package io.interlock.cli.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code interlock version}. */
@Command(name = "version", description = "Says which version this is.")
public final class VersionCommand implements Callable<Integer> {

    private final CommandContext session;

    /** The command. */
    public VersionCommand(CommandContext session) {
        this.session = session;
    }

    /** The version of this program. */
    static String version() {
        String version = VersionCommand.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }

    @Override
    public Integer call() {
        session.console()
                .print("interlock " + version() + " (Java " + System.getProperty("java.version") + ", "
                        + System.getProperty("os.name") + " " + System.getProperty("os.arch") + ")");
        return 0;
    }
}
