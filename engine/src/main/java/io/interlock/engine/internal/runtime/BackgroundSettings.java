package io.interlock.engine.internal.runtime;

import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.notify.NotifyRule;
import io.interlock.engine.schedule.ScheduledJob;
import io.interlock.run.Retention;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an engine does beside its runs.
 *
 * @param kept whether it seals and watches the audit log, counts refusals and notes its workers
 * @param retention how long history is kept
 * @param auditKey signs the audit log; {@code null} for none
 * @param schedules which jobs start by the clock
 * @param rules who is told of what
 * @param privateNetworks networks that are not public, to which notifications may go
 */
public record BackgroundSettings(
        boolean kept,
        Retention retention,
        @Nullable AuditKey auditKey,
        List<ScheduledJob> schedules,
        List<NotifyRule> rules,
        List<String> privateNetworks) {

    /** Copies the lists. */
    public BackgroundSettings {
        schedules = List.copyOf(schedules);
        rules = List.copyOf(rules);
        privateNetworks = List.copyOf(privateNetworks);
    }
}
