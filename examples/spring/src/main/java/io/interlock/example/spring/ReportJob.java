package io.interlock.example.spring;

import io.interlock.spring.CurrentLease;
import io.interlock.spring.ExclusiveRun;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Builds a report, again and again, and notes in the database when each run began and ended, by the database's clock. */
@Component
public class ReportJob {

    private final JdbcTemplate database;

    /** The job, with its table. */
    public ReportJob(JdbcTemplate database) {
        this.database = database;
        database.execute("""
                CREATE TABLE IF NOT EXISTS report (
                  token BIGINT PRIMARY KEY,
                  process BIGINT NOT NULL,
                  began TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
                  ended TIMESTAMPTZ
                )""");
    }

    @Scheduled(fixedDelayString = "${report.every:200ms}")
    @ExclusiveRun(key = "report", lease = "${report.lease:3s}", maxRuntime = "10m")
    public void build() {
        long token = CurrentLease.token().value();
        database.update(
                "INSERT INTO report (token, process) VALUES (?, ?)",
                token,
                ProcessHandle.current().pid());
        database.execute("SELECT pg_sleep(0.1)"); // the work
        database.update("UPDATE report SET ended = clock_timestamp() WHERE token = ?", token);
    }
}
