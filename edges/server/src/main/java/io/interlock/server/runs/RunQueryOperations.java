package io.interlock.server.runs;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.KeyQuery;
import io.interlock.run.Run;
import io.interlock.run.RunPage;
import io.interlock.run.RunQuery;
import io.interlock.server.api.Call;
import io.interlock.server.api.Cursor;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.json.RunJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** {@code getRun} and {@code listRuns}. */
final class RunQueryOperations {

    private static final String CURSOR = "runs";

    /** How many runs are looked at for one page, if most of them are none of those asked for. */
    private static final int MOST_LOOKED_AT = 1_000;

    private static final int CHUNK = 200;

    private final OperationContext context;
    private final KnownRuns known;
    private final DeadLetterOutcomes settled;

    RunQueryOperations(OperationContext context, KnownRuns known) {
        this.context = context;
        this.known = known;
        this.settled = new DeadLetterOutcomes(context.engine());
    }

    CompletionStage<Reply> get(Call call) {
        RunId id = KnownRuns.id(call);
        if (call.patience().isZero()) {
            return context.blocking().call(call.tenant(), () -> Reply.ok(detail(call, known.require(call, id))));
        }
        // Whose run it is comes first: how long a foreign one takes is nobody's business.
        return known.facts(call)
                .thenCompose(facts ->
                        context.waits().until(call, context.engine().awaitEndAsync(facts.id(), call.patience())))
                .thenCompose(ended -> context.blocking()
                        .call(
                                call.tenant(),
                                () -> Reply.ok(detail(
                                        call,
                                        KnownRuns.owned(call, ended)
                                                .orElseThrow(() -> KnownRuns.unknown(id.toString()))))));
    }

    private JsonObject detail(Call call, Run run) {
        JsonObject json = run.state() == RunState.QUEUED
                ? context.engine()
                        .explain(run.id())
                        .map(wait -> RunLookups.explained(run, wait))
                        .orElseGet(() -> RunJson.of(run))
                : RunJson.of(run);
        boolean wanted = call.optional("output", Boolean.class).orElse(false);
        if (run.state() == RunState.RUNNING) {
            lease(run)
                    .ifPresent(lease ->
                            RunJson.beating(json, lease, run.spec().terms().ttl()));
        }
        settled.of(call.tenant(), List.of(run)).values().forEach(done -> RunJson.settled(json, done));
        Optional<String> output = wanted ? context.engine().queries().output(run.id()) : Optional.empty();
        return RunJson.detailed(json, run, context.engine().attempts(run.id()), output.orElse(null));
    }

    /** The lease under which a run goes on, as long as it does. */
    private Optional<LeaseRecord> lease(Run run) {
        return context
                .engine()
                .queries()
                .keys(new KeyQuery(run.key().tenant(), run.key().name(), null, 1))
                .stream()
                .filter(view -> view.key().equals(run.key()))
                .flatMap(view -> view.currentLease().stream())
                .filter(lease -> lease.evicted().isEmpty()
                        && lease.holder().runId().filter(run.id()::equals).isPresent())
                .findFirst();
    }

    CompletionStage<Reply> list(Call call) {
        RunQuery query = query(call);
        Set<RunState> states = states(call);
        Predicate<Run> wanted = wanted(call);
        int limit = call.limit();
        return context.lists().call(call.tenant(), () -> {
            List<Run> found = new ArrayList<>();
            Optional<String> cursor = page(query, states, wanted, limit, found);
            JsonObject page = new JsonObject().put("items", new JsonArray(settled.shown(call.tenant(), found)));
            cursor.ifPresent(place -> page.put("cursor", place));
            return Reply.ok(page);
        });
    }

    /** Fills a page, and says where the next one begins if there is one. */
    private Optional<String> page(
            RunQuery first, Set<RunState> states, Predicate<Run> wanted, int limit, List<Run> items) {
        RunQuery query = first;
        int lookedAt = 0;
        while (true) {
            RunPage page = runs(query, states);
            for (Run run : page.runs()) {
                lookedAt++;
                if (wanted.test(run)) {
                    items.add(run);
                }
                boolean full = items.size() == limit || lookedAt == MOST_LOOKED_AT;
                boolean last = run.equals(page.runs().get(page.runs().size() - 1)) && !page.more();
                if (full && !last) {
                    return Optional.of(Cursor.of(CURSOR, run.number()));
                }
            }
            if (page.cursor().isEmpty()) {
                return Optional.empty();
            }
            query = query.page(page.cursor().getAsLong(), query.limit());
        }
    }

    /**
     * A page of runs in any of {@code states}; none stands for all. Each state is asked for by itself, because the store finds the runs
     * of one without a look at all others. A run that goes on to its next state meanwhile is in two of the lists, and counts once.
     */
    private RunPage runs(RunQuery query, Set<RunState> states) {
        if (states.isEmpty()) {
            return context.engine().list(query);
        }
        Map<Long, Run> found = new TreeMap<>(Comparator.reverseOrder());
        boolean more = false;
        for (RunState state : states) {
            RunPage page = context.engine().list(query.in(state));
            page.runs().forEach(run -> found.put(run.number(), run));
            more |= page.more();
        }
        List<Run> first = found.values().stream().limit(query.limit()).toList();
        return new RunPage(first, more || found.size() > first.size());
    }

    /** What the store can look for. */
    private RunQuery query(Call call) {
        RunQuery query = RunQuery.ofTenant(call.tenant())
                .page(Cursor.number(call, CURSOR), chunk(call))
                .newestFirst();
        Optional<String> job = call.optional("job", String.class);
        if (job.isPresent()) {
            query = query.doing(new JobName(job.get()));
        }
        Optional<LockKey> key = call.keyParameter("key");
        if (key.isPresent() && !key.get().name().endsWith("*")) {
            query = query.of(key.get());
        }
        RunQuery asked = query;
        return call.since(context.environment().clock().instant())
                .map(asked::since)
                .orElse(asked);
    }

    /** Who looks for few among many looks at many at a time. */
    private static int chunk(Call call) {
        boolean picks = call.optional("key", String.class)
                .filter(key -> key.endsWith("*"))
                .isPresent();
        return picks ? Math.max(call.limit(), CHUNK) : call.limit();
    }

    /** What is left to look for in what the store finds. */
    private static Predicate<Run> wanted(Call call) {
        String key = call.optional("key", String.class).orElse("*");
        String prefix = key.endsWith("*") ? key.substring(0, key.length() - 1) : key;
        return run -> run.key().name().startsWith(prefix);
    }

    private static Set<RunState> states(Call call) {
        Set<RunState> states = EnumSet.noneOf(RunState.class);
        call.optional("state", JsonArray.class)
                .ifPresent(array -> array.forEach(state -> states.add(RunState.valueOf((String) state))));
        return states;
    }
}
