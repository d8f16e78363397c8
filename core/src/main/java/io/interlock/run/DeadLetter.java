package io.interlock.run;

import io.interlock.LeaseQuery;
import io.interlock.Refusal;
import io.interlock.RunId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A run that has used up its attempts.
 *
 * @param run the run, in state DEAD
 * @param disposition how it was settled, or {@code null} if it is open
 */
public record DeadLetter(Run run, @Nullable Disposition disposition) {

    /** Whether it is neither redriven nor discarded. */
    public boolean isOpen() {
        return disposition == null;
    }

    /** How it was settled, if it was. */
    public Optional<Disposition> settled() {
        return Optional.ofNullable(disposition);
    }

    /**
     * How a dead letter was settled.
     *
     * @param successor the new run, or {@code null} if there is none
     */
    public record Disposition(
            Kind kind,
            String actor,
            String reason,
            Instant at,
            @Nullable RunId successor) {

        /** The kinds of settlement. */
        public enum Kind {
            /** Redriven: a new run does the work. */
            REDRIVEN,
            /** Discarded. */
            DISCARDED
        }
    }

    /**
     * Which dead letters to list.
     *
     * @param tenant only of this tenant, or {@code null} for all
     * @param job only of this job, or {@code null} for all
     * @param open only those neither redriven nor discarded
     * @param after only runs with a greater number; 0 to begin at the first
     * @param limit the maximum number, 1 to {@link RunQuery#MAX_LIMIT}
     */
    public record DeadLetterQuery(
            @Nullable String tenant, @Nullable JobName job, boolean open, long after, int limit) {

        public DeadLetterQuery {
            LeaseQuery.requireLimit(limit, "request the next page with the last run's number");
        }

        /** Whether {@code letter} matches this query. */
        public boolean matches(DeadLetter letter) {
            Run run = letter.run();
            return run.number() > after
                    && (tenant == null || tenant.equals(run.key().tenant()))
                    && (job == null || job.equals(run.job()))
                    && (!open || letter.isOpen());
        }

        /** The first open letters of a tenant. */
        public static DeadLetterQuery openOf(String tenant) {
            return new DeadLetterQuery(tenant, null, true, 0, RunQuery.MAX_LIMIT);
        }
    }

    /** The answer of a store to a redrive. */
    public sealed interface RedriveAnswer {

        /** A new run does the work. */
        record Redriven(DeadLetter letter, Run run) implements RedriveAnswer {}

        /** The new run was refused, and nothing was changed. */
        record Refused(DeadLetter letter, Refusal refusal) implements RedriveAnswer {}

        /** The dead letter was already settled. */
        record Settled(DeadLetter letter) implements RedriveAnswer {}

        /** Its caller executed it, so no worker can. */
        record CallersWork(Run run) implements RedriveAnswer {}

        /** The run is not a dead letter. */
        record NotDead(Run run) implements RedriveAnswer {}

        /** There is no such run. */
        record Unknown() implements RedriveAnswer {}
    }

    /** The answer of a store to a discard. */
    public sealed interface DiscardAnswer {

        /** The dead letter is settled, by this request or an earlier one. */
        record Settled(DeadLetter letter) implements DiscardAnswer {}

        /** The run is not a dead letter. */
        record NotDead(Run run) implements DiscardAnswer {}

        /** There is no such run. */
        record Unknown() implements DiscardAnswer {}
    }
}
