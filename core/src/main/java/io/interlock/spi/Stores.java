package io.interlock.spi;

import io.interlock.InvalidSettingException;
import io.interlock.time.Environment;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** Opens a store by its URL, with the store jar for its scheme on the class path. */
public final class Stores {

    private Stores() {}

    /** Opens {@code url} in the environment of this process. */
    public static LeaseStore open(String url) {
        return open(url, Environment.system());
    }

    /**
     * Opens {@code url}.
     *
     * @throws InvalidSettingException if no store jar on the class path has the scheme
     */
    public static LeaseStore open(String url, Environment environment) {
        StoreUrl parsed = StoreUrl.parse(url);
        return factory(parsed).open(parsed, environment);
    }

    /**
     * Loads what {@link #open} needs, and opens nothing.
     *
     * @throws InvalidSettingException if no store jar on the class path has the scheme
     */
    public static void prepare(String url) {
        factory(StoreUrl.parse(url)).prepare();
    }

    private static StoreFactory factory(StoreUrl url) {
        TreeSet<String> known = new TreeSet<>();
        for (StoreFactory factory : ServiceLoader.load(StoreFactory.class)) {
            if (factory.schemes().contains(url.scheme())) {
                return factory;
            }
            known.addAll(factory.schemes());
        }
        throw new InvalidSettingException(
                "store",
                url,
                "has the unknown scheme '" + url.scheme() + ":'; known here: " + known,
                "correct the URL, or add the store's jar (interlock-store-…) to the class path");
    }
}
