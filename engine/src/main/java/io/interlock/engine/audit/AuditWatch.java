package io.interlock.engine.audit;

import io.interlock.engine.schedule.internal.Loop;
import io.interlock.spi.run.AuditLog;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the audit log all the time: first at what there is, spread over minutes, then at what comes. What it finds is
 * logged and told; runs that have one key at a time are stopped. Any number of processes may do it.
 *
 * <p>{@link #runOnce()} belongs to one thread at a time.
 */
public final class AuditWatch {

    /** How often a process looks. */
    public static final Duration EVERY = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(AuditWatch.class);
    private static final int PAGES = 20;
    private static final int LOGGED = 10;

    private final AuditLog audit;
    private final OverlapResponse response;
    private final Consumer<AuditReport> alarm;
    private @Nullable AuditCheck check;
    private @Nullable AuditReport unanswered;

    /**
     * Watches {@code audit}.
     *
     * @param alarm is told of every report with findings, after the response to them
     */
    public AuditWatch(AuditLog audit, OverlapResponse response, Consumer<AuditReport> alarm) {
        this.audit = audit;
        this.response = response;
        this.alarm = alarm;
    }

    /** Looks at some thousand records that it has not looked at yet. */
    public synchronized AuditReport runOnce() {
        if (unanswered != null) {
            answer(unanswered);
        }
        if (check == null) {
            check = new AuditCheck(audit, AuditVerifier.Outside.NOTHING);
        }
        check.advance(PAGES);
        AuditReport report = check.report();
        answer(report);
        return report;
    }

    // A store that is away now must not make a finding unheard of: it is answered in a later round.
    private void answer(AuditReport report) {
        unanswered = report;
        if (!report.isClean()) {
            report.overlaps().forEach(response::respond);
            report.findings().stream().limit(LOGGED).forEach(finding -> log.error("audit log: {}", finding.sentence()));
            log.error("audit log: {}; verify it as a whole, and ask who can write to the store", report.sentence());
            alarm.accept(report);
        }
        unanswered = null;
    }

    /** Looks again and again, until it is closed. */
    public AutoCloseable start(Environment environment) {
        return Loop.start(environment, "audit-watch", EVERY, () -> {
            runOnce();
            return false;
        });
    }
}
