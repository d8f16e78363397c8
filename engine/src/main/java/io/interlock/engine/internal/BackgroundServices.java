package io.interlock.engine.internal;

import io.interlock.ConflictPolicy;
import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.Job;
import io.interlock.engine.RunRequest;
import io.interlock.engine.WorkerEngine;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditKey.AuditSigner;
import io.interlock.engine.audit.AuditSealer;
import io.interlock.engine.audit.AuditWatch;
import io.interlock.engine.http.HttpRules;
import io.interlock.engine.http.PinnedHttp;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.runtime.EngineThreads.EngineTimers;
import io.interlock.engine.internal.submit.Submitter;
import io.interlock.engine.internal.worker.WorkerPool;
import io.interlock.engine.notify.Notifier;
import io.interlock.engine.notify.NotifyRule;
import io.interlock.engine.notify.NotifyRule.NotifyTarget;
import io.interlock.engine.schedule.MaintenanceWindows;
import io.interlock.engine.schedule.Schedules;
import io.interlock.locks.Locks;
import io.interlock.locks.runtime.Loop;
import io.interlock.run.Attempt;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.RefusalCount;
import io.interlock.run.Run;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an engine does beside its runs: seals and watches the audit log, counts what starts nothing new and how runs end, says that its workers
 * are there, starts jobs by the clock and tells the outside world. Nothing here decides who has a key, and nothing here that
 * fails stops a run.
 */
final class BackgroundServices {

    private static final Logger log = LoggerFactory.getLogger(BackgroundServices.class);
    private static final Duration NOTE_EVERY = Duration.ofSeconds(10);

    private static final LockKey AUDIT = LockKey.of("interlock", "audit");
    private static final double SPREAD = 0.2;

    private final EngineSettings settings;
    private final EngineTimers timers;
    private final EngineEvents events;
    private final AuditSealer sealer;
    private final WorkerPool workers;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private @Nullable RefusalCounter counter;
    private @Nullable MaintenanceWindows windows;

    BackgroundServices(
            EngineSettings settings, EngineTimers timers, EngineEvents events, AuditSealer sealer, WorkerPool workers) {
        this.settings = settings;
        this.timers = timers;
        this.events = events;
        this.sealer = sealer;
        this.workers = workers;
    }

    /** Opens the maintenance windows that last now, and from now on. */
    void startWindows(Consumer<PauseRequest> pause) {
        if (!settings.background().windows().isEmpty()) {
            RunStore store = settings.store();
            windows = new MaintenanceWindows(
                    settings.background().windows(),
                    store.views(),
                    store.notes(),
                    pause,
                    settings.work().environment());
            open.push(windows);
        }
    }

    void start(Submitter submitter) {
        RunStore store = settings.store();
        Environment environment = settings.work().environment();
        if (settings.background().kept()) {
            sign(settings.background().auditKey(), store.audit(), environment);
            open.push(sealer.start(environment));
            open.push(new AuditWatch(
                            store.audit(),
                            store.notes(),
                            new AuditWatch.OverlapResponse(store.runs(), store.queries()),
                            report -> events.tell(new EngineEvent.AuditAlarm(AUDIT, report)))
                    .start(environment));
            counter = new RefusalCounter(store.notes(), settings.work().holder().instance(), environment);
            open.push(counter);
            PeriodCounter periods = new PeriodCounter(store.notes(), store.views(), environment);
            events.onEvent(event -> count(event, periods));
            open.push(periods);
            if (settings.work().slots() > 0) {
                open.push(Loop.paced(environment, "worker-notes", NOTE_EVERY, this::note));
            }
        }
        if (!settings.background().rules().isEmpty()) {
            PinnedHttp http = new PinnedHttp(allowed(settings.background()), environment);
            open.push(http);
            // A notification that takes longer to arrive does not hold up closing; its rule's lease is left to expire.
            Locks locks = Locks.builder(store)
                    .environment(environment)
                    .drainTime(Duration.ofSeconds(2))
                    .build();
            open.push(locks);
            open.push(new Notifier(
                    settings.background().rules(),
                    new Notifier.Sources(store.audit(), store.queries(), store.notes()),
                    locks,
                    Notifier.PostSender.over(http),
                    (rule, notification, why) ->
                            events.tell(new EngineEvent.NotificationGivenUp(rule.name(), notification, why)),
                    environment));
        }
        if (!settings.background().schedules().isEmpty()) {
            open.push(new Schedules(
                    environment,
                    (job, key, fireTime, idempotencyKey) -> submitter.submitAsync(afterWindow(RunRequest.of(key, job)
                            .idempotencyKey(idempotencyKey)
                            // Whatever is configured by then: it is the start of that time.
                            .fingerprint("schedule")
                            .submitter("schedule")
                            .reason("scheduled for " + fireTime))),
                    settings.background().schedules()));
        }
    }

    // What is due in a maintenance window waits for its end, though the job's policy would refuse a start that cannot
    // be at once; of several starts of a job that are due in it, the last one is left.
    private RunRequest afterWindow(RunRequest request) {
        Optional<Duration> wait = windows == null ? Optional.empty() : windows.waits(request.key());
        if (wait.isEmpty()) {
            return request;
        }
        Job job = settings.work().jobs().require(request.job());
        Duration limit = job.limits().maxWait();
        RunRequest patient = limit == null ? request : request.maxWait(limit.plus(wait.get()));
        return job.policy().yieldsToIncumbent() ? patient.onConflict(ConflictPolicy.QUEUE_LATEST) : patient;
    }

    // Before anything is sealed here: a log is signed from its beginning on.
    private void sign(@Nullable AuditKey key, AuditLog audit, Environment environment) {
        if (key == null) {
            return;
        }
        AuditSigner signer = new AuditSigner(audit, key);
        try {
            signer.runOnce();
        } catch (InterlockException away) {
            log.warn("signing the audit log failed; retrying: {}", away.toString());
        }
        open.push(signer.start(environment));
    }

    void count(LockKey key, ConflictPolicy policy, RefusalCount.Outcome outcome, String last) {
        RefusalCounter counts = counter;
        if (counts != null) {
            counts.count(key, policy, outcome, last);
        }
    }

    private static void count(EngineEvent event, PeriodCounter periods) {
        if (event instanceof EngineEvent.AttemptEnded ended) {
            Run run = ended.run();
            Turn turn = run.status().turn();
            Instant end = run.status().since();
            if (turn != null) {
                periods.held(run.key(), run.job(), Duration.between(turn.startedAt(), end), end);
            }
            if (run.state().isTerminal()) {
                periods.ended(run.key(), run.job(), run.state(), end);
            }
        } else if (event instanceof EngineEvent.RunEnded ended) {
            Run run = ended.run();
            periods.ended(run.key(), run.job(), run.state(), run.status().since());
        } else if (event instanceof EngineEvent.EndedByRule ended) {
            Run run = ended.run();
            Attempt attempt = ended.attempt();
            if (attempt != null) {
                Duration held = Duration.between(attempt.turn().startedAt(), attempt.endedAt());
                periods.held(run.key(), run.job(), held, attempt.endedAt());
            }
            if (ended.after().isTerminal()) {
                periods.ended(
                        run.key(), run.job(), ended.after(), ended.record().at());
            }
        }
    }

    void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception failure) {
                log.warn("closing a background service failed: {}", failure.toString());
            }
        }
    }

    private static HttpRules allowed(EngineSettings.Background background) {
        List<String> hosts = background.rules().stream()
                .map(NotifyRule::target)
                .flatMap(target -> target instanceof NotifyTarget.Web web
                        ? Stream.of(web.url().getHost())
                        : Stream.empty())
                .distinct()
                .toList();
        return HttpRules.hosts(hosts).networks(background.privateNetworks());
    }

    private Duration note() {
        WorkerEngine.Status status = workers.status();
        settings.store()
                .notes()
                .noteWorker(new WorkerNote(
                        settings.work().holder(),
                        settings.work().tenant(),
                        workers.jobs(),
                        status.slots(),
                        status.busy(),
                        version(),
                        settings.work().environment().clock().instant()));
        return timers.time().jittered(NOTE_EVERY, SPREAD);
    }

    private static String version() {
        String version = BackgroundServices.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}
