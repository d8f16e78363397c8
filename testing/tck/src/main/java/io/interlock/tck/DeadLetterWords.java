package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.RunSteps.DiscardRequest;
import io.interlock.spi.run.RunSteps.RedriveRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import java.time.Duration;
import java.util.List;

/** Helper methods of the contract about dead letters. */
interface DeadLetterWords extends RunContract {

    /** Two attempts, one right after the other. */
    RetryPlan TWICE = new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO);

    default Run dies(LockKey key, RunSpec spec) {
        return dies(SubmitRequest.of(freshRun(), key, spec.retry(TWICE)));
    }

    default Run dies(SubmitRequest request) {
        client().submit(request);
        client().failsForNow(client().claim());
        return client().failsForNow(client().claim());
    }

    default RedriveAnswer redrive(RunId dead, RunId anew) {
        RedriveAnswer answer =
                client().store().runs().redrive(new RedriveRequest(dead, anew, "dora", "the disk is mended"));
        if (answer instanceof RedriveAnswer.Redriven) {
            bench().acknowledged(anew);
        }
        return answer;
    }

    default RedriveAnswer.Redriven redriven(Run dead) {
        return as(RedriveAnswer.Redriven.class, redrive(dead.id(), freshRun()));
    }

    default DiscardAnswer discard(RunId dead) {
        return client().store().runs().discard(new DiscardRequest(dead, "dora", "not needed"));
    }

    default List<RunId> listed(DeadLetterQuery query) {
        return client().store().queries().deadLetters(query).stream()
                .map(letter -> letter.run().id())
                .toList();
    }

    default AuditRecord logged(LockKey key, String action) {
        List<AuditRecord> found = client().store().audit().records(key).stream()
                .filter(record -> record.action().equals(action))
                .toList();
        assertThat(found).as(action).hasSize(1);
        return found.get(0);
    }

    default DeadLetterQuery all() {
        return new DeadLetterQuery(null, null, false, 0, 100);
    }
}
