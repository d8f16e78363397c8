package io.interlock.config;

import io.interlock.LockKey;
import io.interlock.engine.schedule.FireTimes;
import io.interlock.engine.schedule.ScheduledJob;
import io.interlock.run.JobName;
import java.time.ZoneOffset;
import java.util.Optional;

/** Reads the schedule of a job. */
final class ScheduleReader {

    private final Reading reading;
    private final String at;

    /** A reader below {@code at}, as in {@code jobs.export.}. */
    ScheduleReader(Reading reading, String at) {
        this.reading = reading;
        this.at = at;
    }

    Optional<ScheduledJob> read(String job, CompatApi api) {
        String cron = reading.text(at + "schedule");
        if (cron == null) {
            if (reading.isSet(at + "schedule-key") || reading.isSet(at + "schedule-tenant")) {
                reading.mistake(at + "schedule", "is missing, though the job has schedule-key or schedule-tenant");
            }
            return Optional.empty();
        }
        Optional<FireTimes> times = reading.made(
                at + "schedule", () -> Optional.of(FireTimes.parse(cron, ZoneOffset.UTC)), Optional.empty());
        String own = reading.text(at + "schedule-key");
        Optional<String> name = own != null ? Optional.of(own) : api.keyOf(job);
        if (name.isEmpty()) {
            reading.mistake(
                    at + "schedule-key",
                    "is missing: keys of compatible API " + api.word()
                            + " are not named after jobs; set the key to start");
            return Optional.empty();
        }
        String tenant = reading.requiredText(at + "schedule-tenant");
        Optional<LockKey> key =
                reading.made(at + "schedule-key", () -> Optional.of(LockKey.of(tenant, name.get())), Optional.empty());
        return times.flatMap(when -> key.map(under -> ScheduledJob.of(new JobName(job), under, when)));
    }
}
