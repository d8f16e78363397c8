package io.interlock.run;

import io.interlock.LeaseRecord;
import io.interlock.LossCause;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answer of a store to a heartbeat. */
public sealed interface HeartbeatAnswer {

    /**
     * The lease is renewed.
     *
     * @param stop a stop request, or {@code null}
     */
    record Beating(LeaseRecord lease, @Nullable StopRequest stop) implements HeartbeatAnswer {

        /** The stop request, if there is one. */
        public Optional<StopRequest> stopRequest() {
            return Optional.ofNullable(stop);
        }
    }

    /**
     * The lease is not renewed, and nothing was changed. The work must stop.
     *
     * @param current the lease the store has for the key now, or {@code null}
     */
    record Lost(LossCause cause, @Nullable LeaseRecord current) implements HeartbeatAnswer {

        /** The lease the store has for the key now. */
        public Optional<LeaseRecord> successor() {
            return Optional.ofNullable(current);
        }
    }
}
