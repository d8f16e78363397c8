package io.interlock.engine.audit;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Seal;
import java.time.Instant;

/** Something that is wrong with the audit log, or with what it tells. */
public sealed interface AuditFinding {

    /** Where in the chain. */
    long position();

    /** What it is, for people. */
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

    /** A link is not the one that somebody wrote down earlier: the chain was written anew from there or before. */
    record Rewritten(long position, Seal witness) implements AuditFinding {
        @Override
        public String sentence() {
            return "the link at position " + position + " is not the one with hash " + witness.hash()
                    + " that was written down earlier: the chain was written anew";
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

    /**
     * A run's right to a key.
     *
     * @param run whose
     * @param token its proof of turn
     * @param at since when, by the store's clock
     */
    record Grant(RunId run, FencingToken token, Instant at) {}
}
