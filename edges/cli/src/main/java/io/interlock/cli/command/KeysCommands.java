package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.command.CliCommand.Answering;
import io.interlock.cli.command.CliCommand.Confirmation;
import io.interlock.cli.command.CliCommand.Listing;
import io.interlock.cli.command.CliCommand.Verb;
import io.interlock.cli.command.OptionValues.Durations;
import io.interlock.cli.text.Table;
import io.interlock.service.Facts;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code interlock keys …}: API keys of a server. */
public final class KeysCommands {

    private KeysCommands() {}

    @Command(
            description = "Makes an API key and prints it once.",
            footer = {"", "Example:", "  interlock keys create --tenant acme --role worker --label worker-3 >key"})
    public static final class Create extends Answering {

        @Option(
                names = "--role",
                required = true,
                paramLabel = "R",
                completionCandidates = OptionValues.Role.class,
                description = "read, trigger, worker, operator or admin")
        private String role = "";

        @Option(names = "--label", paramLabel = "TEXT", description = "Its owner (default: command line)")
        private String label = "command line";

        @Option(
                names = "--expires-in",
                paramLabel = "DURATION",
                description = "How long it is valid (default: until revoked)")
        private @Nullable String lifetime;

        @Override
        int carryOut(Backend backend) {
            Facts key = backend.requests()
                    .post(
                            "/keys",
                            Facts.with("role", new OptionValues.Role().choose("--role", role))
                                    .and("label", label)
                                    .and("expiresIn", Durations.optional("--expires-in", lifetime)));
            if (json()) {
                answer(key);
            } else {
                console().print(key.shown("apiKey"));
            }
            return 0;
        }
    }

    @Command(
            description = "Lists the API keys of a tenant, without their secrets.",
            footer = {"", "Example:", "  interlock keys ls --tenant acme"})
    public static final class Ls extends Listing {

        @Override
        List<Facts> items(Backend backend) {
            return backend.requests().items(Integer.MAX_VALUE, "/keys");
        }

        @Override
        Table columns() {
            return new Table()
                    .of("id", "role", "label")
                    .of("active", key -> key.is("active") ? "yes" : "no")
                    .of("created", when("createdAt"))
                    .of("expires", when("expiresAt"))
                    .of("revoked", when("revokedAt"))
                    .sparing("revoked", "created", "label");
        }

        @Override
        String none() {
            return "there are no API keys; interlock keys create --role worker makes one";
        }
    }

    @Command(
            description = "Revokes an API key; it is refused everywhere within seconds.",
            footer = {"", "Example:", "  interlock keys revoke 7Kd92mPq --reason \"worker-3 is gone\""})
    public static final class Revoke extends Verb {

        @Parameters(paramLabel = "ID", description = "The id of the key")
        private String id = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the audit log")
        private String reason = "revoked by hand";

        @Mixin
        private Confirmation confirmation = new Confirmation();

        @Override
        int carryOut(Backend backend) {
            confirmation.require(console(), "Revoke the API key " + id + "?");
            backend.requests().delete("/keys", "id", id, "reason", reason);
            console().say("revoked " + id);
            return 0;
        }
    }
}
