package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.backend.Backend.RunApi.Order;
import io.interlock.cli.command.CliCommand.Answering;
import io.interlock.cli.command.CliCommand.Confirmation;
import io.interlock.cli.command.CliCommand.RunListing;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.client.ProblemException;
import io.interlock.service.Facts;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code interlock dead …}: runs whose attempts are used up. */
public final class DeadCommands {

    private DeadCommands() {}

    @Command(
            description = "Lists dead letters: runs whose attempts are used up and that are not settled.",
            footer = {"", "Example:", "  interlock dead ls --job close"})
    public static final class Ls extends RunListing {

        @Option(names = "--job", paramLabel = "JOB", description = "Only of this job")
        private @Nullable String job;

        @Override
        List<Facts> items(Backend backend) {
            return backend.runs().dead(job, most());
        }

        @Override
        String none() {
            return job == null ? "there are no dead letters" : "there are no dead letters of job " + job;
        }
    }

    @Command(
            description = "Submits dead letters again, as new runs with all their attempts.",
            footer = {"", "Example:", "  interlock dead redrive 019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10 --reason repaired"
            })
    public static final class Redrive extends Several {

        public Redrive() {
            super(Order.REDRIVE);
        }
    }

    @Command(
            description = "Discards dead letters.",
            footer = {"", "Example:", "  interlock dead discard 019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10 --yes"})
    public static final class Discard extends Several {

        @Mixin
        private Confirmation confirmation = new Confirmation();

        public Discard() {
            super(Order.DISCARD);
        }

        @Override
        void confirm(int letters) {
            confirmation.require(
                    console(), "Discard " + (letters == 1 ? "the dead letter" : letters + " dead letters") + "?");
        }
    }

    /** Does the same with several, and says of each what came of it. */
    abstract static class Several extends Answering {

        @Parameters(arity = "1..*", paramLabel = "ID", description = "The runs")
        private List<String> ids = List.of();

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the audit log")
        private String reason = "settled by hand";

        private final Order order;

        Several(Order order) {
            this.order = order;
        }

        void confirm(int letters) {}

        @Override
        final int carryOut(Backend backend) {
            confirm(ids.size());
            int failed = 0;
            for (String id : ids) {
                try {
                    answer(backend.runs().order(order, id, reason), "id", "state");
                } catch (Failure | ProblemException failure) {
                    failed++;
                    console().say(String.valueOf(failure.getMessage()));
                }
            }
            if (ids.size() > 1) {
                console().say((ids.size() - failed) + " done, " + failed + " failed (of " + ids.size() + ")");
            }
            return failed == 0 ? ExitCode.OK : ExitCode.FAILED;
        }
    }
}
