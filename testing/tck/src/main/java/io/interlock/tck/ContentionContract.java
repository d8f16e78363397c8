package io.interlock.tck;

import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many clients at once. The audit of the history finds what the tests do not check themselves. */
interface ContentionContract extends Contract {

    @Test
    default void ofManyWhoAskAtOnceOneIsGranted() throws Exception {
        List<Client> clients = clients(4);
        for (int round = 0; round < 5; round++) {
            LockKey key = key("race/" + round);
            AtomicInteger grants = new AtomicInteger();
            ParallelThreads.run(8, number -> {
                if (clients.get(number % 4).ask(ContractRequests.forKey(key)) instanceof AcquireAnswer.Granted) {
                    grants.incrementAndGet();
                }
            });
            assertThat(grants).as("grants of %s", key).hasValue(1);
        }
    }

    @Test
    default void threadsOfManyClientsNeverHaveOneKeyTogether() throws Exception {
        List<Client> clients = clients(4);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger turns = new AtomicInteger();
        ParallelThreads.run(8, number -> {
            Client mine = clients.get(number % 4);
            while (turns.get() < 80) {
                if (mine.ask(ContractRequests.forKey(key("contended"))) instanceof AcquireAnswer.Granted granted) {
                    assertThat(inside.incrementAndGet()).as("holders at once").isEqualTo(1);
                    turns.incrementAndGet();
                    inside.decrementAndGet();
                    mine.released(granted.grants().get(0).lease());
                }
            }
        });
    }

    @Test
    default void theSameRequestFromManyThreadsIsOneGrant() throws Exception {
        List<Client> clients = clients(4);
        AcquireRequest request = ContractRequests.forKeys(List.of(key("same/1"), key("same/2")));
        List<List<LeaseRecord>> answers = Collections.synchronizedList(new ArrayList<>());
        ParallelThreads.run(
                8,
                number -> answers.add(clients.get(number % 4).grants(request).stream()
                        .map(AcquireAnswer.Grant::lease)
                        .toList()));
        assertThat(answers.stream().map(leases -> leases.get(0).token()).distinct())
                .hasSize(1);
        assertThat(answers.stream().map(leases -> leases.get(1).token()).distinct())
                .hasSize(1);
    }

    @Test
    default void aLeaseIsReleasedOnceByWhoeverComesFirst() throws Exception {
        List<Client> clients = clients(4);
        LeaseRecord lease = client().take(key("once"));
        AtomicInteger released = new AtomicInteger();
        ParallelThreads.run(8, number -> {
            if (clients.get(number % 4).release(lease) instanceof ReleaseAnswer.Released) {
                released.incrementAndGet();
            }
        });
        assertThat(released).hasValue(1);
    }

    @Test
    default void anExpiredKeyIsTakenOverByOneAndSweptByNobodyAfterwards() throws Exception {
        List<Client> clients = clients(4);
        for (int round = 0; round < 5; round++) {
            LockKey key = key("expired/" + round);
            LeaseRecord old = client().take(key);
            bench().advancePast(TTL);
            AtomicInteger grants = new AtomicInteger();
            ParallelThreads.run(8, number -> {
                Client mine = clients.get(number % 4);
                if (number < 4) {
                    grants.addAndGet(mine.ask(ContractRequests.forKey(key)) instanceof AcquireAnswer.Granted ? 1 : 0);
                } else if (number < 6) {
                    mine.store().sweep(10);
                } else {
                    mine.lost(old);
                }
            });
            assertThat(grants).hasValue(1);
            assertThat(client().find(key).orElseThrow().isLive()).isTrue();
        }
    }

    @Test
    default void overlappingBundlesNeitherDeadlockNorShareAKey() throws Exception {
        List<Client> clients = clients(4);
        List<LockKey> keys =
                IntStream.range(0, 5).mapToObj(i -> key("bundle/" + i)).toList();
        ConcurrentHashMap<LockKey, Integer> owners = new ConcurrentHashMap<>();
        ParallelThreads.run(6, number -> {
            Client mine = clients.get(number % 4);
            Random random = new Random(number);
            int turns = 0;
            while (turns < 8) {
                List<LockKey> shuffled = new ArrayList<>(keys);
                Collections.shuffle(shuffled, random);
                AcquireRequest request = ContractRequests.forKeys(shuffled.subList(0, 2 + random.nextInt(2)));
                if (mine.ask(request) instanceof AcquireAnswer.Granted granted) {
                    request.keys()
                            .forEach(key -> assertThat(owners.putIfAbsent(key, number))
                                    .as("owner of %s", key)
                                    .isNull());
                    request.keys().forEach(owners::remove);
                    granted.grants().forEach(grant -> mine.released(grant.lease()));
                    turns++;
                } else {
                    assertThat(mine.store().find(request.keys()).stream().flatMap(Optional::stream))
                            .as("keys held by a refused request")
                            .noneMatch(lease -> lease.id().equals(request.id()));
                }
            }
        });
    }

    private List<Client> clients(int count) {
        return IntStream.range(0, count).mapToObj(i -> bench().anotherClient()).toList();
    }
}
