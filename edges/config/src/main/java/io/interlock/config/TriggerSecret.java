package io.interlock.config;

import io.interlock.engine.http.SignatureCheck;

/**
 * A secret that authenticates the senders of a trigger.
 *
 * @param trigger the trigger
 * @param tenant the tenant of the senders
 * @param check verifies signatures
 */
public record TriggerSecret(String trigger, String tenant, SignatureCheck check) {}
