package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Run;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.WorkSteps;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.spi.run.WorkSteps.OutputNote;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.FinishRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The steps of workers on runs in memory. Steps about runs wait for each other. */
class MemoryWork implements WorkSteps {

    private final MemoryClient client;

    MemoryWork(MemoryClient client) {
        this.client = client;
    }

    @Override
    public ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        return client.subscribe(client.table().work, Optional.ofNullable(tenant), lookAgain);
    }

    /** Claims are serialised, so that two concurrent equal claims take the same runs. */
    @Override
    public List<Claimed> claim(ClaimRequest request) {
        RunTable table = client.table();
        return table.alone(rows -> {
            // Keys that have become free since are claimed at once.
            table.settleDue(request.tenant(), RunTable.MOST_KEYS);
            List<Claimed> before = rows.claimedBy(request.id()).stream()
                    .flatMap(key -> table.step(key, state -> ClaimRules.claimedBefore(state, request)).stream())
                    .toList();
            return before.isEmpty() ? claimAnew(request) : before;
        });
    }

    private List<Claimed> claimAnew(ClaimRequest request) {
        RunTable table = client.table();
        List<Claimed> claimed = new ArrayList<>();
        Set<RunId> tried = new HashSet<>();
        Map<String, Integer> turns = new HashMap<>();
        boolean isAll = table.isQuiet();
        while (!isAll && claimed.size() < request.max()) {
            RunRows.Candidates next = table.alone(
                    rows -> rows.candidates(request, table.now(), tried, turns, request.max() - claimed.size()));
            for (Run run : next.runs()) {
                tried.add(run.id());
                claim(run, request).ifPresent(work -> {
                    claimed.add(work);
                    turns.merge(run.key().tenant(), 1, Integer::sum);
                });
            }
            isAll = next.isAll();
        }
        return List.copyOf(claimed);
    }

    private Optional<Claimed> claim(Run run, ClaimRequest request) {
        return client.table().step(run.key(), state -> {
            Optional<Claimed> claimed = ClaimRules.claim(state, request);
            claimed.ifPresent(work -> client.table()
                    .rows
                    .claimed(run.key(), request.id(), work.lease().id()));
            return claimed;
        });
    }

    @Override
    public Answers<HeartbeatAnswer> heartbeat(List<HeartbeatRequest> requests) {
        return client.answer(
                requests, request -> client.table().step(request.key(), state -> ClaimRules.heartbeat(state, request)));
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        return client.alone(rows -> {
            Optional<Run> run = rows.run(note.run()).filter(note::isProofOf);
            run.flatMap(proved -> proved.status().lastTurn())
                    .ifPresent(turn -> rows.notes.keepOutput(note.run(), turn.attempt(), note.text()));
            return run.isPresent();
        });
    }

    @Override
    public Answers<FinishAnswer> finish(List<FinishRequest> requests) {
        return client.answer(requests, request -> {
            FinishAnswer answer = finish(request);
            client.wake(request.key());
            return answer;
        });
    }

    FinishAnswer finish(FinishRequest request) {
        return client.table()
                .step(request.key(), state -> FinishRules.finish(state, request, client.known(request.run())));
    }

    @Override
    public boolean claimsNext() {
        return true;
    }
}
