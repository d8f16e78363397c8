package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.KeyView.KeyStatus;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.SearchQuery;
import io.interlock.run.SearchQuery.SearchResult;
import io.interlock.run.Summary;
import io.interlock.run.Summary.OpenRuns;
import io.interlock.run.Summary.RunCount;
import io.interlock.spi.run.RunViews;
import io.interlock.spi.run.rules.LineRules;
import io.interlock.spi.run.rules.QueueRules;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Overviews for users and metrics. */
class MemoryViews implements RunViews {

    private final MemoryClient client;

    MemoryViews(MemoryClient client) {
        this.client = client;
    }

    @Override
    public Instant storeTime() {
        return client.table().now();
    }

    @Override
    public List<KeyView> keys(KeyQuery query) {
        return views(query.tenant(), query::matches).limit(query.limit()).toList();
    }

    private Stream<KeyView> views(String tenant, Predicate<LockKey> wanted) {
        return Stream.concat(client.table().rows.leases.keys().stream(), client.table().rows.keys().stream())
                .filter(key -> key.tenant().equals(tenant) && wanted.test(key))
                .distinct()
                .sorted()
                .flatMap(key -> client.table().view(key).stream());
    }

    @Override
    public KeyLine line(LineQuery query) {
        KeyView view = client.table().view(query.key()).orElse(null);
        return client.alone(rows -> {
            Instant now = client.table().now();
            List<LineRules.Standing> found = rows.find(query.key()).stream()
                    .flatMap(row -> row.waiting().stream())
                    .sorted(QueueRules.readyFirst(now))
                    .map(run -> LineRules.Standing.of(run, now))
                    .filter(standing -> standing.isBehind(
                            query.after().rank(), query.after().number()))
                    .limit(query.limit() + 1L)
                    .toList();
            return LineRules.page(query, view, found, rows.history.pastRuntimes(query.key()));
        });
    }

    @Override
    public Summary summary(String tenant) {
        List<KeyView> views = views(tenant, any -> true).toList();
        Map<KeyStatus, Long> locks = views.stream()
                .collect(Collectors.groupingBy(
                        KeyView::state, () -> new EnumMap<>(KeyStatus.class), Collectors.counting()));
        Set<String> paused =
                Pause.ofOneKey(pauses(tenant), client.table().now()).collect(Collectors.toSet());
        views.forEach(view -> paused.remove(view.key().name()));
        if (!paused.isEmpty()) {
            locks.merge(KeyStatus.PAUSED, (long) paused.size(), Long::sum);
        }
        KeyView longest = views.stream()
                .filter(view -> view.waitingSince() != null)
                .min(Comparator.comparing(view -> Objects.requireNonNull(view.waitingSince())))
                .orElse(null);
        Run next = longest == null
                ? null
                : line(LineQuery.front(longest.key(), 1)).runs().stream()
                        .findFirst()
                        .orElse(null);
        return client.alone(rows -> {
            Instant now = client.table().now();
            Instant since = now.minus(Summary.FAILURES);
            List<Run> failed = rows.history.failedSince(tenant, since);
            return new Summary(
                    now,
                    locks,
                    rows.runCounts().stream()
                            .filter(count -> count.tenant().equals(tenant))
                            .toList(),
                    failures(failed),
                    failed.size(),
                    since,
                    views.stream()
                            .filter(view -> view.state() == KeyStatus.OVERDUE)
                            .limit(Summary.LISTED)
                            .toList(),
                    views.stream()
                            .filter(view -> view.waiting() > 0)
                            .sorted(Comparator.comparingInt(KeyView::waiting)
                                    .reversed()
                                    .thenComparing(KeyView::key))
                            .limit(Summary.LISTED)
                            .toList(),
                    longest,
                    next);
        });
    }

    @Override
    public List<RunCount> runCounts() {
        return client.alone(RunRows::runCounts);
    }

    @Override
    public OpenRuns openRuns(String tenant, long most) {
        return client.alone(rows -> rows.openRuns(tenant, most));
    }

    @Override
    public List<Pause> pauses(@Nullable String tenant) {
        return client.alone(rows -> rows.pauses.inForce(client.table().now()).stream()
                .filter(pause -> tenant == null || tenant.equals(pause.tenant()))
                .sorted(Comparator.comparing(Pause::tenant).thenComparing(Pause::pattern))
                .toList());
    }

    private static List<Summary.Failures> failures(List<Run> lastFirst) {
        return lastFirst.stream()
                .collect(Collectors.groupingBy(
                        run -> List.of(run.job(), run.state(), code(run)), LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(alike -> {
                    Run last = alike.get(0);
                    return new Summary.Failures(
                            last.job(),
                            last.state(),
                            code(last),
                            alike.size(),
                            last.status().since(),
                            last.id(),
                            last.key());
                })
                .sorted(Comparator.comparingLong(Summary.Failures::count).reversed())
                .limit(Summary.GROUPS)
                .toList();
    }

    private static String code(Run run) {
        RunError error = run.status().error();
        return error == null ? "" : error.code();
    }

    @Override
    public SearchResult search(SearchQuery query) {
        long limit = query.limit() + 1L;
        List<Run> runs = client.alone(rows -> rows.history.newestFirst(query.tenant()));
        List<KeyView> inUse = views(query.tenant(), any -> true).toList();
        List<Pause> pauses = pauses(query.tenant());
        List<LockKey> keys = Stream.concat(
                        runs.stream().map(Run::key), inUse.stream().map(KeyView::key))
                .filter(key -> query.isIn(key.name()))
                .distinct()
                .sorted()
                .limit(limit)
                .toList();
        return new SearchResult(
                runs.stream().filter(query::isIdOf).limit(limit).toList(),
                keys.stream()
                        .map(key -> inUse.stream()
                                .filter(view -> view.key().equals(key))
                                .findFirst()
                                .orElseGet(() ->
                                        KeyView.idle(key, pauses, client.table().now())))
                        .toList(),
                inUse.stream()
                        .flatMap(view -> view.currentLease().stream())
                        .map(lease -> lease.holder().label())
                        .filter(query::isIn)
                        .distinct()
                        .sorted()
                        .limit(limit)
                        .toList(),
                runs.stream()
                        .limit(SearchQuery.LOOKED_AT)
                        .flatMap(run -> run.spec().labels().entrySet().stream())
                        .filter(query::isIn)
                        .distinct()
                        .sorted(Map.Entry.<String, String>comparingByKey().thenComparing(Map.Entry.comparingByValue()))
                        .limit(limit)
                        .toList());
    }
}
