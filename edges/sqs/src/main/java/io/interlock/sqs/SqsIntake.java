package io.interlock.sqs;

import io.interlock.config.Intake;
import io.interlock.config.InterlockSettings;
import io.interlock.config.SqsSettings;
import java.util.ArrayDeque;
import java.util.Deque;

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
            queues.forEach(QueueIntake::close);
            throw refused;
        }
        return () -> queues.forEach(QueueIntake::close);
    }
}
