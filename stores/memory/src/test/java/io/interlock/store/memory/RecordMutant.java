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
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.RunNotes;
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
@SuppressWarnings("ImmutableEnumChecker") // the functions are lambdas without state
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

    SEALERS_DO_NOT_LOOK_AT_THE_HEAD(MemoryHarness.other(AuditLog.class, client -> new MemoryAudit(client) {
        @Override
        public boolean seal(Seal head, List<Seal> links) {
            return super.seal(head(), links);
        }
    })),

    SIGNERS_DO_NOT_LOOK_AT_THE_LAST_SIGNATURE(MemoryHarness.other(AuditLog.class, client -> new MemoryAudit(client) {
        @Override
        public boolean sign(AuditSignature before, AuditSignature next) {
            return super.sign(signature(), next);
        }
    })),

    FORGETTING_DROPS_NAMES_THAT_COUNT(MemoryHarness.other(Upkeep.class, client -> new MemoryUpkeep(client) {
        @Override
        Instant namesUntil(Instant now) {
            return Instant.MAX;
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

    COUNTS_SENT_AGAIN_ADD_UP(MemoryHarness.other(RunNotes.class, client -> new MemoryNotes(client) {
        @Override
        public void countRefusals(List<RefusalCount> counts) {
            counts.forEach(count -> super.countRefusals(List.of(new RefusalCount(
                    count.key(),
                    count.node(),
                    count.minute(),
                    count.policy(),
                    count.outcome(),
                    count.count()
                            + refusals(count.key(), count.minute()).stream()
                                    .filter(known -> known.node().equals(count.node()))
                                    .mapToLong(RefusalCount::count)
                                    .sum(),
                    count.last()))));
        }
    })),

    A_PERIOD_REPLACES_WHAT_WAS_COUNTED_BEFORE(MemoryHarness.other(RunNotes.class, client -> new MemoryNotes(client) {
        @Override
        public void addPeriods(List<RunPeriod> periods) {
            client.table().alone(rows -> {
                rows.notes.forgetPeriods(Instant.MAX);
                return rows;
            });
            super.addPeriods(periods);
        }
    })),

    THE_CLOCKS_OF_WORKERS_COUNT(MemoryHarness.other(RunNotes.class, client -> new MemoryNotes(client) {
        @Override
        public void noteWorker(WorkerNote worker) {
            client.table().alone(rows -> {
                rows.notes.note(worker, worker.seenAt());
                return worker;
            });
        }
    })),

    REMOTE_WORKERS_ARE_NOTED_WITHOUT_END(MemoryHarness.other(RunNotes.class, client -> new MemoryNotes(client) {
        @Override
        public void noteWorker(WorkerNote worker) {
            super.noteWorker(new WorkerNote(
                    worker.worker(),
                    worker.tenant(),
                    worker.jobs(),
                    worker.slots(),
                    worker.busy(),
                    "some " + worker.version(),
                    worker.seenAt()));
        }
    })),

    REMOTE_WORKERS_ARE_KEPT_AS_LONG_AS_HISTORY(MemoryHarness.other(Upkeep.class, client -> new MemoryUpkeep(client) {
        @Override
        public Forgotten forget(Retention retention, int limit) {
            return client.table().alone(rows -> {
                List<WorkerNote> before = rows.notes.workers("acme", Instant.EPOCH, Integer.MAX_VALUE);
                Forgotten forgotten = super.forget(retention, limit);
                before.forEach(worker -> rows.notes.note(worker, worker.seenAt()));
                return forgotten;
            });
        }
    })),

    WORKERS_THAT_ASKED_FIRST_COME_FIRST(MemoryHarness.other(RunNotes.class, client -> new MemoryNotes(client) {
        @Override
        public List<WorkerNote> workers(String tenant, Duration time, int limit) {
            return super.workers(tenant, time, Integer.MAX_VALUE).stream()
                    .sorted(Comparator.comparing(WorkerNote::seenAt))
                    .limit(limit)
                    .toList();
        }
    })),

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
