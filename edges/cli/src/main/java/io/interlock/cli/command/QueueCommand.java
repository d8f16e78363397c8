package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.text.Table;
import io.interlock.service.Facts;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code interlock queue ls [KEY]}. */
@Command(
        name = "ls",
        description = "Lists who waits in line, in the order of their turns.",
        footer = {"", "Example:", "  interlock queue ls ledger/4711"})
public final class QueueCommand extends Listing {

    @Parameters(arity = "0..1", paramLabel = "KEY", description = "For which key (default: for any)")
    private @Nullable String key;

    /** The command. */
    public QueueCommand(CommandContext session) {
        super(session);
    }

    @Override
    List<Facts> items(Backend backend) {
        return backend.runs().queue(key);
    }

    @Override
    Table table() {
        return new Table("key", "place", "id", "job", "priority", "submitted", "reason");
    }

    @Override
    String[] row(Facts run) {
        return new String[] {
            run.shown("key"),
            run.shown("position"),
            run.shown("id"),
            run.shown("job"),
            run.shown("priority"),
            when(run, "submittedAt"),
            run.shown("reason")
        };
    }

    @Override
    String[] spare() {
        return new String[] {"priority", "reason", "job"};
    }

    @Override
    String none() {
        return key == null ? "nobody waits in line" : "nobody waits for " + key;
    }
}
