package io.interlock.engine.notify;

import io.interlock.engine.notify.Delivery.NotificationSender;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.Run;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Looks for dead letters that have waited for an hour, and tells of each once. It keeps a bookmark at the
 * death of the last one it told of: letters are told in the order of their deaths, and all that died before are known by the
 * time they have waited so long.
 */
record DeadLetterWatch(
        NotifyRule rule,
        Notifier.Sources sources,
        Notifier.RuleLease ruleLease,
        NotificationSender sender,
        Environment environment)
        implements Notifier.Stream {

    static final Duration PATIENCE = Duration.ofHours(1);
    static final Duration EVERY = Duration.ofMinutes(1);
    private static final int PAGE = 200;

    @Override
    public Duration advance() {
        String name = ChainStream.bookmark(rule) + "/waiting";
        Instant overdue = environment.clock().instant().minus(PATIENCE);
        long kept = sources.notes().bookmark(name);
        if (kept == 0) {
            sources.notes().moveBookmark(name, 0, micros(overdue));
            return EVERY;
        }
        List<Run> waiting = waiting(kept, micros(overdue));
        for (int i = 0; i < waiting.size(); i++) {
            Run run = waiting.get(i);
            if (!ruleLease.isMine()) {
                return POLL;
            }
            Optional<Duration> rest = sender.tell(told(run));
            if (rest.isPresent()) {
                return rest.get();
            }
            boolean lastOfItsTime = i + 1 == waiting.size() || died(waiting.get(i + 1)) != died(run);
            if (lastOfItsTime) {
                if (!sources.notes().moveBookmark(name, kept, died(run))) {
                    ruleLease.leave();
                    return POLL;
                }
                kept = died(run);
            }
        }
        return waiting.size() >= OldestDead.MOST ? Duration.ZERO : EVERY;
    }

    /** Open dead letters that died between two moments, the oldest first. */
    private List<Run> waiting(long after, long until) {
        OldestDead oldest = new OldestDead(after, until);
        long number = 0;
        List<DeadLetter> page;
        do {
            page = sources.runs().deadLetters(new DeadLetterQuery(rule.tenant(), null, true, number, PAGE));
            for (DeadLetter letter : page) {
                oldest.add(letter.run());
                number = letter.run().number();
            }
        } while (page.size() == PAGE);
        return oldest.inOrder();
    }

    private Notification told(Run run) {
        return new Notification(
                Notification.Kind.DEAD_LETTER_WAITING.word() + "_" + run.id(),
                Notification.Kind.DEAD_LETTER_WAITING,
                run.status().since().plus(PATIENCE),
                run.key(),
                new Notification.Subject(
                        run.id(),
                        run.job(),
                        run.status().attempts(),
                        run.status().lastTurn().map(turn -> turn.token()).orElse(null),
                        null),
                run.status().error(),
                Notification.Text.waiting(run));
    }

    private static long died(Run run) {
        return micros(run.status().since());
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    /**
     * The longest dead of many runs, about {@link #MOST} of them. Those of one moment stay together: a bookmark can only stand
     * before or after all of them. Belongs to one thread.
     */
    private static final class OldestDead {

        static final int MOST = 100;

        private final PriorityQueue<Run> runs = new PriorityQueue<>(
                Comparator.comparingLong(DeadLetterWatch::died).reversed());
        private final long after;
        private long until;

        /** Of those that died after one moment, and not after another. */
        OldestDead(long after, long until) {
            this.after = after;
            this.until = until;
        }

        void add(Run run) {
            if (died(run) <= after || died(run) > until) {
                return;
            }
            runs.add(run);
            long youngest = died(runs.element());
            if (runs.size() > MOST && runs.stream().anyMatch(other -> died(other) != youngest)) {
                // No run of that moment or a later one comes in any more.
                until = youngest - 1;
                runs.removeIf(other -> died(other) == youngest);
            }
        }

        List<Run> inOrder() {
            return runs.stream()
                    .sorted(Comparator.comparingLong(DeadLetterWatch::died).thenComparingLong(Run::number))
                    .toList();
        }
    }
}
