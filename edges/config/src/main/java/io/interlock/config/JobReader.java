package io.interlock.config;

import io.interlock.ConflictPolicy;
import io.interlock.DurationText;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.engine.Job;
import io.interlock.engine.JobBuilder;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.engine.http.HttpSpec;
import io.interlock.engine.schedule.FireTimes;
import io.interlock.engine.schedule.MaintenanceWindow;
import io.interlock.engine.schedule.MaintenanceWindows;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.Transition;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the settings of one job. */
final class JobReader {

    private static final Duration USUAL_LEASE = Duration.ofSeconds(30);

    /** A waiting request must be answered before its connection counts as idle. */
    private static final Duration LONGEST_CONFLICT = Duration.ofMinutes(1);

    private static final int MOST_RETRIES = 1_000;

    /** A longer check counts as failed. */
    private static final Duration PROBE_PATIENCE = Duration.ofSeconds(30);

    private static final int HIGHEST_EXIT_CODE = 255;

    private static final Pattern PATH = Pattern.compile("[^.\\s]+(\\.[^.\\s]+)*");

    /** The variables that a command inherits. */
    private enum Inheritance {
        INHERIT,
        CLEAN
    }

    private final Reading reading;
    private final int queueCap;
    private final String name;
    private final String at;

    /**
     * A reader for one job.
     *
     * @param queueCap how many runs may wait for one key
     * @param name as written in properties: in quotes if it contains a dot
     */
    JobReader(Reading reading, int queueCap, String name) {
        this.reading = reading;
        this.queueCap = queueCap;
        this.name = SettingsReader.plain(name);
        this.at = "jobs." + name + ".";
    }

    JobSettings read() {
        String valid = reading.made("jobs." + name, () -> new JobName(name).value(), "invalid");
        CompatApi api = reading.choice(at + "api", CompatApi.class).orElse(CompatApi.NONE);
        JobBuilder job = Job.named(valid).queueCap(queueCap);
        job.onConflict(reading.choice(at + "on-conflict", ConflictPolicy.class).orElse(api.policy()));
        conflictRetry(job);
        Duration runtime = runtime(api);
        clocks(job, api, runtime);
        stages(job);
        job.retry(retry(api));
        guard(api).ifPresent(job::transition);
        Work work = work(api, runtime);
        return new JobSettings(
                reading.made("jobs." + name, job::build, Job.named("invalid").build()),
                api,
                work,
                probe(work).orElse(null),
                triggers(api),
                eventId(api),
                schedule(valid, api).orElse(null));
    }

    private void clocks(JobBuilder job, CompatApi api, @Nullable Duration runtime) {
        Duration lease = lease(runtime);
        Duration delay = reading.duration(at + "lock-delay");
        LeaseTerms terms =
                reading.made(at + "lock-delay", () -> new LeaseTerms(lease, delay), LeaseTerms.of(USUAL_LEASE));
        Duration own = reading.optionalDuration(at + "max-wait");
        Duration wait = own == null ? api.maxWait(runtime) : own;
        Duration grace = reading.duration(at + "expiry-grace", api.expiryGrace());
        RunLimits limits = reading.made(at + "max-wait", () -> new RunLimits(wait, runtime, grace), RunLimits.NONE);
        job.lease(terms.ttl()).lockDelay(terms.lockDelay()).expiryGrace(limits.expiryGrace());
        Optional.ofNullable(limits.maxWait()).ifPresent(job::maxWait);
        limits.runtimeLimit().ifPresent(job::maxRuntime);
    }

    private void conflictRetry(JobBuilder job) {
        int times = reading.number(at + "conflict-retry.attempts", 0, MOST_RETRIES);
        Duration delay = reading.duration(at + "conflict-retry.delay");
        if (delay.isNegative() || delay.isZero()) {
            reading.mistake(at + "conflict-retry.delay", "'" + DurationText.format(delay) + "' must be above 0s");
        } else if (times > 0 && delay.compareTo(LONGEST_CONFLICT.dividedBy(times)) > 0) {
            reading.mistake(
                    at + "conflict-retry",
                    times + " × " + DurationText.format(delay) + " is above " + DurationText.format(LONGEST_CONFLICT)
                            + ", the longest time a request may wait; retry less often, or use on-conflict: queue");
        } else {
            job.conflictRetry(times, delay);
        }
    }

    /** Its own, else the compatible API's; {@code null} if unlimited. A value out of range is reported and ignored. */
    private @Nullable Duration runtime(CompatApi api) {
        Duration own = reading.optionalDuration(at + "max-runtime");
        if (own == null) {
            return api.maxRuntime().orElse(null);
        }
        return reading.tried(at + "max-runtime", () -> {
                    if (api == CompatApi.PIPELINES) {
                        Job.RuntimeRange.MINUTE_TO_DAY.require(own);
                    }
                    return new RunLimits(null, own, Duration.ZERO)
                            .runtimeLimit()
                            .orElseThrow();
                })
                .orElse(null);
    }

    /** A default lease is shortened to fit the max runtime. */
    private Duration lease(@Nullable Duration runtime) {
        Duration lease = reading.duration(at + "lease");
        if (lease.compareTo(LeaseTerms.MIN_TTL) < 0) {
            reading.mistake(
                    at + "lease",
                    "'" + DurationText.format(lease) + "' is below the shortest lease of "
                            + DurationText.format(LeaseTerms.MIN_TTL) + "; 30s suits most work");
            return USUAL_LEASE;
        }
        if (runtime == null || runtime.compareTo(lease) >= 0 || lease.equals(LeaseTerms.MIN_TTL)) {
            return lease;
        }
        if (reading.isSet(at + "lease")) {
            reading.mistake(
                    at + "max-runtime",
                    "'" + DurationText.format(runtime) + "' is below the lease of " + DurationText.format(lease)
                            + "; raise it, or lower the lease");
            return lease;
        }
        return runtime.compareTo(LeaseTerms.MIN_TTL) < 0 ? LeaseTerms.MIN_TTL : runtime;
    }

    private void stages(JobBuilder job) {
        List<String> stages = reading.words(at + "stages");
        Set<String> budgeted = reading.sources().children(at + "stage-budgets");
        Set<String> known = new HashSet<>();
        for (String stage : stages) {
            if (!known.add(stage)) {
                reading.mistake(at + "stages", "has '" + stage + "' twice; name each stage once");
                continue;
            }
            Duration budget = reading.optionalDuration(at + "stage-budgets." + Settings.quoted(stage));
            if (budget == null) {
                job.stage(stage);
            } else {
                job.stage(stage, budget);
            }
        }
        for (String stage : budgeted) {
            if (!known.contains(SettingsReader.plain(stage))) {
                reading.mistake(
                        at + "stage-budgets." + stage,
                        "names a stage that is not in stages " + stages + "; add it there");
            }
        }
    }

    private RetryPlan retry(CompatApi api) {
        RetryPlan usual = api.retry();
        Integer own = reading.optionalNumber(at + "retry.attempts", 1, 100);
        int attempts = own == null ? usual.attempts() : own;
        Duration backoff = reading.duration(at + "retry.backoff", usual.backoff());
        double multiplier = reading.decimal(at + "retry.multiplier");
        Duration most = usual.maxBackoff().compareTo(backoff) < 0 ? backoff : usual.maxBackoff();
        Duration longest = reading.duration(at + "retry.max-backoff", most);
        return reading.made(at + "retry", () -> new RetryPlan(attempts, backoff, multiplier, longest), RetryPlan.NONE);
    }

    private Optional<Transition> guard(CompatApi api) {
        String resource = reading.text(at + "transition.resource");
        String during = reading.text(at + "transition.during");
        String success = reading.text(at + "transition.success");
        String failure = reading.text(at + "transition.failure");
        List<String> from = reading.words(at + "transition.from");
        if (resource == null && during == null && success == null && failure == null && from.isEmpty()) {
            return api.transition();
        }
        if (resource == null || during == null || success == null || failure == null || from.isEmpty()) {
            reading.mistake(at + "transition", "is incomplete; it needs resource, from, during, success and failure");
            return Optional.empty();
        }
        if (api == CompatApi.INGESTION
                && from.contains(success)
                && !List.of(Transition.PREVIOUS, success).contains(failure)) {
            reading.mistake(
                    at + "transition.failure",
                    "'" + failure + "' would move an event back from " + success
                            + " when a repeated ingestion fails; write " + Transition.PREVIOUS);
            return Optional.empty();
        }
        return reading.tried(
                at + "transition", () -> new Transition(resource, new HashSet<>(from), during, success, failure));
    }

    private Optional<JobSettings.Probe> probe(Work work) {
        List<String> command = reading.words(at + "probe.command");
        String url = reading.text(at + "probe.url");
        Duration every = reading.duration(at + "probe.every");
        if (command.isEmpty() && url == null) {
            if (reading.isSet(at + "probe.every")) {
                reading.mistake(at + "probe", "is empty; set command or url");
            }
            return Optional.empty();
        }
        if (!command.isEmpty() && url != null) {
            reading.mistake(at + "probe", "has both command and url; set one of them");
        }
        if (every.isNegative() || every.isZero()) {
            reading.mistake(at + "probe.every", "must be above 0s");
        }
        if (work instanceof Work.Remote || work instanceof Work.Nodes) {
            reading.mistake(
                    at + "probe",
                    "is only for work of this process; this job has "
                            + (work instanceof Work.Remote
                                    ? "worker: remote, whose workers must check themselves"
                                    : "nodes, each of which may have a probe"));
        }
        return Optional.of(new JobSettings.Probe(
                url == null
                        ? question(command, work)
                        : new Work.Http(reading.address(at + "probe.url", url), PROBE_PATIENCE, null, null),
                every));
    }

    // In the directory and with the variables of the work, if that is a command as well.
    private static Work.Command question(List<String> command, Work work) {
        return work instanceof Work.Command done
                ? new Work.Command(command, done.directory(), done.inherited(), Set.of())
                : new Work.Command(command, null, InheritedEnvironment.ALL, Set.of());
    }

    /** The path of the event id in the body. */
    private String eventId(CompatApi api) {
        String path = reading.requiredText(at + "event-id");
        if (reading.isSet(at + "event-id") && api != CompatApi.WORKFLOWS) {
            onlyForWorkflows("event-id", api);
        }
        if (!PATH.matcher(path).matches()) {
            reading.mistake(
                    at + "event-id",
                    "'" + path + "' is not a path; write field names separated by dots, such as data.object.id");
        }
        return path;
    }

    private Map<String, Integer> triggers(CompatApi api) {
        List<String> named = reading.words(at + "triggers");
        Set<String> urgent = reading.sources().children(at + "trigger-priorities");
        if (api != CompatApi.WORKFLOWS) {
            if (!named.isEmpty() || !urgent.isEmpty()) {
                onlyForWorkflows(named.isEmpty() ? "trigger-priorities" : "triggers", api);
            }
            return Map.of();
        }
        Map<String, Integer> triggers = new LinkedHashMap<>();
        (named.isEmpty() ? List.of(name) : named).forEach(trigger -> triggers.put(trigger, 0));
        for (String child : urgent) {
            String property = at + "trigger-priorities." + child;
            Integer priority = reading.optionalNumber(property, -RunSpec.MAX_PRIORITY, RunSpec.MAX_PRIORITY);
            if (triggers.replace(SettingsReader.plain(child), priority == null ? 0 : priority) == null) {
                reading.mistake(
                        property, "names a trigger that is not one of " + triggers.keySet() + "; add it to triggers");
            }
        }
        return triggers;
    }

    private void onlyForWorkflows(String property, CompatApi api) {
        reading.mistake(at + property, "is only for jobs with api: workflows; this one has api: " + api.word());
    }

    private Optional<ScheduledJob> schedule(String job, CompatApi api) {
        String cron = reading.text(at + "schedule");
        if (cron == null) {
            boolean named = reading.isSet(at + "schedule-key") || reading.isSet(at + "schedule-tenant");
            if ((named && !hasWindows()) || reading.isSet(at + "schedule-zone")) {
                reading.mistake(
                        at + "schedule",
                        "is missing, though the job has schedule-key, schedule-tenant or schedule-zone");
            }
            return Optional.empty();
        }
        ZoneId zone = reading.tried(
                        at + "schedule-zone", () -> FireTimes.zone(reading.requiredText(at + "schedule-zone")))
                .orElse(ZoneOffset.UTC);
        return reading.tried(at + "schedule", () -> FireTimes.parse(cron, zone))
                .flatMap(when -> key(job, api).map(under -> ScheduledJob.of(new JobName(job), under, when)));
    }

    /** The windows in which nothing starts under its key. */
    Optional<MaintenanceWindows.NoStart> noStart(CompatApi api) {
        List<MaintenanceWindow> windows = reading.windows(at + "no-start");
        return hasWindows()
                ? key(name, api).map(key -> new MaintenanceWindows.NoStart(key.tenant(), key.name(), windows))
                : Optional.empty();
    }

    private boolean hasWindows() {
        return !reading.words(at + "no-start").isEmpty();
    }

    /** The key of its schedule and its windows. */
    private Optional<LockKey> key(String job, CompatApi api) {
        String own = reading.text(at + "schedule-key");
        Optional<String> named = own != null ? Optional.of(own) : api.keyOf(job);
        if (named.isEmpty()) {
            reading.mistake(
                    at + "schedule-key",
                    "is missing: keys of compatible API " + api.word()
                            + " are not named after jobs; set the key to start");
            return Optional.empty();
        }
        String tenant = reading.requiredText(at + "schedule-tenant");
        return reading.tried(at + "schedule-key", () -> LockKey.of(tenant, named.get()));
    }

    private Work work(CompatApi api, @Nullable Duration maxRuntime) {
        List<Work> ways = new ArrayList<>();
        List<String> command = reading.words(at + "run.command");
        Set<Integer> codes = exitCodes();
        String directory = reading.text(at + "run.directory");
        if (!command.isEmpty()) {
            ways.add(new Work.Command(command, directory == null ? null : Path.of(directory), inherited(), codes));
        } else {
            if (!codes.isEmpty()) {
                onlyForCommands("retry.permanent-exit-codes");
            }
            if (reading.isSet(at + "run.environment")) {
                onlyForCommands("run.environment");
            }
        }
        String url = reading.text(at + "run.http.url");
        if (url != null) {
            ways.add(http(url, api, maxRuntime));
        }
        String java = reading.text(at + "run.java");
        if (java != null) {
            ways.add(new Work.Java(java));
        }
        List<String> nodes = reading.words(at + "run.nodes");
        if (!nodes.isEmpty()) {
            ways.add(new Work.Nodes(nodes));
        }
        if (remote()) {
            ways.add(new Work.Remote());
        }
        if (ways.size() != 1) {
            reading.mistake(
                    at + "run",
                    (ways.isEmpty()
                                    ? "does not say how the work is done"
                                    : "has " + ways.size() + " ways to do the work")
                            + "; give one of command, http, java, nodes, worker: remote");
        }
        return ways.isEmpty() ? new Work.Remote() : ways.get(0);
    }

    private void onlyForCommands(String property) {
        reading.mistake(at + property, "is only for jobs that run a command");
    }

    private InheritedEnvironment inherited() {
        boolean clean = reading.choice(at + "run.environment", Inheritance.class)
                .filter(Inheritance.CLEAN::equals)
                .isPresent();
        InheritedEnvironment usual = clean ? InheritedEnvironment.CLEAN : InheritedEnvironment.ALL;
        Set<String> more = Set.copyOf(reading.words(at + "run.environment-allow"));
        return reading.made(at + "run.environment-allow", () -> usual.allowing(more), usual);
    }

    private Work http(String url, CompatApi api, @Nullable Duration maxRuntime) {
        return new Work.Http(
                reading.address(at + "run.http.url", url),
                timeout(api, maxRuntime),
                reading.secretFile(at + "run.http.secret-file"),
                reading.text(at + "run.http.callback"));
    }

    /** An answer may take as long as the work: a shorter timeout would fail a run whose work continues. */
    private Duration timeout(CompatApi api, @Nullable Duration maxRuntime) {
        Duration own = reading.optionalDuration(at + "run.http.timeout");
        if (own != null && maxRuntime != null && own.compareTo(maxRuntime) > 0) {
            reading.mistake(
                    at + "run.http.timeout",
                    "'" + DurationText.format(own) + "' is above max-runtime, which is "
                            + DurationText.format(maxRuntime) + "; remove it, or raise max-runtime");
        }
        if (own != null) {
            return own;
        }
        if (maxRuntime == null) {
            // Jobs on clusters have no time limit and may take long.
            return api == CompatApi.CLUSTERS ? HttpSpec.LONGEST_TIMEOUT : HttpSpec.DEFAULT_TIMEOUT;
        }
        return maxRuntime.compareTo(HttpSpec.LONGEST_TIMEOUT) > 0 ? HttpSpec.LONGEST_TIMEOUT : maxRuntime;
    }

    private boolean remote() {
        String worker = reading.text(at + "run.worker");
        if (worker != null && !worker.equals("remote")) {
            reading.mistake(at + "run.worker", "'" + worker + "' is unknown; write remote");
        }
        return worker != null;
    }

    private Set<Integer> exitCodes() {
        Set<Integer> codes = new HashSet<>();
        for (String code : reading.words(at + "retry.permanent-exit-codes")) {
            if (code.matches("\\d{1,3}") && Integer.parseInt(code) <= HIGHEST_EXIT_CODE) {
                codes.add(Integer.valueOf(code));
            } else {
                reading.mistake(
                        at + "retry.permanent-exit-codes",
                        "has '" + code + "'; exit codes are from 0 to " + HIGHEST_EXIT_CODE);
            }
        }
        return codes;
    }
}
