package io.interlock.cli.backend;

import io.interlock.time.Environment;

/**
 * Which store, and for whom.
 *
 * @param url of the store, with its password
 * @param tenant for whom
 * @param actor who, for the audit log
 * @param environment clocks, threads and chance
 */
public record StorePlace(String url, String tenant, String actor, Environment environment) {

    /** Without the password. */
    @Override
    public String toString() {
        return "a store, for tenant " + tenant;
    }
}
