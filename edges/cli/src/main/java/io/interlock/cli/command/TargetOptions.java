package io.interlock.cli.command;

import static io.interlock.cli.command.OptionValues.HandBuilt.text;
import static io.interlock.cli.command.OptionValues.HandBuilt.value;
import static io.interlock.cli.command.OptionValues.HandBuilt.valueOr;
import static io.interlock.cli.command.OptionValues.HandBuilt.valued;

import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.backend.LeaseBackend;
import io.interlock.cli.backend.ServerBackend;
import io.interlock.cli.backend.StoreBackend;
import io.interlock.cli.command.CliCommand.CommandContext;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.client.InterlockClient;
import io.interlock.config.DataFolder;
import io.interlock.config.Given.Flag;
import io.interlock.engine.Jobs;
import io.interlock.run.Retention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Where a command is carried out, and for whom. */
public final class TargetOptions {

    private static final Duration DRAIN_TIME = Duration.ofSeconds(2);

    private final OptionSpec storeOption = text(
            "URL",
            "Work straight on this store: sqlite:PATH, postgresql://USER@HOST/DB, redis://HOST, etcd://HOST, firestore://PROJECT"
                    + " (default: $INTERLOCK_STORE, else sqlite: in the user's data folder)",
            "--store");
    private final OptionSpec serverOption = text(
            "URL",
            "Work through this server (default: $INTERLOCK_SERVER); its key comes from"
                    + " $INTERLOCK_API_KEY or --api-key-file",
            "--server");
    private final OptionSpec keyFile = valued("FILE", "The file that holds the server's API key", "--api-key-file")
            .type(Path.class)
            .build();
    private final OptionSpec authorities = valued(
                    "FILE",
                    "Trust only servers whose certificates come from an authority in this PEM file"
                            + " (default: $INTERLOCK_CACERT, else those of Java)",
                    "--cacert")
            .type(Path.class)
            .build();
    private final OptionSpec tenant =
            text("T", "The tenant on a store (default: default); through a server the API key decides", "--tenant");
    private final OptionSpec verbose = OptionSpec.builder("-v", "--verbose")
            .type(boolean[].class)
            .arity("0")
            .description("Print more; -vv: also stack traces and the log")
            .build();

    /** These options, to be mixed into those of a command. */
    CommandSpec spec() {
        return CommandSpec.create()
                .addOption(storeOption)
                .addOption(serverOption)
                .addOption(keyFile)
                .addOption(authorities)
                .addOption(tenant)
                .addOption(verbose);
    }

    /** For whom to act. */
    public String tenant() {
        return valueOr(tenant, LockKey.DEFAULT_TENANT);
    }

    /** How much is to be said. */
    public int verbosity() {
        return valueOr(verbose, new boolean[0]).length;
    }

    public LockKey key(String name) {
        return LockKey.of(tenant(), name);
    }

    /** The options as they were typed, for the next command; without a password. */
    public List<String> typed() {
        List<String> words = new ArrayList<>();
        String store = store();
        if (store != null) {
            words.addAll(List.of("--store", StoreCapabilities.shown(store)));
        }
        for (OptionSpec option : List.of(serverOption, keyFile, authorities)) {
            Object value = value(option, Object.class);
            if (value != null) {
                words.addAll(List.of(option.longestName(), value.toString()));
            }
        }
        if (!tenant().equals(LockKey.DEFAULT_TENANT)) {
            words.addAll(List.of("--tenant", tenant()));
        }
        return words;
    }

    /** Opens the store or reaches for the server. */
    public Backend open(CommandContext session, Jobs jobs, Retention retention) {
        if (isServer(session)) {
            return new ServerBackend(client(session, jobs), actor(), session.environment());
        }
        StoreBackend.Target place = place(session);
        return StoreCapabilities.keepsRuns(place.url())
                ? StoreBackend.open(place, jobs, retention)
                : new LeaseBackend(place);
    }

    InterlockClient client(CommandContext session, Jobs jobs) {
        Map<String, String> variables = session.variables();
        Path secret = value(keyFile, Path.class);
        String key = secret == null ? variables.getOrDefault("INTERLOCK_API_KEY", "") : secret(secret);
        String named = variables.getOrDefault("INTERLOCK_CACERT", "");
        Path chosen = value(authorities, Path.class);
        Path file = chosen != null || named.isEmpty() ? chosen : Path.of(named);
        InterlockClient.Builder client = InterlockClient.builder(serverUrl(variables))
                .tenant(tenant())
                .jobs(jobs)
                .drainTime(DRAIN_TIME)
                .environment(session.environment());
        if (!key.isBlank()) {
            client.apiKey(key.strip());
        }
        return (file == null ? client : client.trusting(file)).build();
    }

    List<Flag> storeFlag() {
        String store = store();
        return store == null ? List.of() : List.of(Flag.of("store", store));
    }

    /** The store that is meant; what is to be done to a store itself is never done to another one than the server's. */
    StoreBackend.Target placeAlone(CommandContext session) {
        if (isServer(session)) {
            throw Failure.usage(
                    "a server's store is cared for at the store itself, not through the server",
                    "name the store that the server uses: --store URL");
        }
        return place(session);
    }

    StoreBackend.Target place(CommandContext session) {
        return new StoreBackend.Target(storeUrl(session.variables()), tenant(), actor(), session.environment());
    }

    private static String actor() {
        return System.getProperty("user.name", "unknown user") + " (command line)";
    }

    // Processes that all start at once, as cron lets them, write one after the other; that takes longer than a server
    // would wait.
    private static String patient(String url) {
        return url.startsWith("sqlite:") && !url.contains("timeout=")
                ? url + (url.contains("?") ? "&" : "?") + "timeout=30s"
                : url;
    }

    boolean isServer(CommandContext session) {
        return !serverUrl(session.variables()).isEmpty();
    }

    private @Nullable String store() {
        return value(storeOption, String.class);
    }

    private String serverUrl(Map<String, String> variables) {
        String store = store();
        String server = value(serverOption, String.class);
        if (store != null && server != null) {
            throw Failure.usage("--store and --server contradict each other", "leave one of them out");
        }
        return store != null ? "" : server != null ? server : variables.getOrDefault("INTERLOCK_SERVER", "");
    }

    private static String secret(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new Failure(
                    ExitCode.CONFIGURATION,
                    "the API key cannot be read from " + file + ": " + unreadable.getMessage(),
                    "name a file that holds the key and nothing else");
        }
    }

    private String storeUrl(Map<String, String> variables) {
        String store = store();
        String named = store != null ? store : variables.getOrDefault("INTERLOCK_STORE", "");
        if (!named.isEmpty()) {
            return patient(named);
        }
        if (variables.containsKey("INTERLOCK_WITHHELD")) {
            throw new Failure(
                    ExitCode.CONFIGURATION,
                    "interlock run has withheld INTERLOCK_STORE from this command, and no other store is named",
                    "name it by --store, or pass it on: interlock run --pass-env INTERLOCK_STORE …");
        }
        DataFolder folder = DataFolder.of(variables);
        folder.prepareFor(folder.storeUrl());
        return patient(folder.storeUrl());
    }
}
