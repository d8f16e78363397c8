package io.interlock.service;

import io.interlock.engine.EngineQueries;
import io.interlock.run.HoldTimes;
import io.interlock.run.JobName;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.Length;
import io.interlock.run.RunPeriod.PeriodQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The JSON of what became of runs over time. */
public final class HistoryFacts {

    private static final int DAYS = 7;
    private static final double MEDIAN = 0.5;
    private static final double MOST = 0.95;

    private final EngineQueries queries;
    private final String tenant;
    private final Instant now;

    /** That of {@code tenant} up to now. */
    HistoryFacts(EngineQueries queries, String tenant) {
        this.queries = queries;
        this.tenant = tenant;
        now = queries.time();
    }

    /** All periods of {@code window}, also those without runs, the oldest first. */
    Facts window(Window window, @Nullable JobName job) {
        Length length = window.length();
        Instant since = length.start(now).minus(length.time().multipliedBy(window.periods() - 1L));
        Map<Instant, RunPeriod> found = queries
                .periods(
                        job == null
                                ? PeriodQuery.ofAll(tenant, length, since)
                                : PeriodQuery.of(tenant, job, length, since))
                .stream()
                .collect(Collectors.toMap(RunPeriod::start, period -> period));
        Set<Instant> counted = queries.periods(PeriodQuery.ofAll(RunPeriod.COUNTED, length, since)).stream()
                .map(RunPeriod::start)
                .collect(Collectors.toSet());
        List<Facts> items = new ArrayList<>();
        RunPeriod sum = RunPeriod.empty(tenant, job, length, since);
        for (Instant start = since; !start.isAfter(now); start = start.plus(length.time())) {
            RunPeriod period = found.getOrDefault(start, RunPeriod.empty(tenant, job, length, start));
            sum = sum.plus(period);
            items.add(counts(Facts.with("at", start), period)
                    .and("waiting", period.waiting())
                    .and("counted", counted.contains(start) || found.containsKey(start)));
        }
        return counts(Facts.with("window", window.word()).and("step", length.time()), sum)
                .and("since", since)
                .and("at", now)
                .and("items", items);
    }

    private static Facts counts(Facts facts, RunPeriod period) {
        return holds(
                facts.and("succeeded", period.succeeded())
                        .and("failed", period.failed())
                        .and("stopped", period.stopped()),
                period.holds());
    }

    private static Facts holds(Facts facts, HoldTimes holds) {
        return facts.and("holdP50", holds.within(MEDIAN).orElse(null))
                .and("holdP95", holds.within(MOST).orElse(null));
    }

    /** The last seven days of each job, today last: {@code days, succeeded, failed, stopped, holdP50?, holdP95?}. */
    Map<JobName, Facts> weeks() {
        Duration day = Duration.ofDays(1);
        Instant today = Instant.ofEpochSecond(Math.floorDiv(now.getEpochSecond(), day.toSeconds()) * day.toSeconds());
        Instant first = today.minus(day.multipliedBy(DAYS - 1L));
        Map<JobName, List<RunPeriod>> byJob = new HashMap<>();
        for (RunPeriod period : queries.periods(PeriodQuery.ofEach(tenant, Length.HOUR, first))) {
            if (period.job() != null) {
                byJob.computeIfAbsent(period.job(), job -> new ArrayList<>()).add(period);
            }
        }
        Map<JobName, Facts> weeks = new TreeMap<>();
        byJob.forEach((job, periods) -> weeks.put(job, week(job, periods, first)));
        return weeks;
    }

    private Facts week(JobName job, List<RunPeriod> periods, Instant first) {
        List<Facts> days = new ArrayList<>();
        for (int i = 0; i < DAYS; i++) {
            Instant from = first.plus(Duration.ofDays(i));
            Instant to = from.plus(Duration.ofDays(1));
            RunPeriod day = sum(
                    job,
                    periods.stream()
                            .filter(each ->
                                    !each.start().isBefore(from) && each.start().isBefore(to)),
                    from);
            days.add(Facts.with("at", from)
                    .and("succeeded", day.succeeded())
                    .and("failed", day.failed())
                    .and("stopped", day.stopped()));
        }
        return counts(Facts.with("days", days), sum(job, periods.stream(), first));
    }

    private RunPeriod sum(JobName job, Stream<RunPeriod> periods, Instant start) {
        return periods.reduce(RunPeriod.empty(tenant, job, Length.HOUR, start), RunPeriod::plus);
    }

    /** How far back the history of runs is shown, and how finely. */
    public enum Window {
        /** By minutes. */
        HOUR("1h", Length.MINUTE, 60),
        /** By ten minutes. */
        DAY("24h", Length.TEN_MINUTES, 144),
        /** By hours. */
        WEEK("7d", Length.HOUR, 168);

        private final String word;
        private final Length length;
        private final int periods;

        Window(String word, Length length, int periods) {
            this.word = word;
            this.length = length;
            this.periods = periods;
        }

        /** The window called {@code word}. */
        public static Optional<Window> of(String word) {
            return Stream.of(values()).filter(each -> each.word.equals(word)).findFirst();
        }

        /** What it is called in requests. */
        public String word() {
            return word;
        }

        Length length() {
            return length;
        }

        int periods() {
            return periods;
        }
    }
}
