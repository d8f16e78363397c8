package io.interlock.server.demo;

import io.interlock.LockKey;
import io.interlock.engine.RunEngine;
import io.interlock.run.Resource;
import java.util.List;
import java.util.Optional;

/** A cluster that is created, scaled and destroyed over and over, by whichever job its state allows. */
final class DemoCluster {

    /** As the clusters compatible API names them, so that it can be looked at there. */
    static final String KEY = "cluster/berlin.example.com.aws.demo000001";

    private static final String KIND = "cluster";
    private static final String PENDING = "PENDING";

    private final RunEngine engine;

    DemoCluster(RunEngine engine) {
        this.engine = engine;
    }

    /** The job that may come next; two of them at once get into each other's way. Empty while it is at work. */
    List<String> next() {
        LockKey key = LockKey.of(LockKey.DEFAULT_TENANT, KEY);
        Optional<Resource> cluster = engine.resource(key);
        String state = cluster.map(Resource::state).orElse(Resource.UNTOUCHED);
        return switch (state) {
            case Resource.UNTOUCHED, "DESTROYED" -> {
                long version = cluster.map(Resource::version).orElse(0L);
                engine.setResource(key, KIND, PENDING, version, "demo", "sample data of the demo");
                yield List.of("CREATE");
            }
            case PENDING -> List.of("CREATE");
            case "READY" -> List.of("SCALE_WORKERS", "DESTROY");
            case "FAILED" -> List.of("DESTROY");
            default -> List.of();
        };
    }
}
