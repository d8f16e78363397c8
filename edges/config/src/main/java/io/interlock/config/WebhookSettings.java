package io.interlock.config;

/**
 * Who may start workflows by signing what it sends.
 *
 * @param trigger which trigger
 * @param tenant for whom
 * @param secret what it signs with, as Standard Webhooks say
 */
public record WebhookSettings(String trigger, String tenant, Secret secret) {}
