package io.interlock.client;

import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.time.Environment;
import java.util.Map;
import java.util.Set;

/** Lets the processes of the contract reach a server like a store: {@code http://HOST:PORT?key=KEY&tenant=T}. */
public final class ServerStoreFactory implements StoreFactory {

    @Override
    public Set<String> schemes() {
        return Set.of("http");
    }

    @Override
    public LeaseStore open(StoreUrl url, Environment environment) {
        Map<String, String> headers = Map.of(
                "x-api-key", url.options().getOrDefault("key", ""),
                "X-Tenant", url.options().getOrDefault("tenant", "default"));
        return new ServerLeaseStore(new ServerConnection("http:" + url.rest(), headers), environment);
    }
}
