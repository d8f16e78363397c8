package io.interlock.client;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.ThisProcess;
import io.interlock.client.ServerConnection.RequestAbort;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.locks.LeaseClient;
import io.interlock.locks.Locks;
import io.interlock.locks.LocksBuilder;
import io.interlock.run.Run;
import io.interlock.time.Environment;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A client of a server.
 *
 * <pre>{@code
 * try (InterlockClient client = InterlockClient.connect("https://locks.example", apiKey)) {
 *     try (Lease lease = client.locks().acquire(LockKey.of("ledger/4711"), ofSeconds(5)).orElseThrow()) {
 *         ledger.append(entry, lease.token());
 *     }
 *     Submission run = client.submit(RunRequest.of(LockKey.of("ledger/4711"), "nightly-close").onConflict(JOIN));
 * }
 * }</pre>
 *
 * <p>Leases are renewed, waited for and declared lost by the lock library, and caller runs by the engine, as on a store. The server decides
 * the tenant by the API key. A request that the server refuses throws a {@link ProblemException}; one without a clear answer throws an
 * {@link UnreachableException} or, where a lease or run is at stake, a {@link io.interlock.StoreUnavailableException}. Safe for use by
 * many threads; one instance per process and server is enough.
 */
public final class InterlockClient implements AutoCloseable {

    /** A server lets no request wait longer. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final ServerConnection connection;
    private final Builder settings;
    private final Holder holder;
    private final ServerLeaseStore leases;
    private @Nullable Locks locks;
    private @Nullable ServerRuns runs;

    private InterlockClient(Builder settings, ServerConnection connection) {
        this.settings = settings;
        this.connection = connection;
        this.holder = ThisProcess.holder(settings.environment.random());
        this.leases = new ServerLeaseStore(connection, settings.environment);
    }

    /** A client of the server at {@code url}, with defaults. */
    public static InterlockClient connect(String url, String apiKey) {
        return builder(url).apiKey(apiKey).build();
    }

    /** A client of the server at {@code url}, to be set up. */
    public static Builder builder(String url) {
        return new Builder(url);
    }

    /** The locks of the server, with defaults. Closed with this client. */
    public synchronized Locks locks() {
        if (locks == null) {
            locks = locksBuilder().build();
        }
        return locks;
    }

    /** Locks of the server, to be set up; to be closed before this client. */
    public LocksBuilder locksBuilder() {
        return Locks.builder(leases).environment(settings.environment).drainTime(settings.drainTime);
    }

    /** Leases by their ids, for holders that are not in this process. */
    public LeaseClient leases() {
        return LeaseClient.on(leases, settings.environment);
    }

    /**
     * Submits a run. If its caller is to do the work, the answer has the work or the caller's place in the queue, which this client keeps.
     *
     * @throws ProblemException if the server does not accept it, for instance because it does not know the job
     */
    public Submission submit(RunRequest request) {
        return runs().submit(request);
    }

    /** The run with this id, if the tenant has it. */
    public Optional<Run> find(RunId run) {
        return runs().find(settings.tenant, run);
    }

    /** The run with this id, when it has ended or {@code maxWait} is over. */
    public Optional<Run> awaitEnd(RunId run, Duration maxWait) throws InterruptedException {
        LocalTime time = new LocalTime(settings.environment);
        Moment began = time.now();
        while (true) {
            Duration left = maxWait.minusNanos(time.elapsed(began));
            Optional<Run> found = interruptible(run, left.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : left);
            boolean over = time.elapsed(began) >= LocalTime.capped(maxWait).toNanos();
            if (over || found.isEmpty() || found.get().state().isTerminal()) {
                return found;
            }
        }
    }

    // A request cannot be interrupted, but it can be aborted.
    private Optional<Run> interruptible(RunId run, Duration wait) throws InterruptedException {
        RequestAbort hangUp = new RequestAbort();
        ThreadFactory threads = settings.environment.threads("interlock-await-end");
        try {
            return CompletableFuture.supplyAsync(
                            () -> runs().awaitEnd(settings.tenant, run, wait, hangUp),
                            task -> threads.newThread(task).start())
                    .get();
        } catch (InterruptedException interrupted) {
            hangUp.now();
            throw interrupted;
        } catch (ExecutionException failure) {
            throw failure.getCause() instanceof RuntimeException known ? known : new IllegalStateException(failure);
        }
    }

    /** Asks a run to stop; a queued one ends at once. */
    public void cancel(RunId run, String reason) {
        runs().cancel(run, reason).good();
    }

    private synchronized ServerRuns runs() {
        if (runs == null) {
            runs = new ServerRuns(connection, settings.environment, holder, settings.jobs, settings.drainTime);
        }
        return runs;
    }

    /** A worker that takes runs from the server. */
    public ServerWorker worker() {
        return new ServerWorker(connection, settings.environment);
    }

    /** Requests of other kinds, in JSON. */
    public ServerConnection connection() {
        return connection;
    }

    /** Waits up to the drain time for leases and caller runs to end; renewal goes on meanwhile. May be called twice. */
    @Override
    public void close() {
        ServerRuns openRuns;
        Locks openLocks;
        synchronized (this) {
            openRuns = runs;
            openLocks = locks;
        }
        // Not under the monitor: the work that this waits for may use the client until it has ended.
        if (openRuns != null) {
            openRuns.close();
        }
        if (openLocks != null) {
            openLocks.close();
        }
        leases.close();
    }

    @Override
    public String toString() {
        return connection.toString();
    }

    /** Sets up a client. Not safe for use by many threads. */
    public static final class Builder {

        private final String url;
        private final Map<String, String> headers = new HashMap<>();
        private String tenant = LockKey.DEFAULT_TENANT;
        private Environment environment = Environment.system();
        private Jobs jobs = Jobs.of();
        private Duration drainTime = Duration.ofSeconds(30);
        private @Nullable Path authorities;

        private Builder(String url) {
            this.url = url;
        }

        public Builder apiKey(String apiKey) {
            String key = apiKey.strip();
            if (!key.chars().allMatch(character -> character > ' ' && character <= '~')) {
                throw new InvalidSettingException(
                        "apiKey", "…", "has characters that no API key has", "pass the key as it was created");
            }
            headers.put("x-api-key", key);
            return this;
        }

        /** The tenant to act for, which only the bootstrap key may choose; the key's own unless said. */
        public Builder tenant(String tenant) {
            this.tenant = tenant;
            if (!tenant.equals(LockKey.DEFAULT_TENANT)) {
                headers.put("X-Tenant", tenant);
            }
            return this;
        }

        /** Trusts only servers whose certificates come from an authority in {@code file}, in PEM. */
        public Builder trusting(Path file) {
            this.authorities = file;
            return this;
        }

        /** What is known of the jobs of caller runs, such as their grace. */
        public Builder jobs(Jobs jobs) {
            this.jobs = jobs;
            return this;
        }

        /** How long {@link InterlockClient#close()} waits for leases and caller runs to end. */
        public Builder drainTime(Duration drainTime) {
            this.drainTime = drainTime;
            return this;
        }

        /** Clocks, threads and random numbers, instead of the process's own. */
        public Builder environment(Environment environment) {
            this.environment = environment;
            return this;
        }

        /** The client. Nothing is sent before it is used. */
        public InterlockClient build() {
            ServerConnection connection = new ServerConnection(url, headers);
            return new InterlockClient(this, authorities == null ? connection : connection.trusting(authorities));
        }
    }
}
