package io.interlock.config;

/**
 * A sender that starts workflows with signed messages.
 *
 * @param trigger the trigger
 * @param tenant the tenant of the workflow
 * @param signature the signature format
 * @param secret the signing secret
 */
public record WebhookSettings(String trigger, String tenant, SignatureKind signature, Secret secret) {}
