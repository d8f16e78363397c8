package io.interlock.cli.backend;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.CancelAnswer;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.Execution;
import io.interlock.run.JobName;
import io.interlock.run.KeyQuery;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.Wait;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The runs of one tenant on a store. */
final class EngineRuns implements RunApi {

    private final RunEngine engine;
    private final String tenant;
    private final String actor;
    private final Environment environment;

    EngineRuns(RunEngine engine, String tenant, String actor, Environment environment) {
        this.engine = engine;
        this.tenant = tenant;
        this.actor = actor;
        this.environment = environment;
    }

    @Override
    public List<Facts> list(Filter filter) {
        RunQuery query = RunQuery.ofTenant(tenant).newestFirst().page(0, filter.limit());
        if (filter.key() != null) {
            query = query.of(LockKey.of(tenant, filter.key()));
        }
        if (filter.state() != null) {
            query = query.in(state(filter.state()));
        }
        if (filter.job() != null) {
            query = query.doing(new JobName(filter.job()));
        }
        if (filter.since() != null) {
            query = query.since(environment.clock().instant().minus(filter.since()));
        }
        return engine.list(query).runs().stream().map(RunFacts::of).toList();
    }

    @Override
    public List<Facts> dead(@Nullable String job, int limit) {
        Deque<DeadLetter> newest = new ArrayDeque<>();
        JobName wanted = job == null ? null : new JobName(job);
        long after = 0;
        List<DeadLetter> page;
        do {
            page = engine.deadLetters().list(new DeadLetterQuery(tenant, wanted, true, after, RunQuery.MAX_LIMIT));
            for (DeadLetter letter : page) {
                after = letter.run().number();
                newest.addFirst(letter);
                if (newest.size() > limit) {
                    newest.removeLast();
                }
            }
        } while (page.size() == RunQuery.MAX_LIMIT);
        return newest.stream().map(letter -> RunFacts.of(letter.run())).toList();
    }

    @Override
    public Facts show(String id) {
        Run run = require(id);
        Facts facts = engine.explain(run.id())
                .map(wait -> RunFacts.of(run, wait.sentence()).and("position", wait.position()))
                .orElseGet(() -> RunFacts.of(run));
        return RunFacts.detailed(
                facts,
                run,
                engine.attempts(run.id()),
                engine.queries().output(run.id()).orElse(null));
    }

    @Override
    public Facts await(String id, Duration most) throws InterruptedException {
        engine.awaitEnd(require(id).id(), most);
        return show(id);
    }

    @Override
    public List<Facts> queue(@Nullable String key) {
        if (key != null) {
            return line(LockKey.of(tenant, key));
        }
        List<Facts> all = new ArrayList<>();
        engine.queries().keys(KeyQuery.ofTenant(tenant)).stream()
                .filter(view -> view.waiting() > 0)
                .forEach(view -> all.addAll(line(view.key())));
        return all;
    }

    @Override
    public Facts submit(Wish wish) {
        RunRequest request = RunRequest.of(LockKey.of(tenant, wish.key()), wish.job())
                .parameters(wish.parameters())
                .priority(wish.priority())
                .submitter(actor);
        if (wish.onConflict() != null) {
            request = request.onConflict(policy(wish.onConflict()));
        }
        if (wish.reason() != null) {
            request = request.reason(wish.reason());
        }
        if (wish.idempotencyKey() != null) {
            request = request.idempotencyKey(wish.idempotencyKey());
        }
        return submitted(engine.submit(request));
    }

    @Override
    public Facts rerun(String id, String reason) {
        Run run = require(id);
        RunRequest request = RunRequest.of(run.key(), run.job())
                .execution(run.spec().execution())
                .onConflict(run.spec().policy())
                .priority(run.spec().priority())
                .parameters(run.spec().parameters())
                .labels(run.spec().labels())
                .lease(run.spec().terms().ttl())
                .submitter(actor)
                .reason(reason);
        if (run.spec().execution() == Execution.CALLER) {
            throw doneByCaller(id, run.key().name());
        }
        return submitted(engine.submit(request));
    }

    /** Its work is nobody else's to do again. */
    static Failure doneByCaller(String id, String key) {
        return new Failure(
                ExitCode.FAILED,
                "run " + id + " was done by its caller, and only that can do it again",
                "type the command again: interlock run " + key + " -- …");
    }

    @Override
    public Facts cancel(String id, String reason) {
        CancelAnswer answer = engine.cancel(require(id).id(), actor, reason);
        if (answer instanceof CancelAnswer.Over over) {
            throw new Failure(
                    ExitCode.STALE,
                    "run-finished",
                    "run " + id + " has ended before: " + over.run().state(),
                    "there is nothing to do");
        }
        return show(id);
    }

    @Override
    public Facts redrive(String id, String reason) {
        return DeadLetterResults.redriven(
                engine.deadLetters().redrive(require(id).id(), actor, reason), id);
    }

    @Override
    public Facts discard(String id, String reason) {
        return DeadLetterResults.discarded(
                engine.deadLetters().discard(require(id).id(), actor, reason), id);
    }

    private List<Facts> line(LockKey key) {
        List<Facts> line = new ArrayList<>();
        int position = 0;
        for (Run run : engine.queue(key)) {
            position++;
            Optional<Wait> wait = engine.explain(run.id());
            line.add(RunFacts.of(run, wait.map(Wait::sentence).orElse("")).and("position", position));
        }
        return line;
    }

    private static Facts submitted(Submission answer) {
        if (answer instanceof Submission.Rejected rejected) {
            throw new Failure(
                    ExitCode.BUSY,
                    rejected.refusal().code(),
                    answer.explanation(),
                    "interlock locks show " + answer.key().name() + "; or submit with --on-conflict queue");
        }
        if (answer instanceof Submission.Queued queued) {
            return RunFacts.of(queued.queued(), answer.explanation()).and("position", queued.position());
        }
        return answer.run()
                .map(run -> RunFacts.of(run, answer.explanation()))
                .orElseGet(() -> Facts.with("key", answer.key().name())
                        .and("state", "SKIPPED")
                        .and("explanation", answer.explanation())
                        .done());
    }

    private Run require(String id) {
        return parsed(id)
                .flatMap(engine::find)
                .filter(run -> run.key().tenant().equals(tenant))
                .orElseThrow(() -> Failure.unknown(
                        "tenant " + tenant + " has no run called '" + id + "'",
                        "interlock runs ls shows those there are"));
    }

    private static Optional<RunId> parsed(String id) {
        try {
            return Optional.of(RunId.parse(id));
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    private static RunState state(String name) {
        try {
            return RunState.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException none) {
            throw Failure.usage("'" + name + "' is no state of a run", "choose one of " + List.of(RunState.values()));
        }
    }

    private static ConflictPolicy policy(String name) {
        try {
            return ConflictPolicy.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException none) {
            throw Failure.usage("'" + name + "' is no policy", "choose one of " + List.of(ConflictPolicy.values()));
        }
    }
}
