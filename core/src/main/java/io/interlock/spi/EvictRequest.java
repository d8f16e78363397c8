package io.interlock.spi;

import io.interlock.Actor;
import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import java.nio.charset.StandardCharsets;

/**
 * Ends a lease by force.
 *
 * @param expected the token the actor saw; if the lease has another token now, nothing happens
 */
public record EvictRequest(LockKey key, FencingToken expected, Actor actor, String reason) {

    /** The longest actor or reason, in bytes of UTF-8. */
    public static final int MAX_BYTES = 500;

    /** By one in this process. */
    public EvictRequest(LockKey key, FencingToken expected, String actor, String reason) {
        this(key, expected, Actor.of(actor), reason);
    }

    public EvictRequest {
        require("actor", actor.name());
        require("reason", reason);
    }

    private static void require(String what, String text) {
        if (text.isBlank()) {
            throw new InvalidSettingException(what, text, "must not be blank", "name the actor and the reason");
        }
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES || text.codePoints().anyMatch(Character::isISOControl)) {
            throw new InvalidSettingException(
                    what,
                    text,
                    "must be at most " + MAX_BYTES + " bytes without control characters",
                    "shorten it to one line");
        }
    }
}
