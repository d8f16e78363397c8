package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Run;
import io.interlock.spi.run.RunStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Two stores that get the same requests and must give the same answers. Tokens differ, because each store draws its
 * own.
 */
final class Twins {

    private final RunStore one;
    private final RunStore other;
    private String doing = "";

    Twins(RunStore one, RunStore other) {
        this.one = one;
        this.other = other;
    }

    /** The leases of both stores for the same request, each with its own token. */
    record Lease(LeaseRecord one, LeaseRecord other) {}

    /** The claimed runs of both stores. */
    record Work(Run run, Lease lease) {}

    /** The answers of both stores. */
    record Said<A>(A one, A other) {}

    /** Sends the same request to both. */
    <A> Said<A> ask(String what, Function<RunStore, A> question) {
        return ask(what, question, question);
    }

    /** Sends the same request to both, each with its own earlier answer. */
    <A> Said<A> ask(String what, Function<RunStore, A> toOne, Function<RunStore, A> toOther) {
        doing = what;
        Said<A> said = new Said<>(toOne.apply(one), toOther.apply(other));
        assertThat(words(said.one())).as(what).isEqualTo(words(said.other()));
        return said;
    }

    /** Executes a step on both whose answers may differ. */
    void tell(String what, Consumer<RunStore> deed) {
        doing = what;
        deed.accept(one);
        deed.accept(other);
    }

    /** Sends the same request to both; the order of the answers may differ. */
    <A> void askForAny(String what, Function<RunStore, ? extends Collection<A>> question) {
        doing = what;
        assertThat(question.apply(one).stream().map(Twins::words))
                .as(what)
                .containsExactlyInAnyOrderElementsOf(
                        question.apply(other).stream().map(Twins::words).toList());
    }

    static List<Work> works(Said<List<Claimed>> said) {
        List<Work> works = new ArrayList<>();
        for (int i = 0; i < said.one().size(); i++) {
            Claimed here = said.one().get(i);
            works.add(new Work(
                    here.run(), new Lease(here.lease(), said.other().get(i).lease())));
        }
        return works;
    }

    /** Checks that both have the same data of these keys and runs. */
    void areAlike(List<LockKey> keys, List<RunId> runs) {
        String after = "after: " + doing;
        for (RunId run : runs) {
            ask(after, store -> store.queries().findRun(run));
            ask(after, store -> store.queries().attempts(run));
            ask(after, store -> store.queries().explain(run));
        }
        for (LockKey key : keys) {
            ask(after, store -> store.queries().queue(key));
            ask(after, store -> store.queries().resource(key));
            ask(after, store -> store.find(List.of(key)));
            // Events of the same moment may be recorded in any order.
            ask(
                    after,
                    store -> store.audit().records(key).stream()
                            .map(record -> words(record.at(0)))
                            .sorted()
                            .toList());
        }
    }

    // Each store draws its own tokens and numbers, and may name any of several pauses.
    private static String words(Object answer) {
        return answer.toString().replaceAll("(token|number)=\\d+", "$1=…").replaceAll("=Pause\\[[^]]*]", "=Pause[…]");
    }
}
