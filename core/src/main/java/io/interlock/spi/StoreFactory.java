package io.interlock.spi;

import io.interlock.time.Environment;
import java.util.Set;

/** Opens stores of one kind; found by {@link java.util.ServiceLoader}. */
public interface StoreFactory {

    /** The URL schemes it answers to, in lower case. */
    Set<String> schemes();

    /**
     * Opens a store, ready to use. If it fails, it leaves nothing open.
     *
     * @throws io.interlock.InvalidSettingException if the URL is invalid
     * @throws io.interlock.UnsafeStoreException if the store is unsafe to use
     * @throws io.interlock.StoreUnavailableException if it does not answer
     */
    LeaseStore open(StoreUrl url, Environment environment);

    /** Loads what an opening needs, such as a driver, and touches no store: a program that starts may do this beside other work. */
    default void prepare() {}
}
