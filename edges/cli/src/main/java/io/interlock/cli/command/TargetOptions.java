package io.interlock.cli.command;

import io.interlock.LockKey;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.backend.LeaseBackend;
import io.interlock.cli.backend.StoreBackend;
import io.interlock.cli.backend.StorePlace;
import io.interlock.cli.text.Failure;
import io.interlock.config.DataFolder;
import io.interlock.engine.Jobs;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a command is carried out, and for whom. */
public final class TargetOptions {

    @Option(
            names = "--store",
            paramLabel = "URL",
            description = "Work straight on this store: sqlite:PATH, postgresql://USER@HOST/DB, redis://HOST"
                    + " (default: $INTERLOCK_STORE, else sqlite: in the user's data folder)")
    private @Nullable String store;

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "Work through this server (default: $INTERLOCK_SERVER); its key comes from"
                    + " $INTERLOCK_API_KEY or --api-key-file")
    private @Nullable String server;

    @Option(names = "--tenant", paramLabel = "T", description = "For whom to act on a store (default: default)")
    private String tenant = LockKey.DEFAULT_TENANT;

    @Option(
            names = {"-v", "--verbose"},
            description = "Say more; -vv: with stack traces and the log")
    private boolean[] verbose = {};

    /** For whom to act. */
    public String tenant() {
        return tenant;
    }

    /** How much is to be said. */
    public int verbosity() {
        return verbose.length;
    }

    /** A key of the tenant. */
    public LockKey key(String name) {
        return LockKey.of(tenant, name);
    }

    /** Opens the store or reaches for the server. */
    public Backend open(Session session, Jobs jobs) {
        StorePlace place = place(session);
        return place.url().startsWith("redis") ? LeaseBackend.open(place) : StoreBackend.open(place, jobs);
    }

    /** The store that is meant. */
    StorePlace place(Session session) {
        return new StorePlace(
                storeUrl(session.variables()),
                tenant,
                System.getProperty("user.name", "somebody") + " (command line)",
                session.environment());
    }

    // Processes that all start at once, as cron lets them, write one after the other; that takes longer than a server
    // would wait.
    private static String patient(String url) {
        return url.startsWith("sqlite:") && !url.contains("timeout=")
                ? url + (url.contains("?") ? "&" : "?") + "timeout=30s"
                : url;
    }

    private String storeUrl(Map<String, String> variables) {
        if (store != null && server != null) {
            throw Failure.usage("--store and --server contradict each other", "leave one of them out");
        }
        String named = store != null ? store : variables.getOrDefault("INTERLOCK_STORE", "");
        if (!named.isEmpty()) {
            return patient(named);
        }
        DataFolder folder = DataFolder.of(variables);
        folder.prepareFor(folder.storeUrl());
        return patient(folder.storeUrl());
    }
}
