package io.interlock;

import org.jspecify.annotations.Nullable;

/**
 * The author of an operation, as recorded in the audit log. The requests that carry it check its texts.
 *
 * @param correlation the id of the request, or {@code null}
 * @param address the address of the client, or {@code null} for an operation of this process
 */
public record Actor(
        String name, @Nullable String correlation, @Nullable String address) {

    /** An actor in this process. */
    public static Actor of(String name) {
        return new Actor(name, null, null);
    }

    @Override
    public String toString() {
        return name;
    }
}
