package io.interlock.config;

import io.interlock.ConflictPolicy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All properties. {@code docs/configuration.md} is generated from this list. */
final class Settings {

    static final String ROOT = "interlock.";

    private static final String LIST = """
            store                      | STORE    | sqlite:~/.local/share/interlock/interlock.db | Where leases and runs are kept: memory:, sqlite:PATH, postgresql://user:password@host:port/db or mariadb://user:password@host:port/db; redis://host:port, etcd://host:port,… or firestore://project for leases only
            host                       | TEXT     | 127.0.0.1 | The address to listen on; addresses other than loopback need API keys, and TLS or behind-proxy
            port                       | NUMBER   | 8080   | The port to listen on; 0 takes any free port
            management-port            | NUMBER   |        | A separate port for health and metrics, without API keys
            behind-proxy               | FLAG     | false  | A proxy terminates TLS, so plain HTTP is allowed on addresses other than loopback
            trusted-proxies            | WORDS    |        | Networks of the proxies, such as 10.0.0.0/8; the client address is then taken from X-Forwarded-For
            tls.certificate            | TEXT     |        | A PEM file with the certificate chain
            tls.key                    | TEXT     |        | A PEM file with the private key
            limits.body                | NUMBER   | 262144 | The maximum size of a request body, in bytes
            limits.depth               | NUMBER   | 20     | The maximum nesting depth of a JSON body
            limits.requests-per-second | NUMBER   | 1000   | The maximum number of requests per second of an API key
            limits.arrival             | DURATION | 30s    | How long a request body may take to arrive
            limits.idle                | DURATION | 75s    | How long a connection may be idle; must exceed the longest poll of 30s
            limits.streams             | NUMBER   | 20     | The maximum number of open event streams of an API key
            limits.connections         | NUMBER   |        | The maximum number of connections; default: four fifths of the file limit of this process, at most 20000
            limits.connections-per-address | NUMBER |      | The maximum number of connections of one address, except trusted proxies; default: half of limits.connections
            limits.open-runs           | NUMBER   | 100000 | About how many runs of a tenant may be open before new ones are refused
            limits.open-payload        | NUMBER   | 1024   | About how many MiB of parameters the open runs of a tenant may have in total
            limits.requests            | NUMBER   | 1000   | How many requests of a tenant may be in progress at a node; heartbeats, renewals, finishes and waiting requests do not count
            limits.waits               | NUMBER   | 5000   | How many requests of a tenant may wait at a node for work, turns or locks
            limits.api-keys            | NUMBER   | 1000   | How many valid API keys a tenant may have
            limits.queue               | NUMBER   | 1000   | The maximum number of runs that wait for one key
            private-networks           | WORDS    |        | Private networks, such as 10.0.0.0/8, to which jobs and notifications may send
            worker.enabled             | FLAG     | true   | Whether this process executes runs
            worker.slots               | NUMBER   | 16     | How many runs this process executes at once
            worker.tenant              | TEXT     |        | The tenant whose runs this process executes; default: all tenants
            janitor.interval           | DURATION | 5s     | How often each process sweeps
            shutdown.grace             | DURATION | 30s    | How long running work may continue after a stop request
            history.runs               | DURATION | 30d    | How long ended runs are kept
            history.dead-letters       | DURATION | 44d    | How long dead letters are kept that are neither redriven nor discarded
            history.audit              | DURATION | 400d   | How long audit records are kept
            audit.key-file             | TEXT     |        | A file with a key of at least 32 characters that signs the audit log; give it to every process on the store
            idempotency.keep           | DURATION | 3d     | How long idempotency keys and webhook events are remembered; at least 24h and at most history.runs; the default shrinks with a shorter history.runs
            metrics.tenant             | FLAG     | false  | Whether metrics have a tag for the tenant
            metrics.max-tenants        | NUMBER   | 100    | The maximum number of tenants in metrics; further tenants become _other
            keys[].secret-file         | TEXT     |        | A file with an API key, as printed by keys create; only for stores that keep no keys, such as redis:, etcd: and firestore:
            keys[].role                | [read trigger worker operator admin] | | The role of the key
            keys[].tenant              | TEXT     | default | The tenant of the key
            keys[].label               | TEXT     | configured | A label that identifies the key to users
            auth.oidc.issuer           | URL      |        | The OpenID provider with which people sign in to the UI, exactly as it calls itself; https, except on this host
            auth.oidc.client-id        | TEXT     |        | The id by which the provider knows this server
            auth.oidc.client-secret-file | TEXT   |        | A file with the client's secret, if it has one
            auth.oidc.client-secret    | SECRET   |        | The secret itself; a file is better
            auth.oidc.name             | TEXT     | single sign-on | What people call the provider, as in "Sign in with …"
            auth.oidc.url              | URL      |        | Where browsers reach this server; default: the address of the request. The provider must allow its /auth/oidc/callback
            auth.oidc.scopes           | WORDS    |        | What to ask the provider for; default: openid, profile and email
            auth.oidc.roles-claim      | TEXT     | roles  | The claim of the ID token with roles or groups; dots lead into objects, as in realm_access.roles
            auth.oidc.tenant-claim     | TEXT     |        | The claim with the tenants of roles that name none; default: they count in tenant default
            auth.oidc.grants[].value   | TEXT     |        | A value of the roles claim, such as a group; without any grants, values are a role or tenant:role
            auth.oidc.grants[].role    | [read trigger worker operator admin] | | The role it gives
            auth.oidc.grants[].tenant  | TEXT     | default | The tenant in which it gives it
            jobs.*.api                | [pipelines flows ingestion workflows clusters none] | none | The compatible API that can start the job, in addition to REST
            jobs.*.run.command         | WORDS    |        | The program to run and its arguments; no shell is used
            jobs.*.run.directory       | TEXT     |        | The working directory of the program; default: that of this process
            jobs.*.run.environment     | [inherit clean] | inherit | Which variables of this process the program inherits: inherit, all except INTERLOCK_*, AWS_* (other than regions and profiles), PGPASSWORD, PGPASSFILE, MYSQL_PWD and REDISCLI_AUTH; clean, only PATH, HOME, LANG, LC_*, TZ and TMPDIR
            jobs.*.run.environment-allow | WORDS  |        | Further variables it inherits, by name or as AWS_*
            jobs.*.run.http.url        | URL      |        | The URL to call
            jobs.*.run.http.timeout    | DURATION |        | How long the answer may take, at most max-runtime; default: max-runtime up to 24h; without max-runtime 24h for clusters, else 30s
            jobs.*.run.http.secret-file | TEXT    |        | A file with the secret that signs the request
            jobs.*.run.http.callback   | URL      |        | The URL where the other system reports the end of its work after an answer of 202; {runId} stands for the run
            jobs.*.run.java            | TEXT     |        | The class that does the work: a RunHandler with a public constructor without parameters
            jobs.*.run.nodes           | WORDS    |        | Workflows: the jobs that are its nodes; they run in parallel, each under its own key
            jobs.*.run.worker          | [remote] |        | A worker in another process claims and executes the runs
            jobs.*.on-conflict         | [POLICY] | | What happens to a newcomer; default: that of the compatible API, else reject
            jobs.*.conflict-retry.attempts | NUMBER | 0   | How often a start that would be refused is retried; the request waits meanwhile, at most 1m in total
            jobs.*.conflict-retry.delay | DURATION | 5s   | The delay before each retry, give or take a fifth
            jobs.*.probe.command       | WORDS    |        | A program that checks, before each attempt, whether the work still runs in another system; exit code 0 means that it does not
            jobs.*.probe.url           | URL      |        | A URL to check instead; an answer of 2xx means that the work does not run
            jobs.*.probe.every         | DURATION | 5s     | How long an attempt waits before it repeats the check
            jobs.*.lease               | DURATION | 30s    | How long a lease lasts without renewal; at most the store's maxLease
            jobs.*.lock-delay          | DURATION | 0s     | How long a key stays closed after its lease expired or was evicted
            jobs.*.max-runtime         | DURATION |        | How long an attempt may take (the "lock timeout"); default: that of the compatible API, else unlimited
            jobs.*.max-wait            | DURATION |        | How long a run waits for its turn or for a worker; default: max-runtime for pipelines, flows, ingestion and workflows, else unlimited
            jobs.*.stages              | WORDS    |        | The stages, in order, as shown in the UI and in metrics
            jobs.*.stage-budgets.*     | DURATION |        | How long a stage may take before an event reports it
            jobs.*.triggers            | WORDS    |        | Workflows: the triggers that start it; default: its own name
            jobs.*.trigger-priorities.* | NUMBER |        | Workflows that queue: the priority of executions started by a trigger, from -100 to 100; default: 0
            jobs.*.event-id            | TEXT     | eventId | Workflows: the path of the event id in the body, such as id or data.object.id
            jobs.*.schedule            | TEXT     |        | A cron expression; it starts runs under the same lock as any other start
            jobs.*.schedule-zone       | TEXT     | UTC    | The time zone of the schedule, such as Europe/Berlin
            jobs.*.schedule-key        | TEXT     |        | The key of scheduled runs; default: the compatible API's key with the name of the job
            jobs.*.schedule-tenant     | TEXT     | default | The tenant of scheduled runs
            jobs.*.no-start            | WORDS    |        | Maintenance windows of its key, which is schedule-key or that of the compatible API, in schedule-tenant: nothing starts under it, such as Fri 18:00 - Mon 06:00 Europe/Berlin
            jobs.*.expiry-grace        | DURATION |        | How long after a lost lease the run stays open, and its key closed; default: 5m for clusters, else 0s
            jobs.*.retry.attempts      | NUMBER   |        | The maximum number of attempts; 1 means no retry; default: 3 for clusters, else 1
            jobs.*.retry.backoff       | DURATION |        | The delay after the first attempt; default: 5m for clusters, else 0s
            jobs.*.retry.multiplier    | DECIMAL  | 2      | The factor by which each further delay grows
            jobs.*.retry.max-backoff   | DURATION |        | The longest delay; default: 30m for clusters, else backoff
            jobs.*.retry.permanent-exit-codes | NUMBERS | | Exit codes of the command after which there is no retry
            jobs.*.transition.resource | TEXT     |        | The kind of resource whose state the job changes
            jobs.*.transition.from     | WORDS    |        | The states from which it may start
            jobs.*.transition.during   | TEXT     |        | The state while it runs
            jobs.*.transition.success  | TEXT     |        | The state after a success
            jobs.*.transition.failure  | TEXT     |        | The state after any other outcome; previous restores the previous state
            maintenance[].no-start     | WORDS    |        | Maintenance windows in which nothing starts, such as 22:00 - 06:00, Mon-Fri 08:00 - 18:00, Fri 18:00 - Mon 06:00 or 2026-12-24 12:00 - 2026-12-27 06:00, each with a time zone, or without for UTC
            maintenance[].keys         | WORDS    |        | The keys, by name or as pipeline/*
            maintenance[].tenant       | TEXT     | default | The tenant of the keys
            tenants.*.max-running      | NUMBER   |        | How many runs of the tenant may be running at once
            notify[].on                | WORDS    |        | The events to report: dead-letter, dead-letter-waiting, lease-lost, lock-state-lost, overdue, evicted, overlapping-grants
            notify[].url               | HOOK     |        | The URL that receives the notifications, signed by Standard Webhooks
            notify[].format            | [standard slack] | standard | What is sent to the URL: Standard Webhooks, or messages for an incoming webhook of Slack, Mattermost or Rocket.Chat, which need no secret
            notify[].command           | WORDS    |        | The program to run instead
            notify[].secret-file       | TEXT     |        | A file with the secret that signs the notifications
            notify[].secret            | SECRET   |        | The secret itself; a file is better
            notify[].tenant            | TEXT     |        | Only events of this tenant
            webhooks[].trigger         | TEXT     |        | A trigger of a workflow whose senders sign their messages
            webhooks[].tenant          | TEXT     | default | The tenant of the workflow
            webhooks[].signature       | [standard stripe] | standard | The signature format: Standard Webhooks, or that of Stripe
            webhooks[].secret-file     | TEXT     |        | A file with the secret of the signatures
            webhooks[].secret          | SECRET   |        | The secret itself; a file is better
            sqs[].queue                | URL      |        | The URL of an SQS FIFO queue; each of its messages starts a run
            sqs[].tenant               | TEXT     | default | The tenant of the runs
            sqs[].job                  | TEXT     |        | The job of messages that are not in Interlock's own format, such as {type}: a field of their body
            sqs[].key                  | TEXT     |        | The key of a message's run, such as cluster/{group#cluster-} or cluster/{cluster_id}; default: its group
            sqs[].parameters.*         | TEXT     |        | A parameter of such messages, such as {cluster_id}; default: their whole body
            sqs[].region               | TEXT     |        | The AWS region; default: that of the queue's URL, else that of the AWS settings
            sqs[].endpoint             | URL      |        | The address of SQS, if it is not AWS
            sqs[].receivers            | NUMBER   | 2      | How many messages this process handles at once
            sqs[].wait                 | DURATION | 20s    | How long a receive waits for a message; 1s to 20s
            sqs[].visibility           | DURATION | 10m    | How long a received message is hidden from other receivers; 1m to 12h
            sqs[].retry-after          | DURATION | 30s    | How long after a refusal a message is retried; at most half of visibility
            sqs[].watch-every          | DURATION | 1m     | How often the dead letters of the queue are counted
            """;

    private static final String POLICIES =
            Stream.of(ConflictPolicy.values()).map(ConflictPolicy::word).collect(Collectors.joining(" "));

    static final List<Setting> ALL = LIST.replace("[POLICY]", "[" + POLICIES + "]")
            .lines()
            .map(Setting::parse)
            .toList();

    private static final Map<String, Setting> BY_NAME = ALL.stream()
            .collect(Collectors.toMap(Setting::name, Function.identity(), (one, other) -> one, LinkedHashMap::new));

    private Settings() {}

    /** The definition of a property, named without the root; an item of a list has the definition of its list. */
    static Optional<Setting> find(String property) {
        String shape = shape(property);
        Setting exact = BY_NAME.get(shape);
        if (exact == null && shape.endsWith("[]")) {
            return Optional.ofNullable(BY_NAME.get(shape.substring(0, shape.length() - 2)))
                    .filter(Setting::isList);
        }
        return Optional.ofNullable(exact);
    }

    /** The definition of a property that the code reads. */
    static Setting require(String property) {
        return find(property)
                .orElseThrow(() -> new IllegalStateException(property + " is read but not in the list of settings"));
    }

    /** A user-defined name as it is written in properties: in quotes if it would be read as several names. */
    static String quoted(String name) {
        return name.contains(".") || name.contains("[") ? "\"" + name + "\"" : name;
    }

    /** Turns {@code jobs.x.lease} into {@code jobs.*.lease}, the name of its definition. */
    static String shape(String property) {
        return property.replaceFirst("^(jobs|tenants)\\.(\"[^\"]*\"|[^.\\[]+)", "$1.*")
                .replaceFirst("\\.(stage-budgets|trigger-priorities|parameters)\\.(\".*\"|[^.\\[]+)$", ".$1.*")
                .replaceAll("\\[\\d+]", "[]");
    }

    /** The properties below {@code property}, if it is a group. */
    static Set<String> below(String property) {
        String shape = shape(property);
        return ALL.stream()
                .map(Setting::name)
                .filter(name -> name.startsWith(shape + ".") || name.startsWith(shape + "["))
                .map(name -> name.substring(shape.length()).replaceFirst("^\\.", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * The definition of a property.
     *
     * @param name with {@code *} for a user-defined name and {@code []} for an index of a list
     * @param choices the allowed words, if they are limited
     * @param otherwise the default, or {@code null} if there is none
     */
    record Setting(
            String name,
            Kind kind,
            List<String> choices,
            @Nullable String otherwise,
            String about) {

        /** The kind of a value. */
        enum Kind {
            TEXT,
            NUMBER,
            DECIMAL,
            FLAG,
            DURATION,
            CHOICE,
            WORDS,
            NUMBERS,
            /** Never shown. */
            SECRET,
            /** A store's URL, shown without its password. */
            STORE,
            /** An address, shown without user and query. */
            URL,
            /** An address whose path may be a secret: only its host is shown. */
            HOOK
        }

        /** Parses a line {@code name | kind | default | about}; words in brackets as kind are the allowed values. */
        static Setting parse(String line) {
            String[] parts = line.split("\\|", 4);
            String kind = parts[1].strip();
            List<String> choices = kind.startsWith("[")
                    ? List.of(kind.substring(1, kind.length() - 1).split("\\s+", -1))
                    : List.of();
            String otherwise = parts[2].strip();
            return new Setting(
                    parts[0].strip(),
                    choices.isEmpty() ? Kind.valueOf(kind) : Kind.CHOICE,
                    choices,
                    otherwise.isEmpty() ? null : otherwise,
                    parts[3].strip());
        }

        /** Whether it is a list. */
        boolean isList() {
            return kind == Kind.WORDS || kind == Kind.NUMBERS;
        }

        /** What repeats, if its name has a user-defined part or an index: {@code jobs.*}, {@code notify[]}. */
        String group() {
            return name.replaceFirst("(\\*|\\[]).*", "$1");
        }

        /** Whether its name has a user-defined part. */
        boolean isPattern() {
            return name.contains("*") || name.contains("[]");
        }
    }
}
