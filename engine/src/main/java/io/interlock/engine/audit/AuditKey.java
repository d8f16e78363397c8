package io.interlock.engine.audit;

import io.interlock.InvalidSettingException;
import io.interlock.engine.http.SignatureCheck;
import io.interlock.locks.runtime.Loop;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.spi.run.AuditLog;
import io.interlock.time.Environment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A key outside the store that signs links of the audit chain with HMAC-SHA256. A chain that was written anew without it does
 * not have the link that was signed. Does not show its secret. Safe for use by many threads.
 */
public final class AuditKey {

    public static final int MIN_LENGTH = 32;

    private final byte[] secret;

    private AuditKey(byte[] secret) {
        this.secret = secret;
    }

    /**
     * A key.
     *
     * @param secret its text; white space around it does not count
     * @throws InvalidSettingException if it is shorter than {@link #MIN_LENGTH}
     */
    public static AuditKey of(String secret) {
        String text = secret.strip();
        if (text.length() < MIN_LENGTH) {
            throw new InvalidSettingException(
                    "audit.key-file",
                    text.length() + " characters",
                    "must hold at least " + MIN_LENGTH,
                    "make a key with: openssl rand -hex 32");
        }
        return new AuditKey(text.getBytes(StandardCharsets.UTF_8));
    }

    AuditSignature sign(Seal link) {
        String text = "interlock audit " + link.position() + ":" + link.hash();
        byte[] value = SignatureCheck.hmac(secret, text.getBytes(StandardCharsets.UTF_8));
        return new AuditSignature(link.position(), HexFormat.of().formatHex(value));
    }

    boolean hasSigned(Seal link, AuditSignature signature) {
        AuditSignature own = sign(link);
        return own.position() == signature.position()
                && MessageDigest.isEqual(
                        own.value().getBytes(StandardCharsets.UTF_8),
                        signature.value().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "AuditKey[***]";
    }

    /**
     * Signs the last link of the audit chain, again and again. It signs only a chain that still has the link that was signed
     * before, so that it never vouches for one that was written anew. Every process that has the key may do it.
     *
     * <p>A chain with records and without a signature is not signed by itself: whether it was never signed, or the signature was
     * removed, cannot be told. {@link #adopt()} signs it, on request. Safe for use by many threads.
     */
    public static final class AuditSigner {

        public static final Duration EVERY = Duration.ofSeconds(5);

        private static final Logger log = LoggerFactory.getLogger(AuditSigner.class);

        private final AuditLog audit;
        private final AuditKey key;
        private volatile boolean told;

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
            return key.hasSigned(head, before)
                    || AuditVerifier.Check.link(audit, before.position())
                            .filter(link -> key.hasSigned(link, before))
                            .isPresent();
        }
    }
}
