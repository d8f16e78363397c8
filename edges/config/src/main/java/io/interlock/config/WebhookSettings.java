package io.interlock.config;

/**
 * Who may start workflows by signing what it sends.
 *
 * @param trigger which trigger
 * @param tenant for whom
 * @param signature how it signs
 * @param secret what it signs with
 */
public record WebhookSettings(String trigger, String tenant, SignatureKind signature, Secret secret) {}
