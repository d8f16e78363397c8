package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.Run;
import io.interlock.spi.run.DeadLetters;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.spi.run.rules.DeadLetterRules;
import io.interlock.spi.run.rules.KeyState;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** Dead letters and their dispositions. */
class MemoryDeadLetters implements DeadLetters {

    private final RunTable table;

    MemoryDeadLetters(RunTable table) {
        this.table = table;
    }

    @Override
    public List<DeadLetter> deadLetters(DeadLetterQuery query) {
        return table.alone(rows -> rows.history
                .deadLetters(query.after())
                .filter(query::matches)
                .limit(query.limit())
                .toList());
    }

    @Override
    public RedriveAnswer redrive(RedriveRequest request) {
        return about(
                        request.dead(),
                        (state, dead) -> DeadLetterRules.redrive(
                                state,
                                request,
                                dead,
                                table.rows.history.disposition(dead.id()),
                                table.rows.run(request.anew()).orElse(null)))
                .orElseGet(RedriveAnswer.Unknown::new);
    }

    @Override
    public DiscardAnswer discard(DiscardRequest request) {
        return about(
                        request.dead(),
                        (state, dead) -> DeadLetterRules.discard(
                                state, request, dead, table.rows.history.disposition(dead.id())))
                .orElseGet(DiscardAnswer.Unknown::new);
    }

    /** One step on the key of a run, if there is such a run, also when the key is locked. */
    private <A> Optional<A> about(RunId id, BiFunction<KeyState, Run, A> rule) {
        return table.alone(rows -> rows.run(id))
                .flatMap(run ->
                        table.step(run.key(), state -> table.rows.run(id).map(dead -> rule.apply(state, dead))));
    }
}
