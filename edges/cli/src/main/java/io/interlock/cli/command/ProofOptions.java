package io.interlock.cli.command;

import io.interlock.cli.backend.Backend.LeaseApi;
import io.interlock.cli.text.Failure;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What proves a lease. Its id is a secret, so it comes by the environment: options can be seen by whoever lists processes. */
final class ProofOptions {

    private static final String VARIABLE = "INTERLOCK_LEASE_ID";

    @Parameters(paramLabel = "KEY", description = "The key; the lease id is read from $" + VARIABLE)
    private String key = "";

    @Option(names = "--token", required = true, paramLabel = "N", description = "The token the lease came with")
    private long token;

    LeaseApi.Proof of(TargetOptions target, CommandContext session) {
        String id = session.variables().getOrDefault(VARIABLE, "");
        if (id.isEmpty()) {
            throw Failure.usage(VARIABLE + " is not set", "set it to the leaseId that interlock acquire printed");
        }
        return new LeaseApi.Proof(target.key(key), id, token);
    }
}
