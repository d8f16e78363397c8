package io.interlock.engine;

import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.RunState;
import io.interlock.engine.audit.AuditReport;
import io.interlock.engine.notify.Notification;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.run.SweepAction;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something this engine did or noticed. What other engines on the same store do, they tell their own listeners. */
public sealed interface EngineEvent {

    /** Where it happened. */
    LockKey key();

    /** Something about one run. */
    sealed interface OfRun extends EngineEvent {

        /** The run as it was then. */
        Run run();

        @Override
        default LockKey key() {
            return run().key();
        }
    }

    /** A run was taken in: it starts, or waits in the queue, as its state says. */
    record RunSubmitted(Run run) implements OfRun {}

    /** A submission joined a run that was there before. */
    record RunJoined(Run run) implements OfRun {}

    /** A submission was the same as one before. */
    record RunRepeated(Run run) implements OfRun {}

    /** A submission was refused or skipped. */
    record SubmissionRefused(LockKey key, String job, boolean skipped, Refusal refusal) implements EngineEvent {}

    /** An attempt began in this process, or by a caller through it. */
    record RunStarted(Run run) implements OfRun {}

    /** The work entered a stage; {@code before} is the one it left, or {@code null}. */
    record StageEntered(
            Run run,
            String stage,
            @Nullable String before,
            @Nullable Duration took) implements OfRun {}

    /** A stage takes longer than its budget; the work goes on. */
    record StageOverBudget(Run run, String stage, Duration budget) implements OfRun {}

    /** The work was told to stop. */
    record StopPassedOn(Run run, StopRequest stop) implements OfRun {}

    /** A lease was lost while work went on under it. */
    record LeaseLost(Run run, LossCause cause) implements OfRun {}

    /** An attempt ended, and with it the run, or it waits for another attempt, as its state says. */
    record AttemptEnded(Run run) implements OfRun {}

    /** A run ended without an attempt of this process, such as by cancelling it in the queue. */
    record RunEnded(Run run) implements OfRun {}

    /**
     * A rule of the store ended an attempt, or a run: its worker died, its limit was over, no worker came. The engine that seals the record
     * tells of it, so of several on one store one does.
     *
     * @param run as it stands now: after a lost attempt it may be under way again
     * @param attempt the attempt that ended, or {@code null} if the run ended without one
     */
    record EndedByRule(
            Run run, AuditRecord record, @Nullable Attempt attempt) implements OfRun {

        /** The state it was ended with; {@code QUEUED} if it is tried again. */
        public RunState after() {
            return RunState.valueOf(record.after());
        }

        public String code() {
            RunError error = attempt == null ? run.status().error() : attempt.error();
            return error == null ? "NONE" : error.code();
        }
    }

    /** A lease was taken by force. */
    record Evicted(LockKey key, EvictAnswer.Evicted answer, String actor, String reason) implements EngineEvent {}

    /** Grants were stopped under some keys. */
    record Paused(LockKey key, Pause pause) implements EngineEvent {}

    /** Grants go on under some keys. */
    record Resumed(LockKey key, String actor, String reason) implements EngineEvent {}

    /** Work that was told to stop did not within its grace. Its lease is left to end, and its slot stays taken. */
    record WorkStuck(Run run, StopRequest stop) implements OfRun {}

    /** The audit log was changed, or grants overlapped; an operator must look. */
    record AuditAlarm(LockKey key, AuditReport report) implements EngineEvent {}

    /** A notification of the rule of that name was given up. */
    record NotificationGivenUp(String rule, Notification notification, String why) implements EngineEvent {
        @Override
        public LockKey key() {
            return notification.key();
        }
    }

    /** The janitor settled something. */
    record Swept(SweepAction action, String sweep) implements EngineEvent {
        @Override
        public LockKey key() {
            return action.key();
        }
    }

    /**
     * Hears of what happened. It is called after the fact, on a thread that does nothing else; what it throws is logged and
     * harms nothing, and one that is too slow misses events rather than delay anything.
     */
    @FunctionalInterface
    interface EngineListener {

        void on(EngineEvent event);
    }
}
