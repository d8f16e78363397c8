package io.interlock.benchmark.peer;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.benchmark.server.PostgresAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;

/** JobRunr with the shortest poll that it allows, five seconds. It knows no keys. */
final class JobRunrRuns implements RunPeer {

    static final String TITLE = "JobRunr";

    private static final Duration POLL = Duration.ofSeconds(5);
    // JobRunr makes the handler by itself, so what it calls cannot be handed to it.
    private static volatile Consumer<String> body = name -> {};

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public Submitting submitter(PostgresAddress address) {
        HikariDataSource pool = Pools.open(address, Pools.SIZE);
        PostgresStorageProvider storage = new PostgresStorageProvider(pool);
        storage.setJobMapper(new JobMapper(new JacksonJsonMapper()));
        JobRequestScheduler scheduler = new JobRequestScheduler(storage);
        return new Submitting() {
            @Override
            public void submit(String name, String key) {
                scheduler.enqueue(new Request(name));
            }

            @Override
            public long open() throws SQLException {
                return Pools.number(
                        pool,
                        "SELECT count(*) FROM jobrunr_jobs WHERE state IN ('ENQUEUED', 'PROCESSING', 'SCHEDULED')");
            }

            @Override
            public void close() {
                storage.close();
                pool.close();
            }
        };
    }

    @Override
    public AutoCloseable worker(PostgresAddress address, int slots, Consumer<String> body) {
        JobRunrRuns.body = body;
        HikariDataSource pool = Pools.open(address, Math.min(slots, Pools.SIZE) + 4);
        JobRunr.configure()
                .useStorageProvider(new PostgresStorageProvider(pool))
                .useBackgroundJobServer(BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                        .andPollInterval(POLL)
                        .andWorkerCount(slots))
                .initialize();
        return () -> {
            JobRunr.destroy();
            pool.close();
        };
    }

    /** What is submitted. JobRunr writes it as JSON. */
    public record Request(String name) implements JobRequest {

        @Override
        public Class<Handler> getJobRequestHandler() {
            return Handler.class;
        }
    }

    /** What does the work. */
    public static final class Handler implements JobRequestHandler<Request> {

        /** For JobRunr. */
        public Handler() {}

        @Override
        public void run(Request request) {
            body.accept(request.name());
        }
    }
}
