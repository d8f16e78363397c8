package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.run.Run;
import io.interlock.run.RunStatus;
import io.interlock.run.Seal;
import io.interlock.spi.run.RedriveAnswer;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.spi.run.rules.Contents;
import io.interlock.spi.run.rules.Room;
import io.interlock.time.Environment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Ways to get wrong what a store keeps beside its runs. The contract must notice every one. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are lambdas without state
enum BookMutant {
    A_REDRIVE_REVIVES_THE_DEAD(table -> Books.of(table).with(new LetterBook(table) {
        @Override
        public RedriveAnswer redrive(RedriveRequest request) {
            RedriveAnswer answer = super.redrive(request);
            if (!(answer instanceof RedriveAnswer.Redriven redriven)) {
                return answer;
            }
            Run dead = redriven.letter().run();
            table.revived = dead.with(RunStatus.queued(dead.status().since(), null));
            table.step(dead.key(), Room::changes);
            return new RedriveAnswer.Redriven(redriven.letter(), dead);
        }
    })),

    SEALERS_DO_NOT_LOOK_AT_THE_HEAD(table -> Books.of(table).with(new AuditBook(table) {
        @Override
        public boolean seal(Seal head, List<Seal> links) {
            return super.seal(head(), links);
        }
    }));

    private final Function<Table, Books> books;

    BookMutant(Function<Table, Books> books) {
        this.books = books;
    }

    MemoryHarness harness() {
        return new MemoryHarness(clock -> {
            Table table = new Table(clock);
            return new RunSteps(table, books.apply(table));
        });
    }

    private static final class Table extends RunTable {

        private @Nullable Run revived;

        Table(StoreClock clock) {
            super(clock, MemoryStore.DEFAULT_MAX_LEASE, Environment.system().random());
        }

        @Override
        Contents seen(Contents contents) {
            Run back = revived;
            if (back == null) {
                return contents;
            }
            revived = null;
            Map<RunId, Run> runs = new HashMap<>(contents.runs());
            runs.put(back.id(), back);
            return new Contents(
                    contents.lease(), contents.lastToken(), contents.reservation(), runs, contents.resource());
        }
    }
}
