package io.interlock.cli.command;

import io.interlock.TimeText;
import io.interlock.cli.backend.StoreBackend;
import io.interlock.cli.command.CliCommand.Confirmation;
import io.interlock.cli.text.Times;
import io.interlock.locks.LeaseClient;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code interlock store …}. */
public final class StoreCommands {

    private StoreCommands() {}

    @Command(
            description =
                    "Brings the tables of a store up to this version. Opening a store does that, too, unless its URL"
                            + " forbids it.",
            footer = {"", "Example:", "  interlock store migrate --store 'postgresql://il@db/locks?sslmode=require'"})
    public static final class Migrate extends CliCommand.Targeted {

        @Override
        public Integer call() {
            LeaseClient.open(target().placeAlone(session()).url(), session().environment())
                    .close();
            console().say("the store is up to date");
            return 0;
        }
    }

    @Command(
            description =
                    "After a backup was restored: makes all tokens greater than any before, and grants nothing until"
                            + " every lease given out before must be over.",
            footer = {"", "Example:", "  interlock store bump-epoch --store sqlite:il.db --reason \"restored a backup\""
            })
    public static final class BumpEpoch extends CliCommand.Targeted {

        @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why, for the log")
        private String reason = "";

        @Mixin
        private Confirmation confirmation = new Confirmation();

        @Override
        public Integer call() {
            StoreBackend.Target place = target().placeAlone(session());
            confirmation.require(console(), "Start a new epoch? Nothing is granted until old leases must be over.");
            try (LeaseClient client = LeaseClient.open(place.url(), session().environment())) {
                Instant opens = client.bumpEpoch(reason);
                console().print(TimeText.format(opens));
                console().say("a new epoch has begun; nothing is granted before " + Times.second(opens));
            }
            return 0;
        }
    }
}
