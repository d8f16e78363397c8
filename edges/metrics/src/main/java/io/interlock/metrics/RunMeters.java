package io.interlock.metrics;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.run.Attempt;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.Run;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.Stage;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * Counts the events of an engine. Times are the store's, as recorded in the runs, so attempts may begin in another
 * process. Thread-safe.
 */
final class RunMeters implements EngineListener {

    private static final Duration[] BUCKETS =
            Labels.buckets(0.01, 0.1, 1, 5, 15, 60, 300, 900, 1_800, 3_600, 5_400, 10_800, 43_200);

    private final MeterRegistry registry;
    private final Labels tags;

    RunMeters(MeterRegistry registry, Labels tags) {
        this.registry = registry;
        this.tags = tags;
    }

    @Override
    public void on(EngineEvent event) {
        if (event instanceof EngineEvent.RunSubmitted submitted) {
            acquisition(submitted.run(), submitted.run().state() == RunState.QUEUED ? "queued" : "started");
        } else if (event instanceof EngineEvent.RunJoined joined) {
            acquisition(joined.run(), "joined");
        } else if (event instanceof EngineEvent.RunRepeated repeated) {
            acquisition(repeated.run(), "duplicate");
        } else if (event instanceof EngineEvent.SubmissionRefused refused) {
            acquisition(
                    refused.job(),
                    refused.key(),
                    refused.skipped() ? "skipped" : "rejected",
                    Labels.named(refused.refusal().getClass()));
        } else if (event instanceof EngineEvent.RunStarted started) {
            started(started.run());
        } else if (event instanceof EngineEvent.StageEntered entered) {
            if (entered.before() != null && entered.took() != null) {
                stage(entered.run(), entered.before(), entered.took());
            }
        } else if (event instanceof EngineEvent.AttemptEnded ended) {
            attemptEnded(ended.run());
        } else if (event instanceof EngineEvent.RunEnded ended) {
            ended(ended.run());
        } else if (event instanceof EngineEvent.EndedByRule ended) {
            endedByRule(ended);
        } else {
            trouble(event);
        }
    }

    private void trouble(EngineEvent event) {
        if (event instanceof EngineEvent.LeaseLost lost) {
            count(
                    "interlock.lease.lost",
                    "Leases lost while their work was running",
                    lost.run(),
                    Tag.of("cause", lost.cause().name().toLowerCase(Locale.ROOT)));
        } else if (event instanceof EngineEvent.StageOverBudget over) {
            String job = over.run().job().value();
            count(
                    "interlock.stage.over.budget",
                    "Stages that took longer than their budget",
                    over.run(),
                    Tag.of("stage", tags.stage(job, over.stage())));
        } else if (event instanceof EngineEvent.WorkStuck stuck) {
            count("interlock.work.stuck", "Work that did not stop when requested", stuck.run());
        } else if (event instanceof EngineEvent.Evicted) {
            Labels.count(registry, "interlock.evictions", "Evicted leases", Tags.empty());
        } else if (event instanceof EngineEvent.AuditAlarm) {
            Labels.count(registry, "interlock.audit.alarms", "Problems found in the audit log", Tags.empty());
        } else if (event instanceof EngineEvent.Swept swept) {
            Labels.count(registry, "interlock.janitor.actions", "Actions of sweeps", Tags.of("action", swept.sweep()));
        }
    }

    private void acquisition(Run run, String outcome) {
        acquisition(run.job().value(), run.key(), outcome, "none");
    }

    private void acquisition(String job, LockKey key, String outcome, String reason) {
        Labels.count(
                registry,
                "interlock.acquisitions",
                "Submissions by outcome",
                Tags.of(tags.of(job, key)).and("outcome", outcome, "reason", reason));
    }

    private void started(Run run) {
        Turn turn = run.status().turn();
        if (turn != null && turn.attempt() == 1) {
            timer("interlock.wait", "From submission to the first attempt", run)
                    .register(registry)
                    .record(between(run.submittedAt(), turn.startedAt()));
        }
    }

    private void attemptEnded(Run run) {
        RunStatus status = run.status();
        Turn turn = status.turn();
        if (turn != null) {
            held(run, run.state(), turn, status.since());
        }
        List<Stage> stages = status.stages();
        if (!stages.isEmpty()) {
            Stage last = stages.get(stages.size() - 1);
            stage(run, last.name(), between(last.since(), status.since()));
        }
        if (run.state() == RunState.TIMED_OUT) {
            timedOut(run);
        }
        if (run.state().isTerminal()) {
            ended(run);
        }
    }

    private void ended(Run run) {
        timer("interlock.run", "From submission to the end", run)
                .tag("outcome", outcome(run.state()))
                .register(registry)
                .record(between(run.submittedAt(), run.status().since()));
        count("interlock.runs", "Ended runs", run, Tag.of("outcome", outcome(run.state())));
    }

    /** Counts endings that no worker has reported, in addition to the counters of all endings. */
    private void endedByRule(EngineEvent.EndedByRule ended) {
        Run run = ended.run();
        count(
                "interlock.endings.by.rule",
                "Attempts and runs ended by a crash, a timeout, an eviction or another run",
                run,
                Tag.of("code", ended.code()),
                Tag.of("outcome", outcome(ended.after())));
        Attempt attempt = ended.attempt();
        if (attempt != null) {
            held(run, ended.after(), attempt.turn(), attempt.endedAt());
        }
        if (ended.after() == RunState.TIMED_OUT) {
            timedOut(run);
        }
        if (ended.after().isTerminal()) {
            ended(run);
        }
    }

    private void held(Run run, RunState after, Turn turn, Instant end) {
        timer("interlock.hold", "How long an attempt had its key", run)
                .tag("outcome", outcome(after))
                .register(registry)
                .record(between(turn.startedAt(), end));
    }

    private void timedOut(Run run) {
        String stage = run.status()
                .currentStage()
                .map(last -> tags.stage(run.job().value(), last.name()))
                .orElse("none");
        count("interlock.timeouts", "Attempts that took longer than max-runtime", run, Tag.of("stage", stage));
    }

    private void stage(Run run, String stage, Duration took) {
        String job = run.job().value();
        Timer.builder("interlock.stage")
                .description("Duration of stages")
                .tags(tags.of(job))
                .serviceLevelObjectives(BUCKETS)
                .tag("stage", tags.stage(job, stage))
                .register(registry)
                .record(took);
    }

    private void count(String name, String description, Run run, Tag... more) {
        Labels.count(
                registry,
                name,
                description,
                Tags.of(tags.of(run.job().value(), run.key())).and(more));
    }

    private Timer.Builder timer(String name, String description, Run run) {
        return Timer.builder(name)
                .description(description)
                .tags(tags.of(run.job().value(), run.key()))
                .serviceLevelObjectives(BUCKETS);
    }

    /** A run that is queued again failed in this attempt. */
    private static String outcome(RunState state) {
        return state.isTerminal() ? state.name().toLowerCase(Locale.ROOT) : "retried";
    }

    private static Duration between(Instant from, Instant to) {
        return to.isBefore(from) ? Duration.ZERO : Duration.between(from, to);
    }
}
