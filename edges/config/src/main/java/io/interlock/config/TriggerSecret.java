package io.interlock.config;

import io.interlock.engine.http.SignatureCheck;

/** A secret that authenticates the senders of a trigger. */
public record TriggerSecret(String trigger, String tenant, SignatureCheck check) {}
