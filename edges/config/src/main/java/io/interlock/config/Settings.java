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

/** Every property there is. {@code docs/configuration.md} is made from this. */
final class Settings {

    static final String ROOT = "interlock.";

    private static final String LIST = """
            store                      | STORE    | sqlite:~/.local/share/interlock/interlock.db | Where leases and runs are kept: memory:, sqlite:PATH, postgresql://user:password@host:port/db or mariadb://user:password@host:port/db; redis://host:port for leases only
            host                       | TEXT     | 127.0.0.1 | The address to listen on; elsewhere than on this host only with API keys, and with TLS or behind-proxy
            port                       | NUMBER   | 8080   | The port to listen on; 0 takes any free one
            management-port            | NUMBER   |        | A port of their own for health and metrics, without API keys
            behind-proxy               | FLAG     | false  | A proxy in front ends TLS, so plain HTTP may be served elsewhere than on this host
            trusted-proxies            | WORDS    |        | Networks of the proxies in front, as 10.0.0.0/8: the client is the one they name in X-Forwarded-For
            tls.certificate            | TEXT     |        | A PEM file with the certificate chain
            tls.key                    | TEXT     |        | A PEM file with the private key
            limits.body                | NUMBER   | 262144 | The most bytes of a request body
            limits.depth               | NUMBER   | 20     | The most levels of a JSON body
            limits.requests-per-second | NUMBER   | 1000   | The most requests of an API key in a second
            limits.arrival             | DURATION | 30s    | How long a request body may take to arrive
            limits.idle                | DURATION | 75s    | How long a connection may be silent; longer than the longest poll of 30s
            limits.streams             | NUMBER   | 20     | The most event streams of an API key at once
            limits.connections         | NUMBER   |        | The most connections at once; left out, four fifths of the open files this process may have, at most 20000
            limits.connections-per-address | NUMBER |      | The most connections of one address at once, trusted proxies aside; left out, half of limits.connections
            limits.open-runs           | NUMBER   | 100000 | About how many runs of a tenant may be open before new ones are refused
            limits.open-payload        | NUMBER   | 1024   | About how many MiB of parameters the open runs of a tenant may have together
            limits.requests            | NUMBER   | 1000   | How many requests of a tenant may be under way at a node; heartbeats, renewals, ends and requests that wait are not counted
            limits.waits               | NUMBER   | 5000   | How many requests of a tenant may wait at a node for work, turns or locks
            limits.api-keys            | NUMBER   | 1000   | How many API keys of a tenant may count at once
            limits.queue               | NUMBER   | 1000   | The most runs that wait for one key
            private-networks           | WORDS    |        | Networks that are not public, as 10.0.0.0/8, to which jobs and notifications may send
            worker.enabled             | FLAG     | true   | Whether this process does work itself
            worker.slots               | NUMBER   | 16     | How many runs this process does at once
            worker.tenant              | TEXT     |        | Whose runs this process does; left out, everybody's
            janitor.interval           | DURATION | 5s     | How often each process sweeps
            shutdown.grace             | DURATION | 30s    | How long work may go on after a request to stop
            history.runs               | DURATION | 30d    | How long runs that have ended are kept
            history.dead-letters       | DURATION | 44d    | How long dead letters are kept that nobody has settled
            history.audit              | DURATION | 400d   | How long audit records are kept
            audit.key-file             | TEXT     |        | A file with a key of at least 32 characters that signs the audit log; every process on the store should have it
            idempotency.keep           | DURATION | 3d     | How long an idempotency key counts, an event of a webhook among them; at least 24h, not longer than history.runs, and as long as that if it is left out and history.runs is shorter
            metrics.tenant             | FLAG     | false  | Whether meters carry the tenant
            metrics.max-tenants        | NUMBER   | 100    | The most tenants that meters tell apart; the others are _other
            keys[].secret-file         | TEXT     |        | A file with an API key, as keys create prints it; only where the store keeps none, as redis: does
            keys[].role                | [read trigger worker operator admin] | | What it may do
            keys[].tenant              | TEXT     | default | For whom it acts
            keys[].label               | TEXT     | configured | Whose it is, for people
            jobs.*.api                | [pipelines flows ingestion workflows clusters none] | none | The contract through which the job can be started, beside REST
            jobs.*.run.command         | WORDS    |        | The program to run, and its arguments; no shell reads it
            jobs.*.run.directory       | TEXT     |        | Where the program works; left out, where this process does
            jobs.*.run.environment     | [inherit clean] | inherit | Which variables of this process the program sees: inherit, all but INTERLOCK_*, AWS_* (regions and profiles aside), PGPASSWORD, PGPASSFILE, MYSQL_PWD and REDISCLI_AUTH; clean, only PATH, HOME, LANG, LC_*, TZ and TMPDIR
            jobs.*.run.environment-allow | WORDS  |        | Further variables it sees, by name or as AWS_*
            jobs.*.run.http.url        | URL      |        | The address to call
            jobs.*.run.http.timeout    | DURATION |        | How long its answer may take; at most max-runtime; left out, max-runtime up to 24h; without one 24h for clusters, else 30s
            jobs.*.run.http.secret-file | TEXT    |        | A file with the secret that signs the call
            jobs.*.run.http.callback   | URL      |        | Where the other side says how its work ended, if it answered 202; {runId} stands for the run
            jobs.*.run.java            | TEXT     |        | The class that does the work: a RunHandler with a public constructor without parameters
            jobs.*.run.nodes           | WORDS    |        | Workflows: the jobs that are its nodes; they run beside each other, each under a key of its own
            jobs.*.run.worker          | [remote] |        | The work is done by whoever claims it
            jobs.*.on-conflict         | [POLICY] | | What happens to a newcomer; left out, what the compatible API does, else reject
            jobs.*.conflict-retry.attempts | NUMBER | 0   | How often a start that would be refused is tried again; the request waits meanwhile, at most 1m in all
            jobs.*.conflict-retry.delay | DURATION | 5s   | After how long it is tried again, give or take a fifth
            jobs.*.probe.command       | WORDS    |        | A program that asks an outside system, before each attempt, whether the work still goes on there; exit code 0 says that it does not
            jobs.*.probe.url           | URL      |        | An address to ask instead; an answer of 2xx says that it does not
            jobs.*.probe.every         | DURATION | 5s     | How long an attempt that was told otherwise waits before it asks again
            jobs.*.lease               | DURATION | 30s    | How long the right to a key lasts without renewal; at most the store's maxLease
            jobs.*.lock-delay          | DURATION | 0s     | How long a key stays closed after its lease ended by expiry or force
            jobs.*.max-runtime         | DURATION |        | How long an attempt may take (the "lock timeout"); left out, what the compatible API says, else for ever
            jobs.*.max-wait            | DURATION |        | How long a run waits for its turn or for a worker; left out, as long as max-runtime for pipelines, flows, ingestion and workflows, else for ever
            jobs.*.stages              | WORDS    |        | The stages, in order, for people and meters
            jobs.*.stage-budgets.*     | DURATION |        | How long a stage may take before somebody hears of it
            jobs.*.triggers            | WORDS    |        | Workflows: the triggers that start it; left out, its own name
            jobs.*.trigger-priorities.* | NUMBER |        | Workflows that queue: the priority of what a trigger starts, from -100 to 100; left out, 0
            jobs.*.event-id            | TEXT     | eventId | Workflows: where the body has the id of its event, as id or data.object.id
            jobs.*.schedule            | TEXT     |        | A cron expression in UTC; a start like any other, under the same lock
            jobs.*.schedule-key        | TEXT     |        | The key its schedule starts it under; left out, the compatible API's key with the job's name
            jobs.*.schedule-tenant     | TEXT     | default | The tenant its schedule starts it for
            jobs.*.expiry-grace        | DURATION |        | How long after a lost lease the verdict on the run is put off; left out, 5m for clusters, else 0s
            jobs.*.retry.attempts      | NUMBER   |        | How often it is tried at the most; 1 means no retry; left out, 3 for clusters, else 1
            jobs.*.retry.backoff       | DURATION |        | The rest after the first attempt; left out, 5m for clusters, else 0s
            jobs.*.retry.multiplier    | DECIMAL  | 2      | How much longer each further rest is
            jobs.*.retry.max-backoff   | DURATION |        | The longest rest; left out, 30m for clusters, else as long as backoff
            jobs.*.retry.permanent-exit-codes | NUMBERS | | Exit codes of the command after which it is not tried again
            jobs.*.transition.resource | TEXT     |        | The kind of resource the job moves
            jobs.*.transition.from     | WORDS    |        | The states it may start from
            jobs.*.transition.during   | TEXT     |        | The state while it runs
            jobs.*.transition.success  | TEXT     |        | The state after it succeeded
            jobs.*.transition.failure  | TEXT     |        | The state after it ended in any other way; previous leaves it where it stood
            tenants.*.max-running      | NUMBER   |        | How many runs of the tenant may be under way at once
            notify[].on                | WORDS    |        | What to tell: dead-letter, dead-letter-waiting, lease-lost, lock-state-lost, overdue, evicted, overlapping-grants
            notify[].url               | HOOK     |        | Where to send it, signed as Standard Webhooks say
            notify[].command           | WORDS    |        | The program to run instead
            notify[].secret-file       | TEXT     |        | A file with the secret that signs it
            notify[].secret            | SECRET   |        | The secret itself; a file is better
            notify[].tenant            | TEXT     |        | Only what happens to this tenant
            webhooks[].trigger         | TEXT     |        | A trigger of a workflow whose senders are known by what they sign
            webhooks[].tenant          | TEXT     | default | The tenant they start it for
            webhooks[].signature       | [standard stripe] | standard | How they sign: as Standard Webhooks say, or as Stripe does
            webhooks[].secret-file     | TEXT     |        | A file with the secret they sign with
            webhooks[].secret          | SECRET   |        | The secret itself; a file is better
            sqs[].queue                | URL      |        | The URL of an SQS FIFO queue; its messages are started as runs
            sqs[].tenant               | TEXT     | default | The tenant they are started for
            sqs[].job                  | TEXT     |        | The job of messages that are not in Interlock's own form, as {type}: a field of their body
            sqs[].key                  | TEXT     |        | The key of a message's run, as cluster/{group#cluster-} or cluster/{cluster_id}; left out, its group
            sqs[].parameters.*         | TEXT     |        | A parameter of such messages, as {cluster_id}; left out, their whole body
            sqs[].region               | TEXT     |        | The AWS region; left out, the one in the queue's URL, else what AWS' own settings say
            sqs[].endpoint             | URL      |        | Where SQS is, if not where AWS has it
            sqs[].receivers            | NUMBER   | 2      | How many messages this process has in hand at once
            sqs[].wait                 | DURATION | 20s    | How long SQS waits for a message before it answers that there is none; 1s to 20s
            sqs[].visibility           | DURATION | 10m    | How long a message in hand is hidden from other receivers; 1m to 12h
            sqs[].retry-after          | DURATION | 30s    | How long after it was refused a message is tried again; at most half of visibility
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

    /** What is known about a property, named without the root; an item of a list is its list. */
    static Optional<Setting> find(String property) {
        String shape = shape(property);
        Setting exact = BY_NAME.get(shape);
        if (exact == null && shape.endsWith("[]")) {
            return Optional.ofNullable(BY_NAME.get(shape.substring(0, shape.length() - 2)))
                    .filter(Setting::isList);
        }
        return Optional.ofNullable(exact);
    }

    /** What is known about a property that is read. */
    static Setting require(String property) {
        return find(property)
                .orElseThrow(() -> new IllegalStateException(property + " is read but not in the list of settings"));
    }

    /** {@code jobs.x.lease} as {@code jobs.*.lease}, to be compared with what is known. */
    static String shape(String property) {
        return property.replaceFirst("^(jobs|tenants)\\.(\"[^\"]*\"|[^.\\[]+)", "$1.*")
                .replaceFirst("\\.(stage-budgets|trigger-priorities|parameters)\\.(\"[^\"]*\"|[^.\\[]+)$", ".$1.*")
                .replaceAll("\\[\\d+]", "[]");
    }

    /** The properties that could stand below {@code property}, if it is one that holds others. */
    static Set<String> below(String property) {
        String shape = shape(property);
        return ALL.stream()
                .map(Setting::name)
                .filter(name -> name.startsWith(shape + ".") || name.startsWith(shape + "["))
                .map(name -> name.substring(shape.length()).replaceFirst("^\\.", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
