package io.interlock.config;

import io.interlock.InterlockException;
import io.interlock.engine.EngineBuilder;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.http.SignatureCheck;
import io.interlock.engine.http.SignatureCheck.StripeSignature;
import io.interlock.engine.http.WebhookSigner;
import io.interlock.engine.notify.NotifyRule;
import io.interlock.engine.notify.NotifyRule.NotifyTarget;
import io.interlock.engine.workflow.NodeRuns;
import io.interlock.time.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/**
 * Sets up an engine by a configuration: jobs with handlers, schedules, notifications and limits. Close it after the
 * engine.
 *
 * <p>Immutable and thread-safe.
 */
public final class EngineSetup implements AutoCloseable {

    private final InterlockSettings settings;
    private final Handlers handlers;
    private final Jobs jobs;
    private final List<NotifyRule> rules;
    private final List<TriggerSecret> secrets;
    private final Optional<AuditKey> auditKey;

    private EngineSetup(
            InterlockSettings settings,
            Handlers handlers,
            Jobs jobs,
            List<NotifyRule> rules,
            List<TriggerSecret> secrets,
            Optional<AuditKey> auditKey) {
        this.settings = settings;
        this.handlers = handlers;
        this.jobs = jobs;
        this.rules = rules;
        this.secrets = secrets;
        this.auditKey = auditKey;
    }

    /**
     * Creates handlers and rules: loads classes, reads secrets.
     *
     * @throws ConfigurationException naming every job and notification that cannot be created
     */
    public static EngineSetup of(Configuration configuration, Environment environment) {
        InterlockSettings settings = configuration.settings();
        Reading reading = configuration.reading();
        Handlers handlers = new Handlers(settings, environment);
        try {
            Jobs jobs = jobs(settings, handlers, reading);
            List<NotifyRule> rules = rules(settings, reading, environment);
            List<TriggerSecret> secrets = secrets(settings, reading, environment);
            Optional<AuditKey> auditKey = auditKey(settings, reading);
            reading.requireNoMistakes();
            return new EngineSetup(settings, handlers, jobs, rules, secrets, auditKey);
        } catch (RuntimeException | Error failure) {
            handlers.close();
            throw failure;
        }
    }

    /** The jobs, with handlers. */
    public Jobs jobs() {
        return jobs;
    }

    /** The secrets that authenticate senders of webhooks. */
    public List<TriggerSecret> triggerSecrets() {
        return List.copyOf(secrets);
    }

    /** Configures {@code builder}. */
    public EngineBuilder onto(EngineBuilder builder) {
        InterlockSettings.Worker worker = settings.worker();
        CompletableFuture<RunEngine> engine = new CompletableFuture<>();
        builder.jobs(withNodes(engine))
                .whenBuilt(engine::complete)
                .slots(worker.enabled() ? worker.slots() : 0)
                .sweepEvery(worker.sweepEvery())
                .drainTime(worker.grace())
                .keepIdempotency(settings.history().idempotency())
                .retention(settings.history().retention())
                .privateNetworks(settings.privateNetworks())
                .maxOpenRuns(settings.limits().tenant().openRuns())
                .maxOpenPayload(settings.limits().tenant().openPayload() * 1024L * 1024L);
        worker.onlyFor().ifPresent(builder::workFor);
        settings.tenants().forEach(builder::tenantMaxRunning);
        settings.jobs().values().forEach(job -> job.clock().ifPresent(builder::schedule));
        settings.windows().forEach(builder::noStart);
        rules.forEach(builder::tell);
        auditKey.ifPresent(builder::auditKey);
        return builder;
    }

    @Override
    public void close() {
        handlers.close();
    }

    /** Nodes are runs of the engine, so their handler needs the engine. */
    private Jobs withNodes(Future<RunEngine> engine) {
        List<Job> all = new ArrayList<>();
        for (Job job : jobs.all()) {
            JobSettings known = settings.jobs().get(job.name().value());
            all.add(
                    known != null && known.work() instanceof Work.Nodes nodes
                            ? job.doneBy(new NodeRuns(nodes.jobs(), engine::get))
                            : job);
        }
        return Jobs.of(all);
    }

    private static Jobs jobs(InterlockSettings settings, Handlers handlers, Reading reading) {
        List<Job> jobs = new ArrayList<>();
        settings.jobs().forEach((name, job) -> {
            try {
                jobs.add(handlers.of(job).map(job.job()::doneBy).orElse(job.job()));
            } catch (InterlockException broken) {
                reading.mistake(
                        Configuration.property(name, "run." + job.work().word()), String.valueOf(broken.getMessage()));
            }
        });
        return Jobs.of(jobs);
    }

    private static List<NotifyRule> rules(InterlockSettings settings, Reading reading, Environment environment) {
        List<NotifyRule> rules = new ArrayList<>();
        for (int i = 0; i < settings.notifications().size(); i++) {
            InterlockSettings.NotifySettings told = settings.notifications().get(i);
            reading.made("notify[" + i + "]", () -> Optional.of(rule(told, environment)), Optional.<NotifyRule>empty())
                    .ifPresent(rules::add);
        }
        return rules;
    }

    private static Optional<AuditKey> auditKey(InterlockSettings settings, Reading reading) {
        Secret secret = settings.history().auditKey();
        return secret == null
                ? Optional.empty()
                : reading.made("audit.key-file", () -> Optional.of(AuditKey.of(secret.reveal())), Optional.empty());
    }

    private static List<TriggerSecret> secrets(InterlockSettings settings, Reading reading, Environment environment) {
        List<TriggerSecret> secrets = new ArrayList<>();
        for (int i = 0; i < settings.webhooks().size(); i++) {
            InterlockSettings.WebhookSettings known = settings.webhooks().get(i);
            reading.made(
                            "webhooks[" + i + "].secret-file",
                            () -> Optional.of(check(known, environment)),
                            Optional.<SignatureCheck>empty())
                    .ifPresent(check -> secrets.add(new TriggerSecret(known.trigger(), known.tenant(), check)));
        }
        return secrets;
    }

    private static SignatureCheck check(InterlockSettings.WebhookSettings known, Environment environment) {
        String secret = known.secret().reveal();
        return switch (known.signature()) {
            case STANDARD -> new WebhookSigner(List.of(secret), environment.clock());
            case STRIPE -> new StripeSignature(secret, environment.clock());
        };
    }

    private static NotifyRule rule(InterlockSettings.NotifySettings told, Environment environment) {
        return NotifyRule.of(told.on(), target(told.to(), environment), told.tenant());
    }

    private static NotifyTarget target(InterlockSettings.NotifySettings.To to, Environment environment) {
        if (to instanceof InterlockSettings.NotifySettings.To.Webhook webhook) {
            return new NotifyTarget.Webhook(
                    webhook.url(), new WebhookSigner(List.of(webhook.secret().reveal()), environment.clock()));
        }
        return to instanceof InterlockSettings.NotifySettings.To.Slack slack
                ? new NotifyTarget.Slack(slack.url())
                : new NotifyTarget.Command(
                        ((InterlockSettings.NotifySettings.To.Command) to).words(),
                        NotifyTarget.Command.DEFAULT_WITHIN);
    }
}
