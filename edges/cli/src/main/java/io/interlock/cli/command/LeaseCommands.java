package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.backend.BareLeases.Proof;
import io.interlock.cli.command.CliCommand.CommandContext;
import io.interlock.cli.command.CliCommand.Verb;
import io.interlock.cli.command.OptionValues.Durations;
import io.interlock.cli.text.Failure;
import io.interlock.client.Json;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code interlock acquire}, {@code renew} and {@code release}: for scripts that cannot wrap a command. */
public final class LeaseCommands {

    private static final Duration SHORTEST = Duration.ofSeconds(2);

    private LeaseCommands() {}

    @Command(
            description = "Takes a lease and prints it as JSON; you must renew it yourself.",
            footer = {
                "",
                "Example:",
                "  lease=$(interlock acquire ledger/4711 --ttl 5m) || exit",
                "  export INTERLOCK_LEASE_ID=$(echo \"$lease\" | jq -r .leaseId)",
                "  interlock release ledger/4711 --token $(echo \"$lease\" | jq .token)"
            })
    public static final class Acquire extends Verb {

        @Parameters(paramLabel = "KEY", description = "The key")
        private String key = "";

        @Option(
                names = "--ttl",
                paramLabel = "DURATION",
                description = "How long it lives unless renewed (default: 30s)")
        private String ttl = "30s";

        @Option(
                names = {"-w", "--wait"},
                paramLabel = "DURATION",
                description = "Wait at most this long (default: 0s)")
        private String wait = "0s";

        @Override
        int carryOut(Backend backend) throws InterruptedException {
            console()
                    .print(Json.line(backend.leases()
                            .acquire(
                                    target().key(key),
                                    Durations.parse("--ttl", ttl, SHORTEST),
                                    Durations.parse("--wait", wait, Duration.ZERO))));
            return 0;
        }
    }

    @Command(
            description = "Extends a lease. Exit code 121 if it is lost: then stop.",
            footer = {"", "Example:", "  interlock renew ledger/4711 --token 4182 --ttl 5m || exit"})
    public static final class Renew extends Verb {

        @Mixin
        private ProofOptions proof = new ProofOptions();

        @Option(names = "--ttl", paramLabel = "DURATION", description = "How long from now (default: 30s)")
        private String ttl = "30s";

        @Override
        int carryOut(Backend backend) {
            Proof known = proof.of(target(), session());
            console().print(Json.line(backend.leases().renew(known, Durations.parse("--ttl", ttl, SHORTEST))));
            return 0;
        }
    }

    @Command(
            description = "Gives a lease back; may be repeated.",
            footer = {"", "Example:", "  interlock release ledger/4711 --token 4182"})
    public static final class Release extends Verb {

        @Mixin
        private ProofOptions proof = new ProofOptions();

        @Override
        int carryOut(Backend backend) {
            backend.leases().release(proof.of(target(), session()));
            return 0;
        }
    }

    /** What proves a lease. Its id is a secret, so it comes by the environment: every user who lists processes sees options. */
    static final class ProofOptions {

        private static final String VARIABLE = "INTERLOCK_LEASE_ID";

        @Parameters(paramLabel = "KEY", description = "The key; the lease id is read from $" + VARIABLE)
        private String key = "";

        @Option(names = "--token", required = true, paramLabel = "N", description = "The token the lease came with")
        private long token;

        Proof of(TargetOptions target, CommandContext session) {
            String id = session.variables().getOrDefault(VARIABLE, "");
            if (id.isEmpty()) {
                throw Failure.usage(VARIABLE + " is not set", "set it to the leaseId that interlock acquire printed");
            }
            return new Proof(target.key(key), id, token);
        }
    }
}
