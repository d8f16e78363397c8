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
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Counts the events of an engine. Times are the store's, as recorded in the runs, so attempts may begin in another
 * process. Thread-safe.
 */
final class RunMeters implements EngineListener {

    private static final Duration[] BUCKETS = {
        Duration.ofMillis(10),
        Duration.ofMillis(100),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(15),
        Duration.ofMinutes(1),
        Duration.ofMinutes(5),
        Duration.ofMinutes(15),
        Duration.ofMinutes(30),
        Duration.ofHours(1),
        Duration.ofMinutes(90),
        Duration.ofHours(3),
        Duration.ofHours(12)
    };

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
            Counter.builder("interlock.evictions")
                    .description("Evicted leases")
                    .register(registry)
                    .increment();
        } else if (event instanceof EngineEvent.AuditAlarm) {
            Counter.builder("interlock.audit.alarms")
                    .description("Problems found in the audit log")
                    .register(registry)
                    .increment();
        } else if (event instanceof EngineEvent.Swept swept) {
            Counter.builder("interlock.janitor.actions")
                    .description("Actions of sweeps")
                    .tag("action", swept.sweep())
                    .register(registry)
                    .increment();
        }
    }

    private void acquisition(Run run, String outcome) {
        acquisition(run.job().value(), run.key(), outcome, "none");
    }

    private void acquisition(String job, LockKey key, String outcome, String reason) {
        Counter.builder("interlock.acquisitions")
                .description("Submissions by outcome")
                .tags(tags.of(job, key))
                .tag("outcome", outcome)
                .tag("reason", reason)
                .register(registry)
                .increment();
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
            timer("interlock.hold", "How long an attempt had its key", run)
                    .tag("outcome", outcome(run.state()))
                    .register(registry)
                    .record(between(turn.startedAt(), status.since()));
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
            timer("interlock.hold", "How long an attempt had its key", run)
                    .tag("outcome", outcome(ended.after()))
                    .register(registry)
                    .record(between(attempt.turn().startedAt(), attempt.endedAt()));
        }
        if (ended.after() == RunState.TIMED_OUT) {
            timedOut(run);
        }
        if (ended.after().isTerminal()) {
            ended(run);
        }
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
        Counter.builder(name)
                .description(description)
                .tags(tags.of(run.job().value(), run.key()))
                .tags(Arrays.asList(more))
                .register(registry)
                .increment();
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
