package io.interlock.engine.audit;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.run.Seal;
import java.time.Instant;

/** Something that is wrong with the audit log, or with what it tells. */
public sealed interface AuditFinding {

    long position();

    String sentence();

    /** A record is not what was sealed; or the link before it was changed together with its record. */
    record Edited(long position, long sequence) implements AuditFinding {
        @Override
        public String sentence() {
            return "record " + sequence + " at position " + position
                    + " is not what was sealed: it was edited, or the one before it together with its link";
        }
    }

    /** A sealed record is gone. */
    record Deleted(long position, long sequence) implements AuditFinding {
        @Override
        public String sentence() {
            return "record " + sequence + " at position " + position + " was deleted";
        }
    }

    /** A record stands where another one was sealed; that one is now number {@code found}. */
    record Moved(long position, long sequence, long found) implements AuditFinding {
        @Override
        public String sentence() {
            return "what was sealed as record " + sequence + " at position " + position + " is now record " + found
                    + ": records were reordered or renumbered";
        }
    }

    /** A link is wrong though its record, and the link after it, are right. */
    record LinkChanged(long position, long sequence) implements AuditFinding {
        @Override
        public String sentence() {
            return "the link of record " + sequence + " at position " + position + " was changed";
        }
    }

    /** Links are missing before this position. */
    record Gap(long position, long missing) implements AuditFinding {
        @Override
        public String sentence() {
            return missing + (missing == 1 ? " link is" : " links are") + " missing before position " + position;
        }
    }

    /** The chain ends before, or with another link than, the head says. */
    record Truncated(long position, Seal head) implements AuditFinding {
        @Override
        public String sentence() {
            return "the chain ends at position " + position + ", but its head is at " + head.position()
                    + ": links were cut off, or the head was changed";
        }
    }

    /** A link is not the one that was written down earlier: the chain was written anew from there or before. */
    record Rewritten(long position, Witness witness) implements AuditFinding {
        @Override
        public String sentence() {
            return "the link at position " + position + " is not the one with hash " + witness.hash()
                    + " that was written down earlier: the chain was written anew";
        }
    }

    /** The chain ends before a link that was written down earlier. */
    record EndsBefore(long position, Witness witness) implements AuditFinding {
        @Override
        public String sentence() {
            return "the chain ends at position " + position + ", but position " + witness.position()
                    + " was written down earlier: its end was cut off";
        }
    }

    /** A record that was written down earlier is gone before its time: the log says that it was forgotten. */
    record ForgottenEarly(long position, Witness witness, Instant keptSince) implements AuditFinding {
        @Override
        public String sentence() {
            return "the log begins after position " + position + ", but the record at position " + witness.position()
                    + " is of " + witness.at() + " and records since " + keptSince
                    + " are kept: its beginning was removed, or history.audit was shorter before";
        }
    }

    /** The store has counted further than its last record. */
    record MissingAtEnd(long position, long counted, long kept) implements AuditFinding {
        @Override
        public String sentence() {
            return "the store has counted " + counted + " records, but the last one there is number " + kept
                    + ": the end of the log was cut off";
        }
    }

    /** The chain is not signed, though there is a key for it. */
    record NotSigned(long position) implements AuditFinding {
        @Override
        public String sentence() {
            return "the chain is not signed: its signature was removed, or the log was begun without a key;"
                    + " in that case sign it once with: interlock audit sign";
        }
    }

    /** The link at the signed position is not the one that was signed, or the chain does not have it any more. */
    record WrongSignature(long position, long end) implements AuditFinding {
        @Override
        public String sentence() {
            return position > end
                    ? "position " + position + " was signed, but the chain ends at " + end + ": its end was cut off"
                    : "the link at position " + position
                            + " is not the one that was signed: the chain was written anew, or another key signed it";
        }
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
