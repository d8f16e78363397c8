package io.interlock.config;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.NearestWord;
import io.interlock.StoreCapabilities;
import io.interlock.engine.access.KeyOrder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The configuration: flag over {@code INTERLOCK_*} over file over default. It is either right as a whole or refused with every
 * mistake in it. Immutable.
 */
public final class Configuration {

    private final Sources sources;
    private final InterlockSettings settings;
    private final DataFolder folder;

    private Configuration(Sources sources, InterlockSettings settings, DataFolder folder) {
        this.sources = sources;
        this.settings = settings;
        this.folder = folder;
    }

    /**
     * Reads it.
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

    /** What holds. */
    public InterlockSettings settings() {
        return settings;
    }

    /** Where the store is if nobody names one. */
    public DataFolder folder() {
        return folder;
    }

    /** What holds, as people read it: with origins, without secrets, in the order of the documentation. */
    public List<EffectiveProperty> effective() {
        return new EffectiveView(sources, folder).all();
    }

    /** What is allowed but probably not meant: variables that set nothing. */
    public List<String> warnings() {
        return UnknownVariables.in(sources);
    }

    /**
     * Holds the jobs against the store they will use.
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
                                + "; let renewal carry long work, or raise maxLease in the store's URL");
            }
        });
        reading.requireNoMistakes();
    }

    /**
     * Holds it against what the store keeps: nothing that needs runs may wait in vain for a store of leases, and API keys are kept in
     * one place.
     *
     * @param runs whether the store keeps runs, or leases only
     * @throws ConfigurationException naming everything that the store has no use for, and every API key that is given twice with
     *     another tenant or role
     */
    public void requireFor(boolean runs) {
        Reading reading = new Reading(sources);
        if (runs) {
            for (int i = 0; i < settings.keys().size(); i++) {
                reading.mistake(
                        "keys[" + i + "].secret-file",
                        "is for stores that keep no API keys; this one does, so make the key with 'interlock keys create'");
            }
        } else {
            settings.jobs()
                    .forEach((name, job) ->
                            job.clock().ifPresent(clock -> needsRuns(reading, property(name, "schedule"))));
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

    // The first would win in silence, and somebody could do more, or less, than is written.
    private void requireOneOrderForEachKey(Reading reading) {
        // Files are read for it, and may be missing: what is wrong without them is told first.
        reading.requireNoMistakes();
        List<KeySettings> keys = settings.keys();
        Map<String, Integer> known = new HashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            int first = Objects.requireNonNullElse(
                    known.putIfAbsent(keys.get(i).key().id(), i), i);
            KeyOrder one = keys.get(first).order();
            KeyOrder other = keys.get(i).order();
            if (one.role() != other.role() || !one.tenant().equals(other.tenant())) {
                reading.mistake(
                        "keys[" + i + "].secret-file",
                        "holds the key of keys[" + first + "], which is for tenant " + one.tenant() + " and role "
                                + one.role().name().toLowerCase(Locale.ROOT)
                                + "; make a key for each, or write the same for both");
            }
        }
    }

    private static void needsRuns(Reading reading, String property) {
        reading.mistake(property, "needs runs, and the store keeps leases only; use sqlite:PATH or postgresql://…");
    }

    /** Goes on reading: for what is found out later but is a mistake of the same configuration. */
    Reading reading() {
        return new Reading(sources);
    }

    /** The property of a job, quoted if need be. */
    static String property(String job, String rest) {
        return "jobs." + (job.contains(".") ? "\"" + job + "\"" : job) + "." + rest;
    }

    private static void refuseUnknown(Sources sources, Reading reading) {
        for (String name : sources.strays()) {
            reading.mistake(
                    name, "stands beside 'interlock:'; indent it below that, or remove it", sources.strayPlace(name));
        }
        sources.twice().forEach(name -> reading.mistake(name, "is there twice; leave one of them"));
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
            return "has no value of its own; it holds " + String.join(", ", below);
        }
        Optional<String> nearest = NearestWord.to(Settings.shape(name), known);
        return "is no property"
                + nearest.map(near -> "; nearest is " + like(near, name)).orElse("");
    }

    private static String like(String known, String name) {
        String[] parts = name.split("\\.(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", -1);
        return known.contains("*") && parts.length > 1 ? known.replaceFirst("\\*", parts[1]) : known;
    }
}
