package io.interlock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PendingRequestsTest {

    private final PendingRequests<String, String> line = new PendingRequests<>(100, 2, false);

    @Test
    void aRequestLeadsAtOnceIfNothingIsInFlight() {
        Request first = new Request("first", "a");
        assertThat(line.join(first)).isTrue();
        assertThat(line.nextLeader()).isEqualTo(first);
        assertThat(line.batchOf(first)).containsExactly(first);
        assertThat(line.nextLeader()).isNull();
    }

    @Test
    void aFewRequestsWaitForTheEndOfTheBatchInFlight() {
        Item<String, String> first = lead(new Request("first", "a"));
        Request second = new Request("second", "b");
        assertThat(line.join(second)).isFalse();
        assertThat(line.join(new Request("third", "c"))).isFalse();
        assertThat(line.nextLeader()).isNull();
        line.end(List.of(first));
        assertThat(line.nextLeader()).isEqualTo(second);
        assertThat(texts(line.batchOf(second))).containsExactly("second", "third");
    }

    @Test
    void enoughRequestsMakeAnotherBatchAndNoMoreThanAllowed() {
        lead(new Request("first", "a"));
        joinAll("b", "c");
        assertThat(line.join(new Request("d", "d"))).isTrue();
        assertThat(texts(line.batchOf(leader()))).containsExactly("b", "c", "d");
        joinAll("e", "f", "g", "h", "i", "j");
        assertThat(line.nextLeader()).isNull();
    }

    @Test
    void whileRequestsAreGatheredAnotherBatchStartsOnlyBesideASingleRequest() {
        PendingRequests<String, String> gathering = new PendingRequests<>(100, 2, true);
        Request first = new Request("first", "a");
        gathering.join(first);
        Item<String, String> alone = Objects.requireNonNull(gathering.nextLeader());
        for (String key : List.of("b", "c", "d", "e")) {
            assertThat(gathering.join(new Request(key, key)))
                    .as("the leader takes it along")
                    .isFalse();
        }
        List<Item<String, String>> batch = gathering.batchOf(alone);
        assertThat(texts(batch)).containsExactly("first", "b", "c", "d", "e");
        gathering.join(new Request("f", "f"));
        gathering.join(new Request("g", "g"));
        assertThat(gathering.join(new Request("h", "h"))).isFalse();
        gathering.end(batch);
        List<Item<String, String>> next = gathering.batchOf(Objects.requireNonNull(gathering.nextLeader()));
        assertThat(texts(next)).containsExactly("f", "g", "h");
        gathering.end(next);

        gathering.join(new Request("i", "i"));
        Item<String, String> single = Objects.requireNonNull(gathering.nextLeader());
        assertThat(gathering.batchOf(single)).hasSize(1);
        gathering.join(new Request("j", "j"));
        gathering.join(new Request("k", "k"));
        assertThat(gathering.join(new Request("l", "l")))
                .as("a single request may wait for a row")
                .isTrue();
        Item<String, String> beside = Objects.requireNonNull(gathering.nextLeader());
        assertThat(texts(gathering.batchOf(beside))).containsExactly("j", "k", "l");
    }

    @Test
    void aBatchLeavesTheShareOfTheOthersInLine() {
        Item<String, String> first = lead(new Request("first", "a"));
        joinAll(IntStream.range(0, 39).mapToObj(i -> "k" + i).toArray(String[]::new));
        List<Item<String, String>> batch = line.batchOf(leader());
        assertThat(batch).hasSize(20);
        line.end(List.of(first));
        assertThat(line.batchOf(leader())).as("the rest").hasSize(19);
    }

    @Test
    void requestsThatNoOtherBatchCouldTakeGoTogether() {
        for (int i = 0; i < 60; i++) {
            line.join(new Request("r" + i, "hot"));
        }
        assertThat(line.batchOf(leader())).hasSize(60);
    }

    @Test
    void noBatchIsLargerThanAllowed() {
        for (int i = 0; i < 250; i++) {
            line.join(new Request("r" + i, "hot"));
        }
        List<Item<String, String>> batch = line.batchOf(leader());
        assertThat(batch).hasSize(100);
        assertThat(line.nextLeader()).as("its key is in flight").isNull();
        line.end(batch);
        assertThat(leader().request).isEqualTo("r100");
    }

    @Test
    void aKeyIsNeverInTwoBatchesAndRequestsWithAKeyInCommonKeepTheirOrder() {
        Item<String, String> first = lead(new Request("a1", "a"));
        line.join(new Request("a2", "a"));
        line.join(new Request("b1", "b"));
        line.join(new Request("ab", "a", "b"));
        assertThat(line.join(new Request("b2", "b"))).isTrue();

        Item<String, String> second = leader();
        List<Item<String, String>> batch = line.batchOf(second);
        assertThat(texts(batch)).as("b2 stays behind ab, which waits for a").containsExactly("b1");

        line.end(List.of(first));
        Item<String, String> third = leader();
        assertThat(texts(line.batchOf(third))).as("ab waits for b now").containsExactly("a2");
        line.end(batch);
        line.end(List.of(third));
        assertThat(texts(line.batchOf(leader()))).containsExactly("ab", "b2");
    }

    @Test
    void aRequestWithOtherKeysIsNotHeldUpByThoseInFrontOfIt() {
        lead(new Request("a1", "a"));
        line.join(new Request("a2", "a"));
        line.join(new Request("a3", "a"));
        assertThat(line.join(new Request("b", "b"))).isTrue();
        assertThat(leader().request).isEqualTo("b");
    }

    @Test
    void aLongLineForOneKeyIsNotReadToItsEnd() {
        List<Item<String, String>> hot = List.of(lead(new Request("hot", "a")));
        for (int i = 0; i < 2_000; i++) {
            line.join(new Request("a" + i, "a"));
        }
        line.join(new Request("far", "b"));
        assertThat(line.nextLeader()).isNull();
        for (int i = 0; i < 11; i++) {
            line.end(hot);
            hot = line.batchOf(leader());
        }
        assertThat(hot).as("after some batches it is near enough").hasSize(100);
        assertThat(leader().request).isEqualTo("far");
    }

    private Item<String, String> lead(Request request) {
        line.join(request);
        Item<String, String> leader = leader();
        assertThat(line.batchOf(leader)).containsExactly(request);
        return leader;
    }

    private Item<String, String> leader() {
        return Objects.requireNonNull(line.nextLeader());
    }

    private void joinAll(String... keys) {
        for (String key : keys) {
            line.join(new Request(key, key));
        }
    }

    private static List<String> texts(List<Item<String, String>> batch) {
        return batch.stream().map(item -> item.request).toList();
    }

    private static final class Request extends Item<String, String> {

        Request(String request, String... keys) {
            super(request, Set.of(keys));
        }

        @Override
        void becomeLeader() {
            throw new UnsupportedOperationException();
        }

        @Override
        void settle(Outcome<String> outcome) {
            throw new UnsupportedOperationException();
        }
    }
}
