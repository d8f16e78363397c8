package io.interlock.cli.command;

import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.backend.BareLeases;
import io.interlock.cli.backend.StoreBackend;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.client.InterlockClient;
import io.interlock.client.ServerConnection;
import io.interlock.engine.Jobs;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseClient;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.run.Retention;
import io.interlock.service.Facts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;

/** {@code interlock doctor}. */
@Command(
        description = "Checks the setup and suggests fixes. Exit code 1 if something is wrong.",
        footer = {"", "Example:", "  interlock doctor --server https://locks.example --api-key-file key"})
public final class DoctorCommand extends CliCommand.Targeted {

    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration TOLERATED_SKEW = Duration.ofSeconds(5);

    private boolean well = true;
    private String place = "server";

    @Override
    public Integer call() throws InterruptedException {
        ok("version", "interlock " + version() + " on Java " + System.getProperty("java.version"));
        checkMachine();
        try {
            if (target().isServer(session())) {
                checkServer();
            } else {
                place = "store";
                checkStore(target().place(session()));
            }
        } catch (InterlockException thrown) {
            Failure failure = Failure.of(thrown);
            boolean key = place.equals("server") && failure.exitCode() == ExitCode.DENIED;
            wrong(key ? "key" : place, failure.what(), failure.nextStep().orElse(""));
        }
        return well ? ExitCode.OK : ExitCode.FAILED;
    }

    private void ok(String subject, String text) {
        print("ok", subject, text);
    }

    private void odd(String subject, String text, String next) {
        print("odd", subject, text);
        print("", "do this", next);
    }

    private void wrong(String subject, String text, String next) {
        well = false;
        print("WRONG", subject, text);
        if (!next.isEmpty()) {
            print("", "do this", next);
        }
    }

    private void print(String verdict, String subject, String text) {
        console().print(String.format("%-6s %-9s %s", verdict, subject, text));
    }

    /** Whether this machine has what {@code run} needs. */
    private void checkMachine() {
        String path = session().variables().getOrDefault("PATH", "/usr/bin:/bin");
        for (String tool : List.of("sh", "setsid")) {
            if (Arrays.stream(path.split(":", -1))
                    .noneMatch(folder -> Files.isExecutable(Path.of(folder.isEmpty() ? "." : folder, tool)))) {
                wrong(
                        "machine",
                        "there is no '" + tool + "'; a kill -9 of interlock run leaves the command running",
                        "install util-linux");
            }
        }
        Path temporary = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
        if (!Files.isWritable(temporary)) {
            wrong(
                    "machine",
                    temporary + " is not writable, and run keeps a file there",
                    "set TMPDIR or XDG_RUNTIME_DIR to a writable folder");
        }
        if (well) {
            ok("machine", "processes can be guarded, and files kept");
        }
    }

    private void checkClock(Instant there, String owner) {
        Duration skew = Duration.between(there, session().environment().clock().instant())
                .abs();
        if (skew.compareTo(TOLERATED_SKEW) <= 0) {
            ok("clock", skew.toMillis() + " ms apart from the " + owner + "'s");
        } else {
            odd(
                    "clock",
                    DurationText.format(skew) + " apart from the " + owner + "'s",
                    "nothing for leases, they go by the store's clock; for people, check NTP");
        }
    }

    private LockKey sampleKey() {
        return target().key(
                        "interlock-doctor/" + session().environment().random().nextLong());
    }

    private Duration since(long before) {
        return Duration.ofNanos(session().environment().ticker().nanos() - before);
    }

    private void checkServer() throws InterruptedException {
        try (InterlockClient remote = target().client(session(), Jobs.of());
                Backend backend = target().open(session(), Jobs.of(), Retention.DEFAULT)) {
            ServerConnection client = remote.connection();
            long before = session().environment().ticker().nanos();
            Facts caller = client.get("/session");
            ok("server", client + " answers, in " + since(before).toMillis() + " ms");
            String theirs = caller.shown("version");
            if (!theirs.isEmpty() && !theirs.equals(version())) {
                odd(
                        "version",
                        "the server is " + theirs + ", this is " + version(),
                        "use the command line that came with the server");
            }
            ok("key", "of tenant " + caller.shown("tenant") + ", role " + caller.shown("role"));
            caller.time("now").ifPresent(now -> checkClock(now, "server"));
            backend.requests().get("/locks", "key", "interlock-doctor", "limit", "1");
            ok("store", "the server reaches it");
            checkRights(backend.leases());
        }
    }

    private void checkRights(BareLeases leases) throws InterruptedException {
        LockKey key = sampleKey();
        try {
            Facts lease = leases.acquire(key, TTL, Duration.ZERO);
            leases.release(new BareLeases.Proof(
                    key, lease.shown("leaseId"), lease.number("token").orElseThrow()));
            ok("rights", "a lease was taken and given back");
        } catch (InterlockException thrown) {
            Failure refused = Failure.of(thrown);
            if (refused.exitCode() == ExitCode.BUSY) {
                ok("rights", "a lease could be taken, but: " + refused.what());
            } else if (refused.exitCode() == ExitCode.DENIED) {
                odd(
                        "rights",
                        "this key may look, and take no leases",
                        "to run anything, use a key made by: interlock keys create --tenant T --role worker");
            } else {
                throw thrown;
            }
        }
    }

    private void checkStore(StoreBackend.Target place) {
        long before = session().environment().ticker().nanos();
        // Opening checks settings, rights and tables, and throws with what to do.
        try (LeaseClient client = LeaseClient.open(place.url(), session().environment());
                Locks locks = client.locks().drainTime(Duration.ZERO).build()) {
            StoreCapabilities store = locks.capabilities();
            ok(
                    "store",
                    store.store() + ": reach " + store.reach() + ", longest lease "
                            + DurationText.format(store.maxLease())
                            + (store.wakeUps() ? "" : ", no wake-ups: waiters poll")
                            + (store.writeEvery().isZero()
                                    ? ""
                                    : ", renewals at least " + DurationText.format(store.writeEvery()) + " apart"));
            ok("schema", "of this version");
            Optional<LeaseRecord> seen;
            try (Lease lease = locks.tryAcquire(
                            sampleKey(), LeaseOptions.defaults().ttl(TTL))
                    .orElseThrow()) {
                seen = locks.find(lease.key());
            }
            ok("rights", "a lease was taken and given back, " + since(before).toMillis() + " ms in all");
            seen.ifPresent(lease -> checkClock(lease.observedAt(), "store"));
        }
        if (place.url().startsWith("sqlite:")) {
            checkFile(Path.of(place.url().substring("sqlite:".length()).replaceFirst("\\?.*$", "")));
        }
    }

    private void checkFile(Path file) {
        try {
            if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE)) {
                wrong("files", "every user of this machine can write to " + file, "chmod o-w " + file);
            }
        } catch (IOException | UnsupportedOperationException unknown) {
            print("odd", "files", "the permissions of " + file + " cannot be read");
        }
    }
}
