package io.interlock.config;

/** A sender that starts workflows with signed messages. */
public record WebhookSettings(String trigger, String tenant, SignatureKind signature, Secret secret) {

    /** How a sender of webhooks signs. */
    public enum SignatureKind {
        /** Standard Webhooks. */
        STANDARD,
        /** The signatures of Stripe. */
        STRIPE
    }
}
