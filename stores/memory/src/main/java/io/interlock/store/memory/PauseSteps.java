package io.interlock.store.memory;

import io.interlock.Actor;
import io.interlock.LockKey;
import io.interlock.run.AuditRecord;
import io.interlock.run.Pause;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResumeRequest;
import java.time.Instant;
import java.util.Optional;

/** Pauses and resumes keys. */
final class PauseSteps {

    private final RunTable table;

    PauseSteps(RunTable table) {
        this.table = table;
    }

    Pause pause(PauseRequest request) {
        return table.changePauses(rows -> {
            Instant now = table.now();
            Pause pause = new Pause(
                    request.tenant(),
                    request.pattern(),
                    request.actor().name(),
                    request.reason(),
                    now,
                    request.time() == null ? null : now.plus(request.time()));
            rows.pauses.begin(pause);
            rows.audit.append(noted(pause, "paused", request.actor(), request.reason(), now));
            return pause;
        });
    }

    /** Ends a pause. At most a page of its keys is settled before this returns. */
    boolean resume(ResumeRequest request) {
        Optional<Pause> pause = table.changePauses(rows -> {
            Instant now = table.now();
            Optional<Pause> over = rows.pauses.end(request.tenant(), request.pattern(), now);
            over.ifPresent(ended -> rows.audit.append(noted(ended, "resumed", request.actor(), request.reason(), now)));
            return over;
        });
        pause.ifPresent(over -> {
            table.settleAfter(over);
            table.wakeWorkers(over.tenant());
        });
        return pause.isPresent();
    }

    private static AuditRecord noted(Pause pause, String action, Actor actor, String reason, Instant now) {
        LockKey keys = LockKey.of(pause.tenant(), pause.pattern());
        return AuditRecord.of(now, keys, actor, action, "", "", reason);
    }
}
