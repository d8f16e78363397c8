package io.interlock.server;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The YAML files that come with the server, as JSON. */
public final class YamlResource {

    private YamlResource() {}

    /** A file whose top is a list. */
    public static JsonArray list(String name) {
        return new JsonArray((List<?>) read(name));
    }

    /** A file whose top is a map. */
    @SuppressWarnings("unchecked") // the keys of our own files are strings
    public static JsonObject object(String name) {
        return new JsonObject((Map<String, Object>) read(name));
    }

    private static Object read(String name) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        try (InputStream file = YamlResource.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException(name + " is missing from the server's jar");
            }
            return new Yaml(new SafeConstructor(options)).load(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
