package io.interlock.sqs;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether SQS answers; says so once each time that changes. Safe for use by many threads. */
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
            log.info("messages of {} are started as runs", queue);
        }
    }

    void away(Exception failure) {
        if (!Boolean.FALSE.equals(up.getAndSet(false))) {
            log.warn("nothing comes from {} for now, and it is tried again and again: {}", queue, failure.getMessage());
        }
    }
}
