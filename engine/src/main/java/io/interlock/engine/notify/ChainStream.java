package io.interlock.engine.notify;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.notify.Delivery.NotificationSender;
import io.interlock.run.Attempt;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.Stage;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunQueries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows the sealed audit log from a bookmark that survives this process, and misses nothing: the bookmark moves on when a
 * record's notifications were delivered or given up. The first bookmark is the end of the log, so that a new rule is not told
 * old stories.
 */
final class ChainStream implements Notifier.Stream {

    private static final int PAGE = 100;

    private final NotifyRule rule;
    private final AuditLog audit;
    private final RunNotes notes;
    private final RecordReader reader;
    private final Notifier.RuleLease ruleLease;
    private final NotificationSender sender;
    /** What was told of the record at hand, should it have more than one notification. */
    private final Set<String> told = new HashSet<>();

    ChainStream(NotifyRule rule, Notifier.Sources sources, Notifier.RuleLease ruleLease, NotificationSender sender) {
        this.rule = rule;
        this.ruleLease = ruleLease;
        this.sender = sender;
        audit = sources.audit();
        notes = sources.notes();
        reader = new RecordReader(sources.runs());
    }

    @Override
    public Duration advance() {
        String name = bookmark(rule);
        // One above the position, for 0 means that there is none yet.
        long kept = notes.bookmark(name);
        if (kept == 0) {
            notes.moveBookmark(name, 0, audit.head().position() + 1);
            return POLL;
        }
        List<AuditLog.Sealed> page = audit.sealed(kept - 1, PAGE);
        long reached = kept;
        for (AuditLog.Sealed sealed : page) {
            int before = told.size();
            Optional<Duration> rest = tell(sealed);
            if (rest.isPresent()) {
                return move(name, kept, reached) ? rest.get() : POLL;
            }
            reached = sealed.seal().position() + 1;
            boolean toldAny = told.size() > before;
            told.clear();
            if (toldAny) {
                if (!move(name, kept, reached)) {
                    return POLL;
                }
                kept = reached;
            }
        }
        return move(name, kept, reached) && page.size() == PAGE ? Duration.ZERO : POLL;
    }

    static String bookmark(NotifyRule rule) {
        return "notify/" + rule.name();
    }

    private Optional<Duration> tell(AuditLog.Sealed sealed) {
        for (Notification notification : reader.read(sealed)) {
            if (!rule.wants(notification) || told.contains(notification.id())) {
                continue;
            }
            if (!ruleLease.isMine()) {
                return Optional.of(POLL);
            }
            Optional<Duration> rest = sender.tell(notification);
            if (rest.isPresent()) {
                return rest;
            }
            told.add(notification.id());
        }
        return Optional.empty();
    }

    /** Moves the bookmark; if it is not where it was, another process has had the lease meanwhile. */
    private boolean move(String name, long from, long to) {
        if (from == to || notes.moveBookmark(name, from, to)) {
            return true;
        }
        told.clear();
        ruleLease.leave();
        return false;
    }

    /**
     * Finds in audit records what is worth telling. The same record always gives the same notifications with the same ids; only
     * what it says about a run that has been forgotten meanwhile is less.
     */
    record RecordReader(RunQueries runs) {

        List<Notification> read(AuditLog.Sealed sealed) {
            AuditRecord record = sealed.record();
            if (record == null) {
                return List.of();
            }
            boolean evicted = record.action().equals("evicted");
            if (!evicted && !isUnsuccessful(record)) {
                return List.of();
            }
            Attempt attempt = attempt(record).orElse(null);
            return (evicted ? List.of(Notification.Kind.EVICTED) : kinds(record, attempt))
                    .stream()
                            .map(kind -> told(kind, sealed.seal(), record, attempt))
                            .toList();
        }

        private static boolean isUnsuccessful(AuditRecord record) {
            return record.action().equals("run")
                    && record.before().equals(RunState.RUNNING.name())
                    && !record.after().equals(RunState.SUCCEEDED.name());
        }

        private static List<Notification.Kind> kinds(AuditRecord record, @Nullable Attempt attempt) {
            List<Notification.Kind> kinds = new ArrayList<>();
            RunError error = attempt == null ? null : attempt.error();
            switch (error == null ? "" : error.code()) {
                case RunError.WORKER_TIMEOUT -> kinds.add(Notification.Kind.LEASE_LOST);
                case RunError.LOCK_STATE_LOST -> kinds.add(Notification.Kind.LOCK_STATE_LOST);
                case RunError.OVERLAPPING_GRANTS -> kinds.add(Notification.Kind.OVERLAPPING_GRANTS);
                default -> {}
            }
            if (record.after().equals(RunState.DEAD.name())) {
                kinds.add(Notification.Kind.DEAD_LETTER);
            }
            if (record.after().equals(RunState.TIMED_OUT.name())) {
                kinds.add(Notification.Kind.OVERDUE);
            }
            return kinds;
        }

        private Notification told(Notification.Kind kind, Seal seal, AuditRecord record, @Nullable Attempt attempt) {
            RunId id = record.run();
            Run run = id == null ? null : runs.findRun(id).orElse(null);
            RunError error = attempt == null ? null : attempt.error();
            Notification.Subject subject = id == null ? null : subject(id, record, run, attempt);
            return new Notification(
                    // The hash of its link: no other record has it, in this store or another.
                    kind.word() + "_" + seal.hash().substring(0, 32),
                    kind,
                    record.at(),
                    record.key(),
                    subject,
                    error,
                    Notification.Text.of(kind, record, run, subject, error));
        }

        private static Notification.Subject subject(
                RunId id, AuditRecord record, @Nullable Run run, @Nullable Attempt attempt) {
            return new Notification.Subject(
                    id,
                    run == null ? null : run.job(),
                    attempt == null ? 0 : attempt.turn().attempt(),
                    record.token(),
                    run == null ? null : stage(run, record));
        }

        /** The stage of the attempt the record is about; a later one has stages of its own. */
        private static @Nullable String stage(Run run, AuditRecord record) {
            List<Stage> stages = run.status().stages();
            Turn turn = run.status().lastTurn().orElse(null);
            boolean same = turn != null && turn.token().equals(record.token());
            return same && !stages.isEmpty() ? stages.get(stages.size() - 1).name() : null;
        }

        private Optional<Attempt> attempt(AuditRecord record) {
            return record.run() == null
                    ? Optional.empty()
                    : runs.attempts(record.run()).stream()
                            .filter(attempt -> Objects.equals(attempt.turn().token(), record.token()))
                            .findFirst();
        }
    }
}
