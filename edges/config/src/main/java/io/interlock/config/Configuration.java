package io.interlock.config;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.NearestWord;
import io.interlock.StoreCapabilities;
import io.interlock.engine.access.KeyRing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The configuration: flag over {@code INTERLOCK_*} over file over default. It is valid as a whole, or refused with a
 * list of all its mistakes. Immutable.
 */
public final class Configuration {

    /** Variables of clients, of the launcher and of the commands of runs. */
    private static final Set<String> OTHER_VARIABLES = Stream.of(("API_KEY SERVER CACERT CONFIG LOG_LEVEL LOG_FORMAT"
                            + " WITHHELD JAVA_OPTS CLASSPATH LC_ALL LEASE_ID GUARD KEY TENANT RUN_ID RUN_FILE ATTEMPT TOKEN")
                    .split(" "))
            .map("INTERLOCK_"::concat)
            .collect(Collectors.toSet());

    private final Sources sources;
    private final InterlockSettings settings;
    private final DataFolder folder;

    private Configuration(Sources sources, InterlockSettings settings, DataFolder folder) {
        this.sources = sources;
        this.settings = settings;
        this.folder = folder;
    }

    /**
     * Reads the configuration.
     *
     * @throws ConfigurationException with all mistakes
     * @throws InvalidSettingException if the file cannot be read at all
     */
    public static Configuration read(Given given) {
        Sources sources = new Sources(given);
        Reading reading = new Reading(sources);
        DataFolder folder = DataFolder.of(given.environment());
        refuseUnknown(sources, reading);
        InterlockSettings settings = new SettingsReader(reading, folder.storeUrl()).read();
        reading.requireNoMistakes();
        return new Configuration(sources, settings, folder);
    }

    /** The validated settings. */
    public InterlockSettings settings() {
        return settings;
    }

    /** The default store. */
    public DataFolder folder() {
        return folder;
    }

    /** The effective properties for display: with origins, without secrets, in the order of the documentation. */
    public List<EffectiveProperty> effective() {
        return new EffectiveProperty.View(sources, folder).all();
    }

    /** Things that are allowed but probably mistakes: variables that set nothing. */
    public List<String> warnings() {
        return unknownVariables(sources);
    }

    /**
     * Checks the jobs against the limits of the store.
     *
     * @throws ConfigurationException naming every job whose lease is longer than the store grants
     */
    public void requireWithin(StoreCapabilities store) {
        Reading reading = new Reading(sources);
        Duration most = store.maxLease();
        settings.jobs().forEach((name, job) -> {
            Duration lease = job.job().terms().ttl();
            if (lease.compareTo(most) > 0) {
                reading.mistake(
                        property(name, "lease"),
                        "'" + DurationText.format(lease) + "' is above the store's maxLease of "
                                + DurationText.format(most)
                                + "; long work needs no long lease because leases are renewed; lower it, or raise maxLease in the store's URL");
            }
        });
        reading.requireNoMistakes();
    }

    /**
     * Checks the settings against the kind of store: features that need runs are refused on a store of leases, and API
     * keys are kept in one place only.
     *
     * @param runs whether the store keeps runs, or leases only
     * @throws ConfigurationException naming every setting that the store cannot support, and every API key that is
     * given twice with a different tenant or role
     */
    public void requireFor(boolean runs) {
        Reading reading = new Reading(sources);
        if (runs) {
            for (int i = 0; i < settings.keys().size(); i++) {
                reading.mistake(
                        "keys[" + i + "].secret-file",
                        "is for stores that keep no API keys; create the key with 'interlock keys create' instead");
            }
        } else {
            settings.jobs()
                    .forEach((name, job) ->
                            job.clock().ifPresent(clock -> needsRuns(reading, property(name, "schedule"))));
            settings.windows().forEach(window -> needsRuns(reading, "no-start of " + window.pattern()));
            for (int i = 0; i < settings.notifications().size(); i++) {
                needsRuns(reading, "notify[" + i + "].on");
            }
            for (int i = 0; i < settings.sqs().size(); i++) {
                needsRuns(reading, "sqs[" + i + "].queue");
            }
            requireOneOrderForEachKey(reading);
        }
        reading.requireNoMistakes();
    }

    // Otherwise the first entry would silently win, and the key would have other rights than the second entry says.
    private void requireOneOrderForEachKey(Reading reading) {
        // This reads files, which may be missing: mistakes that need no files are reported first.
        reading.requireNoMistakes();
        List<InterlockSettings.KeySettings> keys = settings.keys();
        Map<String, Integer> known = new HashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            int first = Objects.requireNonNullElse(
                    known.putIfAbsent(keys.get(i).key().id(), i), i);
            KeyRing.KeyOrder one = keys.get(first).order();
            KeyRing.KeyOrder other = keys.get(i).order();
            if (one.role() != other.role() || !one.tenant().equals(other.tenant())) {
                reading.mistake(
                        "keys[" + i + "].secret-file",
                        "contains the same key as keys[" + first + "], which has tenant " + one.tenant() + " and role "
                                + one.role().name().toLowerCase(Locale.ROOT)
                                + "; create a key for each, or give both the same tenant and role");
            }
        }
    }

    private static void needsRuns(Reading reading, String property) {
        reading.mistake(property, "needs runs, and the store keeps leases only; use sqlite:PATH or postgresql://…");
    }

    /** Continues the reading, for mistakes of the same configuration that are found later. */
    Reading reading() {
        return new Reading(sources);
    }

    /** The property of a job, quoted if necessary. */
    static String property(String job, String rest) {
        return "jobs." + Settings.quoted(job) + "." + rest;
    }

    private static void refuseUnknown(Sources sources, Reading reading) {
        for (String name : sources.strays()) {
            reading.mistake(
                    name, "is outside of 'interlock:'; indent it below, or remove it", sources.strayPlace(name));
        }
        sources.twice().forEach(name -> reading.mistake(name, "is set twice; remove one of them"));
        Set<String> known = new TreeSet<>();
        Settings.ALL.forEach(setting -> known.add(setting.name()));
        Set<String> told = new TreeSet<>();
        for (String name : sources.written()) {
            if (Settings.find(name).isEmpty() && told.add(name.replaceFirst("\\[\\d+].*$", ""))) {
                reading.mistake(name, unknown(name, known));
            }
        }
    }

    private static String unknown(String name, Set<String> known) {
        Set<String> below = Settings.below(name);
        if (!below.isEmpty()) {
            return "is a group and takes no value; it contains " + String.join(", ", below);
        }
        Optional<String> nearest = NearestWord.to(Settings.shape(name), known);
        return "is no property"
                + nearest.map(near -> "; nearest is " + like(near, name)).orElse("");
    }

    private static String like(String known, String name) {
        String[] parts = name.split("\\.(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", -1);
        return known.contains("*") && parts.length > 1 ? known.replaceFirst("\\*", parts[1]) : known;
    }

    // Another program may use them, so they are warnings, not mistakes.
    private static List<String> unknownVariables(Sources sources) {
        Set<String> known = new TreeSet<>();
        for (Settings.Setting setting : Settings.ALL) {
            if (!setting.isPattern()) {
                known.add(Sources.variable(setting.name()));
            } else if (setting.name().startsWith("jobs.*.") && !setting.name().endsWith(".*")) {
                sources.children("jobs")
                        .forEach(
                                job -> known.add(Sources.variable(setting.name().replaceFirst("\\*", job))));
            }
        }
        sources.children("tenants").forEach(name -> known.add(Sources.variable("tenants." + name + ".max-running")));
        List<String> warnings = new ArrayList<>();
        for (String name : sources.variables()) {
            if (!known.contains(name) && !OTHER_VARIABLES.contains(name) && !name.startsWith("INTERLOCK_PARAM_")) {
                NearestWord.to(name, known)
                        .ifPresent(near ->
                                warnings.add("the variable " + name + " sets nothing; did you mean " + near + "?"));
            }
        }
        return warnings;
    }
}
