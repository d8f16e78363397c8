package io.interlock.config;

/** How a sender of webhooks signs. */
public enum SignatureKind {
    /** As Standard Webhooks say. */
    STANDARD,
    /** As Stripe does. */
    STRIPE
}
