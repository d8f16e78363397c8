package io.interlock.engine.audit;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.run.AuditChain.Seal;
import java.time.Instant;

/** Something that is wrong with the audit log, or with what it tells. */
public sealed interface AuditFinding {

    long position();

    String sentence();

    /** The log is not what was sealed, signed or written down. */
    record Tampered(long position, String sentence) implements AuditFinding {}

    /** A record is not what was sealed; or the link before it was changed together with its record. */
    static AuditFinding edited(long position, long sequence) {
        return new Tampered(
                position,
                "record " + sequence + " at position " + position
                        + " is not what was sealed: it was edited, or the one before it together with its link");
    }

    /** A sealed record is gone. */
    static AuditFinding deleted(long position, long sequence) {
        return new Tampered(position, "record " + sequence + " at position " + position + " was deleted");
    }

    /** A record stands where another one was sealed; that one is now number {@code found}. */
    static AuditFinding moved(long position, long sequence, long found) {
        return new Tampered(
                position,
                "what was sealed as record " + sequence + " at position " + position + " is now record " + found
                        + ": records were reordered or renumbered");
    }

    /** A link is wrong though its record, and the link after it, are right. */
    static AuditFinding linkChanged(long position, long sequence) {
        return new Tampered(position, "the link of record " + sequence + " at position " + position + " was changed");
    }

    /** Links are missing before this position. */
    static AuditFinding gap(long position, long missing) {
        return new Tampered(
                position,
                missing + (missing == 1 ? " link is" : " links are") + " missing before position " + position);
    }

    /** The chain ends before, or with another link than, the head says. */
    static AuditFinding truncated(long position, Seal head) {
        return new Tampered(
                position,
                "the chain ends at position " + position + ", but its head is at " + head.position()
                        + ": links were cut off, or the head was changed");
    }

    /** A link is not the one that was written down earlier: the chain was written anew from there or before. */
    static AuditFinding rewritten(long position, Witness witness) {
        return new Tampered(
                position,
                "the link at position " + position + " is not the one with hash " + witness.hash()
                        + " that was written down earlier: the chain was written anew");
    }

    /** The chain ends before a link that was written down earlier. */
    static AuditFinding endsBefore(long position, Witness witness) {
        return new Tampered(
                position,
                "the chain ends at position " + position + ", but position " + witness.position()
                        + " was written down earlier: its end was cut off");
    }

    /** A record that was written down earlier is gone before its time: the log says that it was forgotten. */
    static AuditFinding forgottenEarly(long position, Witness witness, Instant keptSince) {
        return new Tampered(
                position,
                "the log begins after position " + position + ", but the record at position " + witness.position()
                        + " is of " + witness.at() + " and records since " + keptSince
                        + " are kept: its beginning was removed, or history.audit was shorter before");
    }

    /** The store has counted further than its last record. */
    static AuditFinding missingAtEnd(long position, long counted, long kept) {
        return new Tampered(
                position,
                "the store has counted " + counted + " records, but the last one there is number " + kept
                        + ": the end of the log was cut off");
    }

    /** The chain is not signed, though there is a key for it. */
    static AuditFinding notSigned(long position) {
        return new Tampered(
                position,
                "the chain is not signed: its signature was removed, or the log was begun without a key;"
                        + " in that case sign it once with: interlock audit sign");
    }

    /** The link at the signed position is not the one that was signed, or the chain does not have it any more. */
    static AuditFinding wrongSignature(long position, long end) {
        return new Tampered(
                position,
                position > end
                        ? "position " + position + " was signed, but the chain ends at " + end + ": its end was cut off"
                        : "the link at position " + position
                                + " is not the one that was signed: the chain was written anew, or another key signed it");
    }

    /** A run became RUNNING while another one still counted as RUNNING under the same key. */
    record Overlap(long position, LockKey key, Grant first, Grant second) implements AuditFinding {
        @Override
        public String sentence() {
            return "run " + second.run() + " began at " + second.at() + " under " + key + ", though run " + first.run()
                    + ", begun at " + first.at() + ", still counted as running";
        }
    }

    /** A grant's token is not above the one before it. */
    record TokenNotRising(long position, LockKey key, FencingToken before, Grant grant) implements AuditFinding {
        @Override
        public String sentence() {
            return "run " + grant.run() + " got token " + grant.token() + " under " + key + ", though " + before
                    + " was given out before";
        }
    }

    /** A run's right to a key. */
    record Grant(RunId run, FencingToken token, Instant at) {}
}
