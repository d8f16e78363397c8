package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.command.CliCommand.Answering;
import io.interlock.service.Facts;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code interlock resources …}. */
public final class ResourcesCommands {

    private ResourcesCommands() {}

    @Command(
            description = "Shows the state of the resource a key stands for.",
            footer = {"", "Example:", "  interlock resources show cluster/prod1"})
    public static final class Show extends Answering {

        @Parameters(paramLabel = "KEY", description = "The key")
        private String key = "";

        @Override
        int carryOut(Backend backend) {
            answer(backend.requests().get("/resources", "key", target().key(key).name()));
            return 0;
        }
    }

    @Command(
            description =
                    "Sets the state of a resource, to adopt one that is there already or to mend one. Only while its"
                            + " key is free.",
            footer = {"", "Example:", "  interlock resources set cluster/prod1 READY --reason \"checked by hand\""})
    public static final class Set extends Answering {

        @Parameters(index = "0", paramLabel = "KEY", description = "The key")
        private String key = "";

        @Parameters(index = "1", paramLabel = "STATE", description = "The state, as a job's transition names it")
        private String state = "";

        @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why, for the audit log")
        private String reason = "";

        @Option(
                names = "--kind",
                paramLabel = "NAME",
                description = "What kind of resource it is (default: as before, else what the key begins with)")
        private @Nullable String kind;

        @Override
        int carryOut(Backend backend) {
            answer(backend.requests()
                    .put(
                            "/resources",
                            Facts.with("key", target().key(key).name())
                                    .and("state", state)
                                    .and("kind", kind)
                                    .and("reason", reason)));
            return 0;
        }
    }
}
