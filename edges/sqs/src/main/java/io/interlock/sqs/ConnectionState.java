package io.interlock.sqs;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether SQS answers; logs each change once. Thread-safe. */
final class ConnectionState {

    private static final Logger log = LoggerFactory.getLogger(ConnectionState.class);

    private final String queue;
    private final AtomicReference<@Nullable Boolean> up = new AtomicReference<>();

    ConnectionState(String queue) {
        this.queue = queue;
    }

    boolean isUp() {
        return Boolean.TRUE.equals(up.get());
    }

    void answered() {
        if (!Boolean.TRUE.equals(up.getAndSet(true))) {
            log.info("receiving messages of {}", queue);
        }
    }

    void away(Exception failure) {
        if (!Boolean.FALSE.equals(up.getAndSet(false))) {
            log.warn("receiving messages of {} failed; retrying: {}", queue, failure.getMessage());
        }
    }
}
