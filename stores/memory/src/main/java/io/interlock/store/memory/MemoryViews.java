package io.interlock.store.memory;

import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.OpenRuns;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.ResourceQuery;
import io.interlock.run.RunCount;
import io.interlock.spi.run.RunViews;
import io.interlock.spi.run.rules.KeyViews;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Overviews for users and metrics. */
class MemoryViews implements RunViews {

    private final RunTable table;

    MemoryViews(RunTable table) {
        this.table = table;
    }

    @Override
    public Instant storeTime() {
        return table.now();
    }

    @Override
    public List<KeyView> keys(KeyQuery query) {
        return Stream.concat(table.slots.all().stream().map(Slot::key), table.rows.keys().stream())
                .filter(query::matches)
                .distinct()
                .sorted()
                .map(key -> table.look(key, KeyViews::view))
                .flatMap(Optional::stream)
                .limit(query.limit())
                .toList();
    }

    @Override
    public List<RunCount> runCounts() {
        return table.alone(RunRows::runCounts);
    }

    @Override
    public OpenRuns openRuns(String tenant, long most) {
        return table.alone(rows -> rows.openRuns(tenant, most));
    }

    @Override
    public List<Pause> pauses(@Nullable String tenant) {
        return table.alone(rows -> rows.pauses.inForce(table.now()).stream()
                .filter(pause -> tenant == null || tenant.equals(pause.tenant()))
                .sorted(Comparator.comparing(Pause::tenant).thenComparing(Pause::pattern))
                .toList());
    }

    @Override
    public List<Resource> resources(ResourceQuery query) {
        return table.rows.keys().stream()
                .sorted()
                .map(key -> table.alone(rows -> rows.resource(key)))
                .flatMap(Optional::stream)
                .filter(query::matches)
                .limit(query.limit())
                .toList();
    }
}
