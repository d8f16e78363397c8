package io.interlock.store.firestore;

import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.store.document.DocumentStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Set;

/** Opens {@code firestore://project/database}. */
public final class FirestoreStoreFactory implements StoreFactory {

    private static final Duration PRECISION = Duration.ofMillis(1);

    // Firestore promises one sustained write a second for each document.
    private static final Duration WRITE_EVERY = Duration.ofSeconds(1);

    /** For the service loader. */
    public FirestoreStoreFactory() {}

    @Override
    public Set<String> schemes() {
        return Set.of("firestore");
    }

    @Override
    public LeaseStore open(StoreUrl url, Environment environment) {
        FirestorePlace place = FirestorePlace.of(url);
        return DocumentStore.open(
                new FirestoreDocuments(place, new FirestoreCalls(place, environment)),
                new DocumentStore.Setup(place.displayName(), place.common(), PRECISION, false, WRITE_EVERY),
                environment);
    }
}
