package io.interlock.config;

/** How a sender of webhooks signs. */
public enum SignatureKind {
    /** Standard Webhooks. */
    STANDARD,
    /** The signatures of Stripe. */
    STRIPE
}
