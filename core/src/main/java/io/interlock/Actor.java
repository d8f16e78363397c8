package io.interlock;

import org.jspecify.annotations.Nullable;

/**
 * Who does something by force or by right, as the audit log has it. The requests that carry it check its texts.
 *
 * @param name who it is
 * @param correlation the id of the request by which it was asked for, or {@code null}
 * @param address the address of the client that asked, or {@code null} if it was asked for in this process
 */
public record Actor(
        String name, @Nullable String correlation, @Nullable String address) {

    /** One in this process. */
    public static Actor of(String name) {
        return new Actor(name, null, null);
    }

    /** The name. */
    @Override
    public String toString() {
        return name;
    }
}
