package io.interlock.engine.audit;

import io.interlock.BoundedMap;
import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.audit.AuditFinding.Grant;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.run.AuditChain;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AuditLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the audit log was changed since it was sealed, and whether two runs ever had one key at a time. It looks
 * at the whole log from the oldest record that was not forgotten, a page at a time; anything else may go on meanwhile. It
 * changes nothing.
 *
 * <p>By the store alone it cannot see records that were changed before they were sealed, which happens within seconds, and a
 * chain that was written anew as a whole. What is kept outside the store finds that, too: a {@link Witness} finds everything
 * up to its position, an {@link AuditKey} everything up to the link that was signed last.
 *
 * <p>Its memory holds the keys under which a run counts as running, not the log. Of keys where no run does, it knows the last
 * tokens of some ten thousand, those that were granted last. Safe for use by many threads.
 */
public record AuditVerifier(AuditLog audit) {

    /**
     * What is known from outside the store.
     *
     * @param key the key that signs the chain, or {@code null} if it is not signed
     * @param keptSince records made since then are not forgotten yet; {@code null} if that is not known
     */
    public record Outside(
            List<Witness> witnesses,
            @Nullable AuditKey key,
            @Nullable Instant keptSince) {

        public static final Outside NOTHING = new Outside(List.of(), null, null);

        public Outside {
            witnesses = List.copyOf(witnesses);
        }
    }

    /** Looks at everything that is sealed, and compares it with what is known from outside the store. */
    public AuditReport verify(Outside outside) {
        Check check = new Check(audit, outside);
        check.advance(Integer.MAX_VALUE);
        check.compareWithStore();
        return check.report();
    }

    /**
     * Goes along the chain, page by page, and can go on later where it stopped. It keeps the last link, the keys under which a
     * run counts as running, and its findings up to a limit. Belongs to one thread.
     */
    static final class Check {

        // A page of the chain on which a look ends is read and hashed again by the next one: few looks, few of those.
        static final int PAGE = 2_000;

        private final AuditLog audit;
        private final Outside outside;
        private final AuditSignature signature;
        private final Grants grants = new Grants();
        private final Mismatches mismatches = new Mismatches();
        private final List<AuditFinding> findings = new ArrayList<>();
        private long more;
        private long records;
        private Seal from;
        private Seal last;
        private @Nullable Instant lastAt;
        /** What the last link would be by its record, if it is something else. */
        private @Nullable Seal otherwise;
        /** Whether the link before the next one is there to be compared with. */
        private boolean continuous = true;

        private Seal head = Seal.GENESIS;
        private boolean headChecked;
        private @Nullable AuditFinding lastEnd;

        /** Begins at the oldest record that was not forgotten. */
        Check(AuditLog audit, Outside outside) {
            this(audit, outside, 0);
        }

        /** Begins after {@code position}; at the oldest record that was not forgotten if the chain does not have that link. */
        Check(AuditLog audit, Outside outside, long position) {
            this.audit = audit;
            this.outside = outside;
            // Before the chain: what is signed from now on must not look like an end that was cut off.
            signature = outside.key() == null ? AuditSignature.NONE : audit.signature();
            from = link(audit, position).orElseGet(audit::anchor);
            last = from;
            begin();
        }

        /** The link at {@code position}, or the anchor if that is not before it; empty if the chain does not have it. */
        static Optional<Seal> link(AuditLog audit, long position) {
            Seal anchor = audit.anchor();
            return position <= anchor.position()
                    ? Optional.of(anchor)
                    : audit.sealed(position - 1, 1).stream()
                            .map(AuditLog.Sealed::seal)
                            .filter(seal -> seal.position() == position)
                            .findFirst();
        }

        void advance(int pages) {
            // The head first: what is sealed from now on must not look like a change of it.
            head = audit.head();
            headChecked = false;
            checkHead();
            for (int page = 0; page < pages; page++) {
                List<AuditLog.Sealed> sealed = audit.sealed(last.position(), PAGE);
                sealed.forEach(this::look);
                if (sealed.size() < PAGE) {
                    checkEnd();
                    return;
                }
            }
        }

        /** What was found since this was asked last. */
        AuditReport report() {
            mismatches.tell(this::found);
            AuditReport report = new AuditReport(from, last, lastAt, records, findings, more);
            findings.clear();
            more = 0;
            records = 0;
            from = last;
            return report;
        }

        /** Compares the records with the store's counter of them. */
        void compareWithStore() {
            AuditLog.Numbers numbers = audit.numbers();
            if (numbers.missing() > 0) {
                found(AuditFinding.missingAtEnd(last.position(), numbers.counted(), numbers.kept()));
            }
        }

        private void look(AuditLog.Sealed sealed) {
            Seal seal = sealed.seal();
            AuditRecord record = sealed.record();
            if (seal.position() <= last.position()) {
                return;
            }
            if ((seal.position() != last.position() + 1 || record == null) && wasForgotten(seal)) {
                return;
            }
            if (seal.position() != last.position() + 1) {
                found(AuditFinding.gap(seal.position(), seal.position() - last.position() - 1));
                continuous = false;
                grants.skipped();
            }
            if (record == null) {
                found(AuditFinding.deleted(seal.position(), seal.sequence()));
                otherwise = null;
                grants.skipped();
            } else {
                compare(seal, record);
                grants.follow(seal.position(), record, this::found);
                records++;
                lastAt = record.at();
            }
            last = seal;
            continuous = true;
            witness(seal);
            checkHead();
        }

        private void compare(Seal seal, AuditRecord record) {
            Seal expected = AuditChain.next(last, record);
            Seal instead = otherwise;
            otherwise = null;
            if (!continuous || expected.equals(seal)) {
                return;
            }
            if (instead != null && AuditChain.next(instead, record).equals(seal)) {
                linkChanged(last);
                return;
            }
            otherwise = expected;
            mismatches.add(last, seal, record, this::found);
        }

        /** History may be forgotten during the check: then the chain begins later than it did. */
        private boolean wasForgotten(Seal seal) {
            Seal anchor = audit.anchor();
            if (anchor.position() <= last.position() || anchor.position() < seal.position() - 1) {
                return false;
            }
            last = anchor;
            otherwise = null;
            // The ends of runs may be among what was forgotten.
            grants.skipped();
            continuous = true;
            return anchor.position() >= seal.position();
        }

        private void checkHead() {
            if (headChecked || last.position() != head.position()) {
                return;
            }
            headChecked = true;
            if (otherwise != null && otherwise.equals(head)) {
                linkChanged(last);
                otherwise = null;
            } else if (!last.equals(head)) {
                endsWrongly();
            }
        }

        private void checkEnd() {
            if (!headChecked && last.position() < head.position()) {
                endsWrongly();
            }
            outside.witnesses().stream()
                    .filter(witness -> witness.position() > last.position())
                    .forEach(witness -> found(AuditFinding.endsBefore(last.position(), witness)));
            if (signature.isThere() && signature.position() > last.position()) {
                found(AuditFinding.wrongSignature(signature.position(), last.position()));
            }
        }

        // A later round finds the same end again, as long as nothing is added to it.
        private void endsWrongly() {
            AuditFinding end = AuditFinding.truncated(last.position(), head);
            if (!end.equals(lastEnd)) {
                lastEnd = end;
                found(end);
            }
        }

        private void begin() {
            witness(from);
            Instant keptSince = outside.keptSince();
            if (keptSince != null) {
                outside.witnesses().stream()
                        .filter(witness -> witness.position() > 0 && witness.position() <= from.position())
                        .filter(witness -> witness.at() != null && witness.at().isAfter(keptSince))
                        .forEach(witness -> found(AuditFinding.forgottenEarly(from.position(), witness, keptSince)));
            }
            if (outside.key() == null) {
                return;
            }
            if (!signature.isThere()) {
                if (!audit.head().equals(Seal.GENESIS)) {
                    found(AuditFinding.notSigned(from.position()));
                }
            } else if (signature.position() < from.position()) {
                // What was signed is forgotten, and the rest never was.
                found(AuditFinding.notSigned(from.position()));
            }
        }

        private void witness(Seal seal) {
            outside.witnesses().stream()
                    .filter(witness -> witness.position() == seal.position()
                            && !witness.hash().equals(seal.hash()))
                    .forEach(witness -> found(AuditFinding.rewritten(seal.position(), witness)));
            AuditKey key = outside.key();
            if (key != null
                    && signature.isThere()
                    && signature.position() == seal.position()
                    && !key.hasSigned(seal, signature)) {
                found(AuditFinding.wrongSignature(seal.position(), seal.position()));
            }
        }

        private void linkChanged(Seal link) {
            mismatches.forgetLast();
            found(AuditFinding.linkChanged(link.position(), link.sequence()));
        }

        private void found(AuditFinding finding) {
            if (findings.size() < AuditReport.MAX_FINDINGS) {
                findings.add(finding);
            } else {
                more++;
            }
        }

        /**
         * Follows who has which key, as the records tell it in order. Keeps what it must know: the keys under which a run counts as
         * running, and the last tokens of the keys that were granted last. Belongs to one thread.
         */
        static final class Grants {

            static final int TOKENS = 50_000;
            private static final String MOVED = "run";

            private final Map<LockKey, Map<RunId, Grant>> running = new HashMap<>();
            private final Map<LockKey, FencingToken> lastTokens = BoundedMap.ofLastUsed(TOKENS);

            void follow(long position, AuditRecord record, Consumer<AuditFinding> findings) {
                RunId run = record.run();
                if (run == null || !record.action().equals(MOVED)) {
                    return;
                }
                if (record.before().equals(RunState.RUNNING.name())) {
                    ended(record.key(), run);
                }
                FencingToken token = record.token();
                if (record.after().equals(RunState.RUNNING.name()) && token != null) {
                    began(position, record.key(), new Grant(run, token, record.at()), findings);
                }
            }

            /** Records are missing: runs may have ended in between. Tokens rise all the same. */
            void skipped() {
                running.clear();
            }

            int size() {
                return running.size();
            }

            private void began(long position, LockKey key, Grant grant, Consumer<AuditFinding> findings) {
                Map<RunId, Grant> here = running.computeIfAbsent(key, anew -> new LinkedHashMap<>());
                here.values().forEach(other -> findings.accept(new AuditFinding.Overlap(position, key, other, grant)));
                here.put(grant.run(), grant);
                FencingToken before = lastTokens.put(key, grant.token());
                if (before != null && !grant.token().isAfter(before)) {
                    findings.accept(new AuditFinding.TokenNotRising(position, key, before, grant));
                }
            }

            private void ended(LockKey key, RunId run) {
                Map<RunId, Grant> here = running.get(key);
                if (here != null && here.remove(run) != null && here.isEmpty()) {
                    running.remove(key);
                }
            }
        }

        /**
         * Records that do not fit their links, until enough is known to say why. Only so many are compared with each other; what
         * comes after them counts as edited. Belongs to one thread.
         */
        private static final class Mismatches {

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
                            .map(other -> AuditFinding.moved(
                                    mismatch.seal.position(), mismatch.seal.sequence(), other.record.sequence()))
                            .orElseGet(() -> AuditFinding.edited(mismatch.seal.position(), mismatch.seal.sequence())));
                }
                known.clear();
            }
        }
    }
}
