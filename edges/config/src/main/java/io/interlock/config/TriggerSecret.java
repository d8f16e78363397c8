package io.interlock.config;

import io.interlock.engine.http.WebhookSigner;

/**
 * A secret by which senders of a trigger are known.
 *
 * @param trigger which trigger
 * @param tenant for whom they act
 * @param signer checks what they signed
 */
public record TriggerSecret(String trigger, String tenant, WebhookSigner signer) {}
