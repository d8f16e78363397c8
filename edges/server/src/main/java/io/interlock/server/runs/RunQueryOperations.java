package io.interlock.server.runs;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunPage;
import io.interlock.run.RunQuery;
import io.interlock.server.api.Call;
import io.interlock.server.api.Call.Cursor;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.service.Facts;
import io.vertx.core.json.JsonArray;
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

    /** How many runs are looked at for one page, if few of them match. */
    private static final int MOST_LOOKED_AT = 1_000;

    private static final int CHUNK = 200;

    private final OperationContext context;
    private final KnownRuns known;

    RunQueryOperations(OperationContext context, KnownRuns known) {
        this.context = context;
        this.known = known;
    }

    CompletionStage<Reply> get(Call call) {
        RunId id = KnownRuns.id(call);
        if (call.patience().isZero()) {
            return context.blocking(call, () -> Reply.ok(detail(call, known.require(call, id))));
        }
        // The owner comes first: a caller must not learn how long a foreign run takes.
        return known.facts(call)
                .thenCompose(facts ->
                        context.waits().until(call, context.engine().awaitEndAsync(facts.id(), call.patience())))
                .thenCompose(ended -> context.blocking(
                        call,
                        () -> Reply.ok(detail(
                                call,
                                KnownRuns.owned(call, ended).orElseThrow(() -> KnownRuns.unknown(id.toString()))))));
    }

    private Facts detail(Call call, Run run) {
        return context.service().run(run, call.optional("output", Boolean.class).orElse(false));
    }

    CompletionStage<Reply> list(Call call) {
        RunQuery query = query(call);
        Set<RunState> states = states(call);
        Predicate<Run> wanted = wanted(call);
        int limit = call.limit();
        return context.lists().call(call.tenant(), () -> {
            List<Run> found = new ArrayList<>();
            Optional<String> cursor = page(query, states, wanted, limit, found);
            return Reply.ok(Facts.with("items", context.service().runs(call.tenant(), found))
                    .and("cursor", cursor.orElse(null)));
        });
    }

    /** Fills a page; the answer is the cursor of the next one, if there is one. */
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

    /** The part of the request that the store looks for. */
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

    /** A caller that looks for few among many has many looked at at a time. */
    private static int chunk(Call call) {
        boolean picks = call.optional("key", String.class)
                .filter(key -> key.endsWith("*"))
                .isPresent();
        return picks ? Math.max(call.limit(), CHUNK) : call.limit();
    }

    /** The rest of the request, checked on what the store finds. */
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
