package io.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.locks.Outcome;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.impl.StdSchedulerFactory;

/** A job of Quartz, guarded by a key: for schedulers without a common job store. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class QuartzJobTest {

    private static final Locks LOCKS = Locks.open("memory:");
    private static final LinkedBlockingQueue<String> SAID = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        LOCKS.close();
    }

    @Test
    void aGuardedJobRunsOnlyWithItsKey() throws Exception {
        Properties settings = new Properties();
        settings.put("org.quartz.threadPool.threadCount", "2");
        settings.put("org.quartz.scheduler.skipUpdateCheck", "true");
        Scheduler scheduler = new StdSchedulerFactory(settings).getScheduler();
        try (Lease other = LOCKS.tryAcquireAsync(List.of(LockKey.of("report")), LeaseOptions.defaults())
                .toCompletableFuture()
                .get()
                .orElseThrow()) {
            JobDetail job = JobBuilder.newJob(ReportJob.class)
                    .withIdentity("report")
                    .storeDurably()
                    .build();
            scheduler.addJob(job, true);
            scheduler.start();
            scheduler.triggerJob(new JobKey("report"));
            assertThat(SAID.poll(30, TimeUnit.SECONDS)).contains("is held by");
            other.release();
            scheduler.triggerJob(new JobKey("report"));
            assertThat(SAID.poll(30, TimeUnit.SECONDS)).isEqualTo("built");
        } finally {
            scheduler.shutdown(true);
        }
    }

    /** The job. */
    public static class ReportJob implements Job {

        // snippet: quartz
        @Override
        public void execute(JobExecutionContext context) {
            Outcome<String> outcome = LOCKS.call(LockKey.of("report"), lease -> build(lease));
            if (outcome instanceof Outcome.AlreadyRunning<String> busy) {
                SAID.add(busy.refusal().explanation());
            }
        }
        // end snippet

        private static String build(Lease lease) {
            lease.checkpoint();
            SAID.add("built");
            return "built";
        }
    }
}
