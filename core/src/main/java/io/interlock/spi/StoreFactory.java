package io.interlock.spi;

import io.interlock.time.Environment;
import java.util.Set;

/** Opens stores of one kind; found by {@link java.util.ServiceLoader}. */
public interface StoreFactory {

    /** The URL schemes it answers to, in lower case. */
    Set<String> schemes();

    /**
     * Opens a store, ready to use. If it fails, nothing half-made is left behind.
     *
     * @throws io.interlock.InvalidSettingException if the URL is not one it understands
     * @throws io.interlock.UnsafeStoreException if the store must not be used as it is
     * @throws io.interlock.StoreUnavailableException if it does not answer
     */
    LeaseStore open(StoreUrl url, Environment environment);
}
