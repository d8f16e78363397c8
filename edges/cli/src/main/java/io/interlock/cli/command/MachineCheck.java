package io.interlock.cli.command;

import java.nio.file.Files;
import java.nio.file.Path;

/** Looks whether this machine has what {@code run} needs. */
final class MachineCheck {

    private MachineCheck() {}

    static boolean look(CommandContext session) {
        boolean well = true;
        for (String tool : new String[] {"sh", "setsid"}) {
            boolean found = false;
            for (String folder :
                    session.variables().getOrDefault("PATH", "/usr/bin:/bin").split(":", -1)) {
                found |= Files.isExecutable(Path.of(folder.isEmpty() ? "." : folder, tool));
            }
            if (!found) {
                session.console()
                        .print("WRONG  machine   there is no '" + tool
                                + "'; a kill -9 of interlock run leaves the command");
                session.console().print("       do this   install util-linux");
                well = false;
            }
        }
        Path temporary = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
        if (!Files.isWritable(temporary)) {
            session.console()
                    .print("WRONG  machine   " + temporary + " cannot be written to, and run keeps a file there");
            session.console().print("       do this   set TMPDIR or XDG_RUNTIME_DIR to a folder that can");
            well = false;
        }
        if (well) {
            session.console().print("ok     machine   processes can be guarded, and files kept");
        }
        return well;
    }
}
