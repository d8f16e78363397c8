package io.interlock.engine.notify;

import io.interlock.engine.notify.Delivery.NotificationSender;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.Run;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

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
    private static final int MOST = 100;

    @Override
    public Duration advance() {
        String name = ChainStream.bookmark(rule) + "/waiting";
        Instant overdue = environment.clock().instant().minus(PATIENCE);
        long kept = sources.notes().bookmark(name);
        if (kept == 0) {
            sources.notes().moveBookmark(name, 0, micros(overdue));
            return EVERY;
        }
        SortedMap<Long, List<Run>> waiting = waiting(kept, micros(overdue));
        for (Map.Entry<Long, List<Run>> moment : waiting.entrySet()) {
            for (Run run : moment.getValue()) {
                if (!ruleLease.isMine()) {
                    return POLL;
                }
                Optional<Duration> rest = sender.tell(told(run));
                if (rest.isPresent()) {
                    return rest.get();
                }
            }
            if (!sources.notes().moveBookmark(name, kept, moment.getKey())) {
                ruleLease.leave();
                return POLL;
            }
            kept = moment.getKey();
        }
        return waiting.size() >= MOST ? Duration.ZERO : EVERY;
    }

    /**
     * Open dead letters that died between two moments, by the moment of their death: those of the first moments, {@link #MOST} at most. Those
     * of one moment stay together: the bookmark can only stand before or after all of them.
     */
    private SortedMap<Long, List<Run>> waiting(long after, long until) {
        TreeMap<Long, List<Run>> oldest = new TreeMap<>();
        long number = 0;
        List<DeadLetter> page;
        do {
            page = sources.runs().deadLetters(new DeadLetterQuery(rule.tenant(), null, true, number, PAGE));
            for (DeadLetter letter : page) {
                long died = micros(letter.run().status().since());
                if (died > after && died <= until) {
                    oldest.computeIfAbsent(died, moment -> new ArrayList<>()).add(letter.run());
                }
                if (oldest.size() > MOST) {
                    oldest.pollLastEntry();
                }
                number = letter.run().number();
            }
        } while (page.size() == PAGE);
        return oldest;
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

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }
}
