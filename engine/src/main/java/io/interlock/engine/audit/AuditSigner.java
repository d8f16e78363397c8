package io.interlock.engine.audit;

import io.interlock.locks.runtime.Loop;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.spi.run.AuditLog;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signs the last link of the audit chain, again and again. It signs only a chain that still has the link that was signed
 * before, so that it never vouches for one that was written anew. Every process that has the key may do it.
 *
 * <p>A chain with records and without a signature is not signed by itself: whether it was never signed, or the signature was
 * removed, cannot be told. {@link #adopt()} signs it, on request. Safe for use by many threads.
 */
public final class AuditSigner {

    /** How often a process signs. */
    public static final Duration EVERY = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(AuditSigner.class);

    private final AuditLog audit;
    private final AuditKey key;
    private volatile boolean told;

    /** Signs {@code audit} with {@code key}. */
    public AuditSigner(AuditLog audit, AuditKey key) {
        this.audit = audit;
        this.key = key;
    }

    /**
     * Signs the last link, if the chain has the link that was signed before.
     *
     * @return whether the chain has it
     */
    public boolean runOnce() {
        // The signature first: it is never ahead of a chain that is read later.
        AuditSignature before = audit.signature();
        Seal head = audit.head();
        if (!mayFollow(before, head)) {
            if (!told) {
                told = true;
                log.error(
                        "the audit log is not signed any more: its chain does not have the link that was signed last"
                                + " (position {}); verify it with: interlock audit verify, and see the runbook",
                        before.isThere() ? before.position() : "none");
            }
            return false;
        }
        told = false;
        AuditSignature next = key.sign(head);
        if (!before.equals(next)) {
            audit.sign(before, next);
        }
        return true;
    }

    /** Signs the last link, whatever was signed before: for a log that was begun without a key, or has got another one. */
    public Seal adopt() {
        while (true) {
            AuditSignature before = audit.signature();
            Seal head = audit.head();
            if (audit.sign(before, key.sign(head))) {
                return head;
            }
        }
    }

    /** Signs every few seconds, until it is closed. */
    public AutoCloseable start(Environment environment) {
        return Loop.start(environment, "audit-sign", EVERY, () -> {
            runOnce();
            return false;
        });
    }

    private boolean mayFollow(AuditSignature before, Seal head) {
        if (!before.isThere()) {
            return head.equals(Seal.GENESIS);
        }
        return key.hasSigned(head, before) || key.hasSigned(link(before.position()), before);
    }

    private Seal link(long position) {
        Seal anchor = audit.anchor();
        if (anchor.position() >= position) {
            return anchor;
        }
        List<AuditLog.Sealed> found = audit.sealed(position - 1, 1);
        return found.isEmpty() ? Seal.GENESIS : found.get(0).seal();
    }
}
