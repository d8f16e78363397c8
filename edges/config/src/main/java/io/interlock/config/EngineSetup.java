package io.interlock.config;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.engine.EngineBuilder;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.OutsideProbe;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunHandler;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.command.CommandSpec;
import io.interlock.engine.handler.CommandHandler;
import io.interlock.engine.handler.HttpHandler;
import io.interlock.engine.http.HttpRules;
import io.interlock.engine.http.HttpSpec;
import io.interlock.engine.http.PinnedHttp;
import io.interlock.engine.http.SignatureCheck;
import io.interlock.engine.http.SignatureCheck.StripeSignature;
import io.interlock.engine.http.WebhookSigner;
import io.interlock.engine.notify.NotifyRule;
import io.interlock.engine.notify.NotifyRule.NotifyTarget;
import io.interlock.engine.workflow.NodeRuns;
import io.interlock.time.Environment;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

    private EngineSetup(Configuration configuration, Environment environment) {
        Reading reading = configuration.reading();
        settings = configuration.settings();
        handlers = new Handlers(settings, environment);
        try {
            jobs = jobs(settings, handlers, reading);
            rules = rules(settings, reading, environment);
            secrets = secrets(settings, reading, environment);
            auditKey = auditKey(settings, reading);
            reading.requireNoMistakes();
        } catch (RuntimeException | Error failure) {
            handlers.close();
            throw failure;
        }
    }

    /**
     * Creates handlers and rules: loads classes, reads secrets.
     *
     * @throws ConfigurationException naming every job and notification that cannot be created
     */
    public static EngineSetup of(Configuration configuration, Environment environment) {
        return new EngineSetup(configuration, environment);
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
        Optional.ofNullable(worker.tenant()).ifPresent(builder::workFor);
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
            reading.tried(
                            "notify[" + i + "]",
                            () -> NotifyRule.of(told.on(), target(told.to(), environment), told.tenant()))
                    .ifPresent(rules::add);
        }
        return rules;
    }

    private static Optional<AuditKey> auditKey(InterlockSettings settings, Reading reading) {
        Secret secret = settings.history().auditKey();
        return secret == null ? Optional.empty() : reading.tried("audit.key-file", () -> AuditKey.of(secret.reveal()));
    }

    private static List<TriggerSecret> secrets(InterlockSettings settings, Reading reading, Environment environment) {
        List<TriggerSecret> secrets = new ArrayList<>();
        for (int i = 0; i < settings.webhooks().size(); i++) {
            InterlockSettings.WebhookSettings known = settings.webhooks().get(i);
            reading.tried("webhooks[" + i + "].secret-file", () -> check(known, environment))
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

    /** Creates the handlers of jobs. Requests may go only to the hosts that jobs name. */
    private static final class Handlers implements AutoCloseable {

        private final Environment environment;
        private final @Nullable PinnedHttp http;

        Handlers(InterlockSettings settings, Environment environment) {
            this.environment = environment;
            List<String> hosts = settings.jobs().values().stream()
                    .flatMap(job -> Stream.concat(
                            Stream.of(job.work()),
                            Optional.ofNullable(job.probe()).map(JobSettings.Probe::question).stream()))
                    .filter(Work.Http.class::isInstance)
                    .map(work -> ((Work.Http) work).url().getHost())
                    .distinct()
                    .toList();
            http = hosts.isEmpty()
                    ? null
                    : new PinnedHttp(HttpRules.hosts(hosts).networks(settings.privateNetworks()), environment);
        }

        /** The handler of {@code job} in this process; empty if other processes execute it. */
        Optional<RunHandler> of(JobSettings job) {
            JobSettings.Probe probe = job.probe();
            Optional<RunHandler> work = of(job.work());
            if (probe == null || work.isEmpty()) {
                return work;
            }
            return Optional.of(new OutsideProbe(of(probe.question()).orElseThrow(), work.get(), probe.every()));
        }

        private Optional<RunHandler> of(Work work) {
            if (work instanceof Work.Command command) {
                return Optional.of(command(command));
            } else if (work instanceof Work.Http call && http != null) {
                return Optional.of(new HttpHandler(spec(call), http, environment));
            } else if (work instanceof Work.Java java) {
                return Optional.of(loaded(java.className()));
            }
            return Optional.empty();
        }

        @Override
        public void close() {
            if (http != null) {
                http.close();
            }
        }

        private RunHandler command(Work.Command command) {
            CommandSpec spec = CommandSpec.of(command.words())
                    .environment(Map.of(), command.inherited())
                    .permanentExitCodes(command.permanentExitCodes());
            return new CommandHandler(
                    command.directory() == null ? spec : spec.directory(command.directory()), environment);
        }

        private HttpSpec spec(Work.Http call) {
            HttpSpec spec = HttpSpec.of(call.url()).timeout(call.timeout());
            if (call.secret() != null) {
                spec = spec.signer(new WebhookSigner(List.of(call.secret().reveal()), environment.clock()));
            }
            return call.callback() == null ? spec : spec.callback(call.callback());
        }

        private static RunHandler loaded(String name) {
            try {
                Object made = Class.forName(name).getConstructor().newInstance();
                if (made instanceof RunHandler handler) {
                    return handler;
                }
                throw cannot(name, "does not implement " + RunHandler.class.getName());
            } catch (ClassNotFoundException | NoClassDefFoundError missing) {
                throw cannot(name, "is not on the class path (" + missing.getMessage() + ")");
            } catch (InvocationTargetException failed) {
                throw cannot(name, "failed in its constructor: " + failed.getCause());
            } catch (ReflectiveOperationException | LinkageError unfit) {
                throw cannot(name, "has no public constructor without parameters");
            }
        }

        private static InvalidSettingException cannot(String name, String why) {
            return new InvalidSettingException(
                    "java",
                    name,
                    why,
                    "name a public class that implements RunHandler, and put it on the class path with INTERLOCK_CLASSPATH");
        }
    }

    /** A secret that authenticates the senders of a trigger. */
    public record TriggerSecret(String trigger, String tenant, SignatureCheck check) {}
}
