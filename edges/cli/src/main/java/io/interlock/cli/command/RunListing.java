package io.interlock.cli.command;

import io.interlock.cli.text.Table;
import io.interlock.service.Facts;

/** A command that lists runs. */
abstract class RunListing extends Listing {

    RunListing(CommandContext session) {
        super(session);
    }

    @Override
    Table table() {
        return new Table("id", "key", "job", "state", "attempt", "submitted", "ended", "stage", "reason");
    }

    @Override
    String[] row(Facts run) {
        return new String[] {
            run.shown("id"),
            run.shown("key"),
            run.shown("job"),
            run.shown("state"),
            run.shown("attempt") + "/" + run.shown("maxAttempts"),
            when(run, "submittedAt"),
            when(run, "endedAt"),
            run.shown("stage"),
            run.in("error").text("code").orElse(run.shown("reason"))
        };
    }

    @Override
    String[] spare() {
        return new String[] {"attempt", "stage", "ended", "job", "reason"};
    }
}
