package io.interlock.cli.command;

import io.interlock.LockKey;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.backend.Backend.LeaseApi;
import io.interlock.cli.backend.ServerClient;
import io.interlock.cli.text.Console;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.service.Facts;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Looks whether a server answers, of which version it is, how its clock goes, and what the API key may do there. */
final class ServerCheck {

    private static final Duration TTL = Duration.ofSeconds(2);

    private final CommandContext session;
    private final ServerClient client;
    private final Backend backend;

    ServerCheck(CommandContext session, ServerClient client, Backend backend) {
        this.session = session;
        this.client = client;
        this.backend = backend;
    }

    void look(String tenant) throws InterruptedException {
        Console console = session.console();
        long before = session.environment().ticker().nanos();
        Facts caller = client.get("/session");
        Duration took = Duration.ofNanos(session.environment().ticker().nanos() - before);
        console.print("ok     server    " + client + " answers, in " + took.toMillis() + " ms");
        version(caller.shown("version"));
        console.print("ok     key       of tenant " + caller.shown("tenant") + ", role " + caller.shown("role"));
        Optional<Instant> there = caller.time("now");
        there.ifPresent(now -> ClockCheck.tell(session, now, "server"));
        backend.locks().list("interlock-doctor");
        console.print("ok     store     the server reaches it");
        rights(LockKey.of(
                tenant, "interlock-doctor/" + session.environment().random().nextLong()));
    }

    private void version(String theirs) {
        String ours = VersionCommand.version();
        if (!theirs.isEmpty() && !theirs.equals(ours)) {
            session.console().print("odd    version   the server is " + theirs + ", this is " + ours);
            session.console().print("       do this   use the command line that came with the server");
        }
    }

    private void rights(LockKey key) throws InterruptedException {
        try {
            Facts lease = backend.leases().acquire(key, TTL, Duration.ZERO);
            backend.leases()
                    .release(new LeaseApi.Proof(
                            key, lease.shown("leaseId"), lease.number("token").orElseThrow()));
            session.console().print("ok     rights    a lease was taken and given back");
        } catch (Failure refused) {
            if (refused.exitCode() == ExitCode.BUSY) {
                session.console().print("ok     rights    a lease could be taken, but: " + refused.what());
                return;
            }
            if (refused.exitCode() != ExitCode.DENIED) {
                throw refused;
            }
            session.console().print("odd    rights    this key may look, and take no leases");
            session.console()
                    .print(
                            "       do this   whoever is to run anything needs one by: interlock keys create --tenant T --role worker");
        }
    }
}
