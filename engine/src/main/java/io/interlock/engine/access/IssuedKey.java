package io.interlock.engine.access;

import io.interlock.access.AccessKey;

/**
 * A key just made: the only time its secret is known.
 *
 * @param secret for its owner, to be shown once
 */
public record IssuedKey(ApiKey secret, AccessKey kept) {}
