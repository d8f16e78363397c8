package io.interlock.engine.audit;

import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.locks.runtime.Loop;
import io.interlock.log.AsideLog;
import io.interlock.run.AuditChain;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AuditLog;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Links audit records that are there for good into the chain. Every process may do it at any time: of several that add to
 * the same link one succeeds, and the others leave it to that one.
 *
 * <p>While it runs, it logs the last link once an hour as a {@link Witness}. Kept outside the store and shown to
 * {@link AuditVerifier}, that line also finds a chain that was written anew from somewhere on.
 */
public final class AuditSealer {

    public static final Duration EVERY = Duration.ofSeconds(1);

    static final int BATCH = 500;
    static final int MAX_BATCHES = 20;

    private static final Logger log = LoggerFactory.getLogger(AuditSealer.class);
    private static final Duration TELL_EVERY = Duration.ofHours(1);

    private final AuditLog audit;
    private final Consumer<List<AuditRecord>> endings;
    // Used by the one thread of the loop.
    private @Nullable Long lastTold;

    public AuditSealer(AuditLog audit) {
        this(audit, records -> {});
    }

    /**
     * Seals the records of {@code audit}.
     *
     * @param endings is given, with each page this process has sealed, what rules of the store ended. Each record is sealed once, so it is
     *     given once, whichever process found the ending: a janitor, or a request for the key that came before it
     */
    public AuditSealer(AuditLog audit, Consumer<List<AuditRecord>> endings) {
        this.audit = audit;
        this.endings = endings;
    }

    /** Seals what there is, up to some thousand records. */
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
            endings.accept(records.stream().filter(EndingsByRule::isEnding).toList());
            if (records.size() < BATCH) {
                return sealed;
            }
        }
        return sealed;
    }

    /** Seals every second, until it is closed. */
    public AutoCloseable start(Environment environment) {
        AsideLog aside = new AsideLog(environment);
        return Loop.start(environment, "audit-seal", EVERY, () -> {
            int sealed = runOnce();
            if (sealed > 0) {
                tell(environment, aside);
            }
            return sealed >= BATCH * MAX_BATCHES;
        });
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

    /** Logs the last link, so that it can be kept outside the store. */
    private void tell(Environment environment, AsideLog aside) {
        long now = environment.ticker().nanos();
        Long before = lastTold;
        if (before == null || now - before >= TELL_EVERY.toNanos()) {
            lastTold = now;
            Witness witness = Witness.of(audit.head(), null);
            aside.write(() -> log.info("the audit chain stands at witness {}", witness));
        }
    }
}
