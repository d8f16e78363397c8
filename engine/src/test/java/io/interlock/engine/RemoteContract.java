package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunState;
import io.interlock.engine.RemoteLeases.Acquired;
import io.interlock.engine.RemoteLeases.Renewed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.AuditRecord;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What holders and readers in other processes rely on. */
public abstract class RemoteContract extends EngineContract {

    private static final Holder REMOTE = new Holder("far", "far away");
    private static final Duration TTL = Duration.ofSeconds(20);

    @Test
    void aLeaseIsTakenRenewedAndGivenBackByItsId() throws Exception {
        RemoteLeases leases = bench().engine(Jobs.of()).leases();
        LockKey key = bench().key();
        RemoteWork.Caller first = caller();
        LeaseRecord lease = granted(leases.acquire(key, first, TTL, Duration.ZERO));
        assertThat(granted(leases.acquire(key, first, TTL, Duration.ZERO)).token())
                .as("the same id again is the same grant")
                .isEqualTo(lease.token());
        Acquired.Refused busy = (Acquired.Refused) get(leases.acquire(key, caller(), TTL, Duration.ZERO));
        assertThat(busy.refusal()).isInstanceOf(Refusal.Held.class);
        assertThat(get(leases.renew(key, first.lease(), lease.token(), TTL))).isInstanceOf(Renewed.Lives.class);
        assertThat(get(leases.find(key)).orElseThrow().token()).isEqualTo(lease.token());
        assertThat(get(leases.release(key, first.lease(), lease.token())).ended())
                .isTrue();
        assertThat(get(leases.release(key, first.lease(), lease.token())).ended())
                .as("once more")
                .isFalse();
        assertThat(get(leases.renew(key, first.lease(), lease.token(), TTL))).isInstanceOf(Renewed.Lost.class);
        assertThatThrownBy(() -> leases.acquire(key, caller(), Duration.ofDays(1), Duration.ZERO))
                .isInstanceOf(InvalidSettingException.class);
    }

    @Test
    void whoWaitsForALeaseHasItWhenItIsGivenBack() throws Exception {
        RemoteLeases leases = bench().engine(Jobs.of()).leases();
        LockKey key = bench().key();
        RemoteWork.Caller first = caller();
        LeaseRecord lease = granted(leases.acquire(key, first, TTL, Duration.ZERO));
        CompletionStage<Acquired> second = leases.acquire(key, caller(), TTL, Duration.ofSeconds(20));
        get(leases.release(key, first.lease(), lease.token()));
        LeaseRecord next = granted(second);
        assertThat(next.token().isAfter(lease.token())).isTrue();
        get(leases.release(key, next.id(), next.token()));
    }

    @Test
    void workWhoseEndOthersHaveToldStopsAtOnceAndHasLostNothing() throws Exception {
        List<EngineEvent> events = new CopyOnWriteArrayList<>();
        Rendezvous work = new Rendezvous();
        // Its next heartbeat is so far away that it cannot be the one to bring the news.
        Job job = Job.named("call").lease(Duration.ofMinutes(1)).handler(work).build();
        RunEngine engine = bench().engine(Jobs.of(job), builder -> builder.listener(events::add));
        LockKey key = bench().key();
        Run run = bench().noted(engine.submit(RunRequest.of(key, "call"))).orElseThrow();
        work.awaitBegin();
        Turn turn = engine.find(run.id()).orElseThrow().status().lastTurn().orElseThrow();
        RemoteWork.Proof proof = new RemoteWork.Proof(run.id(), key, turn.lease(), turn.token());
        assertThat(get(engine.remote().finish(proof, new Ending.Succeeded("{}"))))
                .isInstanceOf(FinishAnswer.Finished.class);
        await().until(() -> engine.workers().busy() == 0);
        assertThat(engine.find(run.id()).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
        await().until(() -> events.stream().anyMatch(EngineEvent.AttemptEnded.class::isInstance));
        assertThat(events).noneMatch(EngineEvent.LeaseLost.class::isInstance);
    }

    @Test
    void aHundredWhoWaitHaveTheKeyOneAfterTheOther() throws Exception {
        RemoteLeases leases = bench().engine(Jobs.of()).leases();
        LockKey key = bench().key();
        AtomicInteger holders = new AtomicInteger();
        List<CompletionStage<?>> turns = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            turns.add(leases.acquire(key, caller(), TTL, Duration.ofSeconds(40)).thenCompose(answer -> {
                LeaseRecord lease = ((Acquired.Granted) answer).lease();
                assertThat(holders.incrementAndGet()).isEqualTo(1);
                holders.decrementAndGet();
                return leases.release(key, lease.id(), lease.token());
            }));
        }
        for (CompletionStage<?> turn : turns) {
            turn.toCompletableFuture().get(40, TimeUnit.SECONDS);
        }
    }

    @Test
    void whoHasWaitedLongEnoughLearnsWhoHasTheKey() throws Exception {
        RemoteLeases leases = bench().engine(Jobs.of()).leases();
        LockKey key = bench().key();
        RemoteWork.Caller first = caller();
        LeaseRecord lease = granted(leases.acquire(key, first, TTL, Duration.ZERO));
        Acquired.Refused refused = (Acquired.Refused) get(leases.acquire(key, caller(), TTL, Duration.ofMillis(50)));
        assertThat(((Refusal.Held) refused.refusal()).current().token()).isEqualTo(lease.token());
        get(leases.release(key, first.lease(), lease.token()));
    }

    @Test
    void whoHasGoneAwayIsGivenNothing() throws Exception {
        RemoteLeases leases = bench().engine(Jobs.of()).leases();
        LockKey key = bench().key();
        RemoteWork.Caller first = caller();
        LeaseRecord lease = granted(leases.acquire(key, first, TTL, Duration.ZERO));
        // As short as a lease can be: one granted at the very moment its asker leaves ends by itself.
        leases.acquire(key, caller(), LeaseTerms.MIN_TTL, Duration.ofSeconds(20))
                .toCompletableFuture()
                .cancel(false);
        CompletionStage<Acquired> patient = leases.acquire(key, caller(), TTL, Duration.ofSeconds(20));
        get(leases.release(key, first.lease(), lease.token()));
        LeaseRecord next = granted(patient);
        get(leases.release(key, next.id(), next.token()));
        assertThat(get(leases.find(key)).filter(LeaseRecord::isLive)).isEmpty();
    }

    @Test
    void whoeverFollowsTheChainMissesNothing() throws Exception {
        RunEngine engine =
                bench().engine(Jobs.of(Job.named("quick").handler(run -> "{}").build()));
        LockKey key = bench().key();
        long place = engine.queries().chain(Long.MAX_VALUE, 1).head();
        Run run = bench().noted(engine.submit(RunRequest.of(key, "quick"))).orElseThrow();
        engine.awaitEnd(run.id(), Duration.ofSeconds(20));
        List<String> told = new ArrayList<>();
        EngineQueries.ChainPage page = engine.queries().chain(place, 2);
        while (!page.links().isEmpty()) {
            for (EngineQueries.ChainPage.Link link : page.links()) {
                assertThat(link.position()).isEqualTo(place + 1);
                place = link.position();
                link.sealed()
                        .filter(record -> record.key().equals(key))
                        .map(AuditRecord::after)
                        .ifPresent(told::add);
            }
            page = engine.queries().chain(place, 2);
        }
        assertThat(told).endsWith("RUNNING", "SUCCEEDED");
        assertThat(page.head()).isEqualTo(place);
    }

    private static RemoteWork.Caller caller() {
        return new RemoteWork.Caller(LeaseId.random(Environment.system().random()), REMOTE);
    }

    private static LeaseRecord granted(CompletionStage<Acquired> stage) throws Exception {
        return ((Acquired.Granted) get(stage)).lease();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
