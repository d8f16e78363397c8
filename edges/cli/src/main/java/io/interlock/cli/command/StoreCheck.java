package io.interlock.cli.command;

import io.interlock.DurationText;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.cli.backend.StoreBackend;
import io.interlock.cli.text.Console;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseClient;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Optional;

/** Looks whether a store can be reached and written, whether its tables are of this version, and how its clock goes. */
final class StoreCheck {

    private final CommandContext session;
    private final StoreBackend.Target place;

    StoreCheck(CommandContext session, StoreBackend.Target place) {
        this.session = session;
        this.place = place;
    }

    boolean look() {
        Console console = session.console();
        long before = session.environment().ticker().nanos();
        // Opening looks at settings, rights and tables, and throws with what to do.
        try (LeaseClient client = LeaseClient.open(place.url(), session.environment());
                Locks locks = client.locks().drainTime(Duration.ZERO).build()) {
            StoreCapabilities store = locks.capabilities();
            console.print("ok     store     " + store.store() + ": reach " + store.reach() + ", longest lease "
                    + DurationText.format(store.maxLease()));
            console.print("ok     schema    of this version");
            LockKey key = LockKey.of(
                    place.tenant(),
                    "interlock-doctor/" + session.environment().random().nextLong());
            Optional<LeaseRecord> seen;
            try (Lease lease = locks.tryAcquire(key, LeaseOptions.defaults().ttl(Duration.ofSeconds(2)))
                    .orElseThrow()) {
                seen = locks.find(lease.key());
            }
            Duration took = Duration.ofNanos(session.environment().ticker().nanos() - before);
            console.print("ok     rights    a lease was taken and given back, " + took.toMillis() + " ms in all");
            seen.ifPresent(lease -> ClockCheck.tell(session, lease.observedAt(), "store"));
            return permissions();
        }
    }

    private boolean permissions() {
        if (!place.url().startsWith("sqlite:")) {
            return true;
        }
        Path file = Path.of(place.url().substring("sqlite:".length()).replaceFirst("\\?.*$", ""));
        try {
            if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE)) {
                session.console().print("WRONG  files     everybody on this machine can write to " + file);
                session.console().print("       do this   chmod o-w " + file);
                return false;
            }
        } catch (IOException | UnsupportedOperationException unknown) {
            session.console().print("odd    files     the rights of " + file + " cannot be seen");
        }
        return true;
    }
}
