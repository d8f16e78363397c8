package io.interlock.store.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.interlock.DurationText;
import io.interlock.StoreUnavailableException;
import io.interlock.store.sql.Dialect.SqlFailure;
import io.interlock.time.Environment;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ways to a database on a server, by connections from pools. A step that fails because of others, or whose connection breaks, is made again within the
 * timeout; then the store is unavailable. If the server turns out to be another one than before, the store is tied to it first.
 *
 * <p>Interrupting a caller has no effect until its call is over. Safe for use by many threads.
 */
public final class PooledDatabase implements Database {

    private static final Logger log = LoggerFactory.getLogger(PooledDatabase.class);

    private static final int MAX_CONFLICTS = 5;

    /** With less time than this left, another attempt would only break a connection. */
    private static final int SHORTEST_ATTEMPT_MILLIS = 300;

    private static final int STEPS = 4;

    /** Two kinds of step are busy at a time (acquires and releases, submits and endings), and share the connections. */
    static final int PARALLEL_BATCHES = STEPS / 2;

    /**
     * Renewals, heartbeats and the last words of work. A batch of them waits for no row, so one connection would do for all
     * batches; but one that is made alone waits for its row, up to the patience of a step, and leases must not end meanwhile
     * because another step has locked its row. If two rows at a time are locked for so long, the batches have to wait after all.
     */
    private static final int RENEWALS = 2;

    private final ServerSettings settings;
    private final ServerDialect dialect;
    private final Attachment attachment;
    private final DataSource steps;
    private final DataSource urgent;
    private final Runnable closePools;
    private final Environment environment;
    /** When the first of several calls began that a thread makes together. */
    private final ThreadLocal<Long> begun = new ThreadLocal<>();

    private volatile boolean closed;

    private PooledDatabase(
            Attachment attachment, DataSource steps, DataSource urgent, Runnable closePools, Environment environment) {
        this.settings = attachment.settings();
        this.dialect = attachment.dialect();
        this.attachment = attachment;
        this.steps = steps;
        this.urgent = urgent;
        this.closePools = closePools;
        this.environment = environment;
    }

    /** A database on connections that another owner pools; {@code attachment} ties the store to its server. */
    public static PooledDatabase on(DataSource given, Attachment attachment, Environment environment) {
        return new PooledDatabase(attachment, given, given, () -> {}, environment);
    }

    /** A database on pools of connections from {@code raw}, each attached first; the names of the pools begin with {@code name}. */
    public static PooledDatabase pooling(String name, DataSource raw, Attachment attachment, Environment environment) {
        DataSource attached = new AttachingDataSource(raw, attachment, environment);
        int timeoutMillis = attachment.settings().timeoutMillis();
        HikariDataSource steps = pool(name + "-steps", STEPS, attached, timeoutMillis, environment);
        // Apart, so that a renewal never waits behind acquires.
        HikariDataSource renewals = pool(name + "-renewals", RENEWALS, attached, timeoutMillis, environment);
        Runnable close = () -> {
            try (renewals) {
                steps.close();
            }
        };
        return new PooledDatabase(attachment, steps, renewals, close, environment);
    }

    private static HikariDataSource pool(
            String name, int size, DataSource attached, int timeoutMillis, Environment environment) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setDataSource(attached);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setInitializationFailTimeout(-1);
        // A part of the timeout: a call that has used up most of it elsewhere must not wait for all of it here.
        config.setConnectionTimeout(Math.max(250, timeoutMillis / 4));
        config.setValidationTimeout(Math.max(250, timeoutMillis / 4));
        config.setKeepaliveTime(Duration.ofSeconds(30).toMillis());
        config.setThreadFactory(environment.threads(config.getPoolName()));
        return new HikariDataSource(config);
    }

    /** The same database by the connections for urgent calls alone, which never wait behind new work. Closing it closes nothing. */
    public PooledDatabase byUrgentConnections() {
        return new PooledDatabase(attachment, urgent, urgent, () -> {}, environment);
    }

    @Override
    public String store() {
        return settings.store();
    }

    @Override
    public Dialect dialect() {
        return dialect;
    }

    @Override
    public <T> T write(Lane lane, Work<T> work) {
        return call(lane, true, dialect.beginWrite(), work);
    }

    @Override
    public <T> T read(Work<T> work) {
        return call(Lane.STEPS, false, dialect.beginRead(), work);
    }

    @Override
    public <T> T peek(Work<T> work) {
        return call(Lane.STEPS, false, List.of(), work);
    }

    @Override
    public <T> T once(Lane lane, Work<T> work) {
        return call(lane, true, List.of(), work);
    }

    @Override
    public void close() {
        closed = true;
        closePools.run();
    }

    @Override
    public <T> T together(Supplier<T> calls) {
        if (begun.get() != null) {
            return calls.get();
        }
        begun.set(environment.ticker().nanos());
        try {
            return calls.get();
        } finally {
            begun.remove();
        }
    }

    private <T> T call(Lane lane, boolean writes, List<String> begin, Work<T> work) {
        Long first = begun.get();
        Call call = new Call(first == null ? environment.ticker().nanos() : first);
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                if (closed) {
                    throw new StoreUnavailableException(settings.store(), "is closed");
                }
                call.attempt++;
                try {
                    return attempt(call, lane, writes, begin, work);
                } catch (ServerDialect.AnotherServer other) {
                    attach(call, other);
                } catch (SQLException error) {
                    interrupted |= Thread.interrupted();
                    if (!mayRepeat(call, error)) {
                        throw unavailable(call, error);
                    }
                    log.debug("store {}: attempt {} failed, asking again", settings.store(), call.attempt, error);
                    pause(call, error);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private final class Call {

        private final long start;
        private int attempt;
        /** How many of them may have taken effect, though there was no answer. */
        private int breaks;

        Call(long start) {
            this.start = start;
        }

        int remainingMillis() {
            long gone = TimeUnit.NANOSECONDS.toMillis(environment.ticker().nanos() - start);
            return (int) Math.max(1, settings.timeoutMillis() - gone);
        }
    }

    private <T> T attempt(Call call, Lane lane, boolean writes, List<String> begin, Work<T> work) throws SQLException {
        try (Loan loan = Loan.from(lane == Lane.STEPS ? steps : urgent, dialect)) {
            // Only now: the wait for a connection is part of the time.
            int millis = call.remainingMillis();
            if (millis < SHORTEST_ATTEMPT_MILLIS) {
                throw new SQLTransientConnectionException("a connection came too late to be used");
            }
            loan.limit(millis);
            SqlConnection session = new SqlConnection(loan.connection(), dialect, settings.patienceMillis(millis));
            return new Step(settings.store(), loan, session, writes, begin, call).run(step -> {
                try {
                    return work.run(step);
                } catch (SQLException failure) {
                    call.breaks += dialect.failureOf(failure) == SqlFailure.BROKEN ? 1 : 0;
                    throw failure;
                }
            });
        }
    }

    private void attach(Call call, SQLException error) {
        if (call.attempt > MAX_CONFLICTS) {
            throw new StoreUnavailableException(
                    settings.store(), "is on another server at every attempt; is a failover under way?");
        }
        try (Loan loan = Loan.from(steps, dialect)) {
            loan.limit(call.remainingMillis());
            attachment.requireSafe(loan.connection());
            attachment.attach(loan.connection());
        } catch (SQLException failure) {
            failure.addSuppressed(error);
            throw unavailable(call, failure);
        }
    }

    private boolean mayRepeat(Call call, SQLException error) {
        if (call.remainingMillis() < SHORTEST_ATTEMPT_MILLIS) {
            return false;
        }
        // A pool gives up after a part of the time, or when the waiting thread is interrupted.
        if (error.getCause() instanceof InterruptedException
                || (error instanceof SQLTransientConnectionException && error.getCause() == null)) {
            return true;
        }
        return switch (dialect.failureOf(error)) {
            case CONFLICT, DUPLICATE -> call.attempt < MAX_CONFLICTS;
            case BROKEN -> true;
            case FINAL -> false;
        };
    }

    private void pause(Call call, SQLException error) {
        if (dialect.failureOf(error) == SqlFailure.DUPLICATE) {
            return;
        }
        long most = Math.min(200, 10L << Math.min(call.attempt, 6));
        long millis = Math.min(call.remainingMillis(), 1 + environment.random().nextLong(most));
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private StoreUnavailableException unavailable(Call call, SQLException error) {
        String after = DurationText.format(Duration.ofNanos(environment.ticker().nanos() - call.start));
        return new StoreUnavailableException(
                settings.store(),
                "gave no clear answer after " + call.attempt + (call.attempt == 1 ? " attempt" : " attempts") + " in "
                        + after + ": " + error.getMessage(),
                error);
    }

    /** A transaction on a connection that goes back to its pool. */
    private static final class Step extends Transaction {

        private final Loan loan;

        Step(String store, Loan loan, SqlConnection session, boolean writes, List<String> begin, Call call) {
            super(store, session, writes, begin, call.attempt, call.breaks);
            this.loan = loan;
        }

        @Override
        protected void discard(SqlConnection broken) {
            loan.discard();
        }
    }
}
