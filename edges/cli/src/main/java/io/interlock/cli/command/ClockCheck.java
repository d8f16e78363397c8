package io.interlock.cli.command;

import io.interlock.DurationText;
import java.time.Duration;
import java.time.Instant;

/** Says how far this machine's clock is from the one that counts. */
final class ClockCheck {

    private static final Duration TOLERATED = Duration.ofSeconds(5);

    private ClockCheck() {}

    static void tell(CommandContext session, Instant there, String whose) {
        Duration skew =
                Duration.between(there, session.environment().clock().instant()).abs();
        if (skew.compareTo(TOLERATED) <= 0) {
            session.console().print("ok     clock     " + skew.toMillis() + " ms apart from the " + whose + "'s");
            return;
        }
        session.console().print("odd    clock     " + DurationText.format(skew) + " apart from the " + whose + "'s");
        session.console()
                .print("       do this   nothing for leases, they go by the store's clock; for people, see to NTP");
    }
}
