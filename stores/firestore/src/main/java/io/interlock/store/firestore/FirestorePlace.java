package io.interlock.store.firestore;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.StoreUrl.StoreSettings;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@code firestore:} URL, and the names of a store's documents.
 *
 * @param project the id of the project
 * @param database the id of the database
 * @param common the collection of all documents as prefix, longest lease and timeout
 * @param emulator host and port of an emulator, or {@code null} for Google's servers
 * @param credentials a file with credentials, or {@code null} for those of the surroundings
 */
record FirestorePlace(
        String project,
        String database,
        StoreSettings common,
        @Nullable String emulator,
        @Nullable Path credentials) {

    private static final Pattern PLACE =
            Pattern.compile("//([a-z0-9][a-z0-9.:-]{0,99})(?:/([a-z0-9-]{1,63}|\\(default\\))?)?");
    private static final Pattern HOST_AND_PORT = Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\]):\\d{1,5}");

    /** Below every character a tenant may contain, so that the order of documents is the order of keys. */
    private static final char SEPARATOR = ',';

    /** The character after {@link #SEPARATOR}. */
    private static final char AFTER_SEPARATOR = '-';

    private static final String KEY = "key" + SEPARATOR;

    FirestorePlace {
        if (emulator != null && !HOST_AND_PORT.matcher(emulator).matches()) {
            throw new InvalidSettingException(
                    "emulator", emulator, "is not a host and a port", "write emulator=127.0.0.1:8080");
        }
        if (emulator != null && credentials != null) {
            throw new InvalidSettingException(
                    "credentials", credentials, "would be sent to an emulator", "remove credentials or emulator");
        }
        if (common.prefix().matches("\\.{1,2}|__.*__")) {
            throw new InvalidSettingException(
                    "prefix", common.prefix(), "is no name of a collection in Firestore", "choose a plain identifier");
        }
    }

    static FirestorePlace of(StoreUrl url) {
        url.allowOnly(Set.of("prefix", "maxLease", "timeout", "emulator", "credentials"));
        Matcher place = PLACE.matcher(url.rest());
        if (!place.matches()) {
            throw new InvalidSettingException(
                    "store",
                    url,
                    "is not the URL of a Firestore database",
                    "write firestore://project, firestore://project/database or, for the tests of an application, "
                            + "firestore://project?emulator=127.0.0.1:8080");
        }
        String credentials = url.option("credentials", "");
        return new FirestorePlace(
                place.group(1),
                place.group(2) == null ? "(default)" : place.group(2),
                StoreSettings.of(url),
                url.options().get("emulator"),
                credentials.isEmpty() ? null : Path.of(credentials));
    }

    /** The store's kind and place, for messages. */
    String displayName() {
        String where = emulator == null ? "" : " at " + emulator;
        return "firestore://" + project + "/" + database + where + " (prefix " + common.prefix() + ")";
    }

    String databaseName() {
        return "projects/" + project + "/databases/" + database;
    }

    /** The parent of the store's collection. */
    String root() {
        return databaseName() + "/documents";
    }

    String store() {
        return document("store");
    }

    String document(LockKey key) {
        return document(KEY + escaped(key.tenant()) + SEPARATOR + escaped(key.name()));
    }

    /** A name below those of all keys of a tenant, or of all keys. */
    String before(@Nullable String tenant) {
        return document(tenant == null ? KEY : KEY + escaped(tenant) + SEPARATOR);
    }

    /** A name above those of all keys of a tenant, or of all keys. */
    String behind(@Nullable String tenant) {
        String before = before(tenant);
        return before.substring(0, before.length() - 1) + AFTER_SEPARATOR;
    }

    /** A name that is not above those of the tenant's keys with this prefix, and above all with a smaller one. */
    String before(String tenant, String namePrefix) {
        return before(tenant) + escaped(namePrefix);
    }

    LockKey key(String document) {
        String id = document.substring(document(KEY).length());
        int separator = id.indexOf(SEPARATOR);
        return new LockKey(restored(id.substring(0, separator)), restored(id.substring(separator + 1)));
    }

    private String document(String id) {
        return root() + "/" + common.prefix() + "/" + id;
    }

    // A slash would begin another collection. The point is the character before it, so the order of names stays.
    private static String escaped(String text) {
        return text.replace(".", ".0").replace("/", ".1");
    }

    private static String restored(String text) {
        return text.replace(".1", "/").replace(".0", ".");
    }
}
