package io.interlock.engine.notify;

import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.RunNotes;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
}
