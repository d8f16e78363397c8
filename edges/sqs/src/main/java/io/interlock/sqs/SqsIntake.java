package io.interlock.sqs;

import io.interlock.config.Intake;
import io.interlock.config.InterlockSettings;
import io.interlock.config.SqsSettings;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts runs for the messages of all configured queues. Immutable. */
public final class SqsIntake implements Intake {

    @Override
    public String property() {
        return "sqs";
    }

    @Override
    public AutoCloseable start(InterlockSettings settings, Intake.Context house) {
        Deque<QueueIntake> queues = new ArrayDeque<>();
        try {
            for (SqsSettings queue : settings.sqs()) {
                queues.push(QueueIntake.start(queue, house));
            }
        } catch (RuntimeException | Error refused) {
            close(queues);
            throw refused;
        }
        return () -> close(queues);
    }

    /** All are told to end before one is waited for. */
    private static void close(Deque<QueueIntake> queues) {
        queues.forEach(QueueIntake::stop);
        queues.forEach(QueueIntake::close);
    }

    /** All work on one queue. Closing aborts the wait for messages, and returns those without a run. */
    static final class QueueIntake implements AutoCloseable {

        private static final Logger log = LoggerFactory.getLogger(QueueIntake.class);
        private static final Duration LOOK_AT_HELD = Duration.ofSeconds(1);
        private static final Duration LAST_WORDS = Duration.ofSeconds(10);

        private final Queue queue;
        private final Duration longPoll;
        private final Receiver.StopFlag going;
        private final HeldMessages held;
        private final List<Thread> receivers;
        private final Timers chores;
        private final Timers rests;
        private final LocalTime time;
        private @Nullable Moment stopped;

        private QueueIntake(SqsSettings settings, Intake.Context house) {
            String name = Queue.name(settings.queue());
            queue = Queue.of(settings);
            longPoll = settings.times().longPoll();
            chores = house.environment().timers("interlock-sqs-chores");
            rests = house.environment().timers("interlock-sqs-rests");
            going = new Receiver.StopFlag(rests);
            time = new LocalTime(house.environment());
            QueueCheck check = new QueueCheck(queue, name);
            MessageDelivery delivery = new MessageDelivery(house.engine(), queue);
            Duration retryAfter = settings.times().retryAfter();
            held = new HeldMessages(queue, delivery, time, retryAfter);
            Receiver.MessageAges waits =
                    new Receiver.MessageAges(house.environment().clock());
            Receiver.Sorting sorting = new Receiver.Sorting(
                    new MessageReader(settings.tenant(), name, settings.messages()), delivery, held, waits, retryAfter);
            Receiver.ConnectionState link = new Receiver.ConnectionState(name);
            Receiver receiver = new Receiver(queue, check, sorting, going, link);
            ThreadFactory threads = house.environment().threads("interlock-sqs");
            receivers = Stream.generate(() -> threads.newThread(receiver))
                    .limit(settings.receivers())
                    .toList();
            QueueCheck.DeadLetterWatch deadLetters = new QueueCheck.DeadLetterWatch(queue, check);
            Map<String, String> labels = Map.of("queue", name);
            house.gauges().show("interlock.sqs.dead.letters", labels, deadLetters::seen);
            house.gauges().show("interlock.sqs.held", labels, held::size);
            house.gauges()
                    .show(
                            "interlock.sqs.oldest.age.seconds",
                            labels,
                            () -> waits.longest(held.oldest()).toMillis() / 1_000.0);
            house.gauges().show("interlock.sqs.up", labels, () -> link.isUp() ? 1 : 0);
            Duration lookAtHeld = retryAfter.compareTo(LOOK_AT_HELD) < 0 ? retryAfter : LOOK_AT_HELD;
            again(lookAtHeld, lookAtHeld, () -> held.round(receiver::refuse));
            again(Duration.ZERO, settings.times().watchEvery(), deadLetters::round);
        }

        static QueueIntake start(SqsSettings settings, Intake.Context house) {
            QueueIntake intake = new QueueIntake(settings, house);
            intake.receivers.forEach(Thread::start);
            return intake;
        }

        /** Receives no more messages; says since when. */
        Moment stop() {
            going.end();
            queue.stopReceiving();
            Moment since = stopped == null ? time.now() : stopped;
            stopped = since;
            return since;
        }

        @Override
        public void close() {
            Moment since = stop();
            for (Thread receiver : receivers) {
                join(receiver, LAST_WORDS.minusNanos(time.elapsed(since)));
            }
            chores.close();
            // SQS may still serve the aborted poll, and would deliver the message to it.
            held.giveBack(longPoll);
            rests.close();
            queue.close();
        }

        private static void join(Thread receiver, Duration limit) {
            try {
                // 0 would be without a limit.
                receiver.join(Math.max(1, limit.toMillis()));
            } catch (InterruptedException hurry) {
                Thread.currentThread().interrupt();
            }
        }

        private void again(Duration first, Duration later, Runnable chore) {
            chores.after(first, () -> {
                try {
                    chore.run();
                } catch (RuntimeException failure) {
                    log.error("a background task failed; it will be repeated", failure);
                } finally {
                    again(later, later, chore);
                }
            });
        }
    }
}
