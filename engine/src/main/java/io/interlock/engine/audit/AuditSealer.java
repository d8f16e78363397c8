package io.interlock.engine.audit;

import io.interlock.RunState;
import io.interlock.engine.schedule.internal.Loop;
import io.interlock.run.AuditChain;
import io.interlock.run.AuditRecord;
import io.interlock.run.Seal;
import io.interlock.spi.run.AuditLog;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Links audit records that are there for good into the chain. Every process may do it at any time: of several that add to
 * the same link one succeeds, and the others leave it to that one.
 *
 * <p>While it runs, it logs the last link once an hour. Whoever keeps that line outside the store can show it to
 * {@link AuditVerifier}, and so also finds out about a chain that was written anew from somewhere on.
 */
public final class AuditSealer {

    /** How often a process looks for records to seal. */
    public static final Duration EVERY = Duration.ofSeconds(1);

    static final int BATCH = 500;
    static final int MAX_BATCHES = 20;

    private static final Logger log = LoggerFactory.getLogger(AuditSealer.class);
    private static final Duration TELL_EVERY = Duration.ofHours(1);

    private final AuditLog audit;

    /** Seals the records of {@code audit}. */
    public AuditSealer(AuditLog audit) {
        this.audit = audit;
    }

    /**
     * Seals what there is, up to some thousand records.
     *
     * @return how many were sealed by this call
     */
    public int runOnce() {
        int sealed = 0;
        for (int batch = 0; batch < MAX_BATCHES; batch++) {
            // The head first. Records read before it could have been sealed in between, and would be sealed twice.
            Seal head = audit.head();
            List<AuditRecord> records = audit.unsealed(BATCH);
            if (records.isEmpty() || !audit.seal(head, links(head, records))) {
                return sealed;
            }
            sealed += records.size();
            records.stream().filter(AuditSealer::isLoss).forEach(AuditSealer::tell);
            if (records.size() < BATCH) {
                return sealed;
            }
        }
        return sealed;
    }

    /** Seals every second, until it is closed. */
    public AutoCloseable start(Environment environment) {
        Teller teller = new Teller(environment);
        return Loop.start(environment, "audit-seal", EVERY, () -> {
            int sealed = runOnce();
            if (sealed > 0) {
                teller.tell();
            }
            return sealed >= BATCH * MAX_BATCHES;
        });
    }

    /** Whether an attempt was ended by a rule of the store and not by anybody: its worker is gone, or does not come to an end. */
    private static boolean isLoss(AuditRecord record) {
        return record.action().equals("run")
                && record.before().equals(RunState.RUNNING.name())
                && record.actor().equals(AuditRecord.RULES);
    }

    /** Each record is sealed once, whichever process sees the loss: a janitor, or whoever asks for the key before it comes. */
    private static void tell(AuditRecord record) {
        log.atWarn()
                .addKeyValue("tenant", record.key().tenant())
                .addKeyValue("key", record.key().name())
                .addKeyValue("run", record.run())
                .addKeyValue("token", record.token())
                .addKeyValue("state", record.after())
                .addKeyValue("why", record.reason())
                .log("an attempt ended without a word of its worker");
    }

    private static List<Seal> links(Seal head, List<AuditRecord> records) {
        List<Seal> links = new ArrayList<>(records.size());
        Seal last = head;
        for (AuditRecord record : records) {
            last = AuditChain.next(last, record);
            links.add(last);
        }
        return links;
    }

    /** Writes the last link where somebody may keep it. */
    private final class Teller {

        private final Environment environment;
        private long lastTold;

        Teller(Environment environment) {
            this.environment = environment;
            lastTold = environment.ticker().nanos() - TELL_EVERY.toNanos();
        }

        void tell() {
            long now = environment.ticker().nanos();
            if (now - lastTold >= TELL_EVERY.toNanos()) {
                lastTold = now;
                Seal head = audit.head();
                log.info("the audit chain stands at position {} with hash {}", head.position(), head.hash());
            }
        }
    }
}
