package io.interlock.engine.audit;

import io.interlock.run.AuditChain;
import io.interlock.run.AuditRecord;
import io.interlock.run.Seal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Records that do not fit their links, until enough is known to say why. Only so many are compared with each other; what
 * comes after them counts as edited. Belongs to one thread.
 */
final class Mismatches {

    private static final int COMPARED = 200;

    private final List<Mismatch> known = new ArrayList<>();

    private record Mismatch(Seal before, Seal seal, AuditRecord record) {

        /** Whether what {@code other} says now was sealed here. */
        boolean held(Mismatch other) {
            AuditRecord here = other.record.at(seal.sequence());
            return AuditChain.next(before, here).equals(seal);
        }
    }

    /** One more. Those before it are told if there are too many to compare. */
    void add(Seal before, Seal seal, AuditRecord record, Consumer<AuditFinding> findings) {
        known.add(new Mismatch(before, seal, record));
        if (known.size() >= COMPARED) {
            tell(findings);
        }
    }

    /** Not a record but the link itself is wrong. */
    void forgetLast() {
        if (!known.isEmpty()) {
            known.remove(known.size() - 1);
        }
    }

    /** Tells what is known by now, and forgets it. */
    void tell(Consumer<AuditFinding> findings) {
        for (Mismatch mismatch : known) {
            findings.accept(known.stream()
                    .filter(other -> !other.equals(mismatch) && mismatch.held(other))
                    .findFirst()
                    .<AuditFinding>map(other -> new AuditFinding.Moved(
                            mismatch.seal.position(), mismatch.seal.sequence(), other.record.sequence()))
                    .orElseGet(() -> new AuditFinding.Edited(mismatch.seal.position(), mismatch.seal.sequence())));
        }
        known.clear();
    }
}
