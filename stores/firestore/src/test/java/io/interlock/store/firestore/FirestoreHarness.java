package io.interlock.store.firestore;

import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreUrl;
import io.interlock.tck.StoreHarness;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** The real client of Firestore and a server written from its documentation, whose clock can be moved. */
final class FirestoreHarness implements StoreHarness {

    private final FirestoreServer server = FirestoreServer.start();

    @Override
    public LeaseStore open(Environment environment) {
        return new FirestoreStoreFactory().open(StoreUrl.parse(server.url()), environment);
    }

    @Override
    public void advance(Duration time) {
        server.advance(time);
    }

    @Override
    public void reset() {
        server.deleteAll();
    }

    @Override
    public Optional<String> url() {
        return Optional.of(server.url());
    }

    @Override
    public boolean crash() {
        server.stop();
        server.resume();
        return true;
    }

    @Override
    public boolean loseData() {
        server.deleteAll();
        return true;
    }

    @Override
    public OptionalLong writes() {
        return OptionalLong.of(server.commits());
    }

    @Override
    public void close() {
        server.close();
    }
}
