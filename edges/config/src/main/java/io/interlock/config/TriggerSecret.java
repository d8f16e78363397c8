package io.interlock.config;

import io.interlock.engine.http.SignatureCheck;

/**
 * A secret by which senders of a trigger are known.
 *
 * @param trigger which trigger
 * @param tenant for whom they act
 * @param check tells what they signed
 */
public record TriggerSecret(String trigger, String tenant, SignatureCheck check) {}
