package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.RefusalCount;
import io.interlock.run.Retention;
import io.interlock.run.Run;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunStatus;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.RunQueries;
import io.interlock.spi.run.RunSteps;
import io.interlock.spi.run.RunSteps.RedriveRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.RunViews;
import io.interlock.spi.run.Upkeep;
import io.interlock.spi.run.WorkSteps;
import io.interlock.spi.run.WorkSteps.OutputNote;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.function.BiFunction;

/** Mistakes in the data beside runs. The contract must notice every one. */
@SuppressWarnings({"ImmutableEnumChecker", "unchecked"}) // the functions are lambdas without state
enum RecordMutant {
    A_REDRIVE_REVIVES_THE_DEAD(MemoryHarness.other(RunSteps.class, client -> new MemoryRuns(client) {
        @Override
        public RedriveAnswer redrive(RedriveRequest request) {
            RedriveAnswer answer = super.redrive(request);
            if (!(answer instanceof RedriveAnswer.Redriven redriven)) {
                return answer;
            }
            Run dead = redriven.letter().run();
            client.table().alone(rows -> {
                rows.put(
                        dead.with(RunStatus.queued(dead.status().since(), null)),
                        client.table().now());
                return dead;
            });
            client.table().step(dead.key(), KeyState::changes);
            return new RedriveAnswer.Redriven(redriven.letter(), dead);
        }
    })),

    SEALERS_DO_NOT_LOOK_AT_THE_HEAD(MemoryHarness.answering(
            "seal", (store, call) -> store.audit().seal(store.audit().head(), (List<Seal>) call.argument(1)))),

    SIGNERS_DO_NOT_LOOK_AT_THE_LAST_SIGNATURE(MemoryHarness.answering(
            "sign", (store, call) -> store.audit().sign(store.audit().signature(), (AuditSignature) call.argument(1)))),

    FORGETTING_DROPS_NAMES_THAT_COUNT(MemoryHarness.other(Upkeep.class, client -> new MemoryUpkeep(client) {
        @Override
        public Forgotten forget(Retention retention, int limit) {
            client.alone(rows -> rows.names.forgetOver(Instant.MAX, Integer.MAX_VALUE));
            return super.forget(retention, limit);
        }
    })),

    ANYBODY_MAY_SAY_WHAT_A_RUN_SAYS(MemoryHarness.other(WorkSteps.class, client -> new MemoryWork(client) {
        @Override
        public boolean keepOutput(OutputNote note) {
            return client.table().alone(rows -> {
                rows.notes.keepOutput(note.run(), 1, note.text());
                return true;
            });
        }
    })),

    AN_ATTEMPT_REPLACES_THE_OUTPUT_OF_THE_ONE_BEFORE(MemoryHarness.other(
            RunQueries.class, client -> new MemoryQueries(client) {
                @Override
                public SortedMap<Integer, String> outputs(RunId run) {
                    SortedMap<Integer, String> all = super.outputs(run);
                    return all.isEmpty() ? all : all.tailMap(all.lastKey());
                }
            })),

    COUNTS_SENT_AGAIN_ADD_UP(MemoryHarness.answering("countRefusals", (store, call) -> {
        for (RefusalCount count : (List<RefusalCount>) call.argument(0)) {
            long before = store.notes().refusals(count.key(), count.minute()).stream()
                    .filter(known -> known.node().equals(count.node()))
                    .mapToLong(RefusalCount::count)
                    .sum();
            store.notes()
                    .countRefusals(List.of(new RefusalCount(
                            count.key(),
                            count.node(),
                            count.minute(),
                            count.policy(),
                            count.outcome(),
                            count.count() + before,
                            count.last())));
        }
        return null;
    })),
    A_PERIOD_REPLACES_WHAT_WAS_COUNTED_BEFORE(MemoryHarness.answering("addPeriods", (store, call) -> {
        store.client().alone(rows -> {
            rows.notes.forgetPeriods(Instant.MAX);
            return rows;
        });
        store.notes().addPeriods((List<RunPeriod>) call.argument(0));
        return null;
    })),
    THE_CLOCKS_OF_WORKERS_COUNT(MemoryHarness.answering("noteWorker", (store, call) -> {
        WorkerNote worker = (WorkerNote) call.argument(0);
        return store.client().alone(rows -> {
            rows.notes.note(worker, worker.seenAt());
            return null;
        });
    })),
    REMOTE_WORKERS_ARE_NOTED_WITHOUT_END(MemoryHarness.answering("noteWorker", (store, call) -> {
        WorkerNote worker = (WorkerNote) call.argument(0);
        store.notes()
                .noteWorker(new WorkerNote(
                        worker.worker(),
                        worker.tenant(),
                        worker.jobs(),
                        worker.slots(),
                        worker.busy(),
                        "some " + worker.version(),
                        worker.seenAt()));
        return null;
    })),
    REMOTE_WORKERS_ARE_KEPT_AS_LONG_AS_HISTORY(MemoryHarness.other(Upkeep.class, client -> new MemoryUpkeep(client) {
        @Override
        public Forgotten forget(Retention retention, int limit) {
            return client.table().alone(rows -> {
                List<WorkerNote> before = rows.notes.workers("acme", Duration.ofDays(3650), Integer.MAX_VALUE);
                Forgotten forgotten = super.forget(retention, limit);
                before.forEach(worker -> rows.notes.note(worker, worker.seenAt()));
                return forgotten;
            });
        }
    })),

    WORKERS_THAT_ASKED_FIRST_COME_FIRST(MemoryHarness.answering(
            "workers",
            (store, call) ->
                    store
                            .notes()
                            .workers((String) call.argument(0), (Duration) call.argument(1), Integer.MAX_VALUE)
                            .stream()
                            .sorted(Comparator.comparing(WorkerNote::seenAt))
                            .limit((int) call.argument(2))
                            .toList())),
    THE_MACHINE_SAYS_WHAT_TIME_IT_IS(MemoryHarness.other(RunViews.class, client -> new MemoryViews(client) {
        @Override
        public Instant storeTime() {
            return Environment.system().clock().instant();
        }
    })),

    KEYS_ONLY_WAITED_FOR_ARE_NOT_SHOWN(MemoryHarness.other(RunViews.class, client -> new MemoryViews(client) {
        @Override
        public List<KeyView> keys(KeyQuery query) {
            return super.keys(query).stream()
                    .filter(view -> view.lease() != null || view.run() != null)
                    .toList();
        }
    }));

    private final BiFunction<Environment, RunTable, RunStore> clients;

    RecordMutant(BiFunction<Environment, RunTable, RunStore> clients) {
        this.clients = clients;
    }

    MemoryHarness harness() {
        return new MemoryHarness(MemoryHarness::table, clients);
    }
}
