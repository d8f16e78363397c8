package io.interlock.store.etcd;

import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.store.document.DocumentStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Set;

/** Opens {@code etcd://[user:password@]host:port,…}, and {@code etcds://} for TLS. */
public final class EtcdStoreFactory implements StoreFactory {

    // Leases of etcd last whole seconds.
    private static final Duration PRECISION = Duration.ofSeconds(1);

    /** For the service loader. */
    public EtcdStoreFactory() {}

    @Override
    public Set<String> schemes() {
        return Set.of("etcd", "etcds");
    }

    @Override
    public LeaseStore open(StoreUrl url, Environment environment) {
        EtcdSettings settings = EtcdSettings.of(url);
        return DocumentStore.open(
                EtcdDocuments.connect(settings, environment),
                new DocumentStore.Setup(settings.toString(), settings.common(), PRECISION, true, Duration.ZERO),
                environment);
    }
}
