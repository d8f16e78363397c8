package io.interlock.store.postgres;

import java.sql.SQLWarning;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hears from the server, beside the answer to a step, that the step has made work somebody waits for, or has settled a key
 * somebody waits for; and tells them. Safe for use by many threads.
 */
final class WorkHints {

    /** For statements that give none. */
    static final WorkHints NONE = new WorkHints(null);

    private static final String WORK = "IL100";
    private static final String KEY = "IL101";

    private final @Nullable Announcer announcer;

    WorkHints(@Nullable Announcer announcer) {
        this.announcer = announcer;
    }

    /** What stands for work of {@code tenant}, or of any tenant if {@code null}. No key is called so: it has no colon. */
    static long hash(@Nullable String tenant) {
        return KeyHash.of(tenant == null ? "work" : "work of " + tenant);
    }

    void heed(@Nullable SQLWarning first) {
        if (announcer == null || first == null) {
            return;
        }
        Set<Long> hashes = new LinkedHashSet<>();
        for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
            String about = warning.getMessage();
            if (WORK.equals(warning.getSQLState())) {
                hashes.add(hash(about));
                hashes.add(hash(null));
            } else if (KEY.equals(warning.getSQLState()) && about != null) {
                hashes.add(KeyHash.of(about));
            }
        }
        announcer.announce(hashes);
    }
}
