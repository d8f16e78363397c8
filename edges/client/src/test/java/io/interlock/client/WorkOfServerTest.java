package io.interlock.client;

import static io.interlock.client.SpokenServer.beating;
import static io.interlock.client.SpokenServer.item;
import static io.interlock.client.SpokenServer.items;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ThisProcess;
import io.interlock.client.SpokenServer.Question;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunHandler;
import io.interlock.engine.WorkerEngine;
import io.interlock.run.JobName;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers of a server whose answers come late, cut off, or not at all. */
@Timeout(60)
class WorkOfServerTest {

    private static final String RUN = "01a1e0eb-5f19-78bb-b9b3-e93f67580689";
    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final String FINISHED = "{\"state\":\"SUCCEEDED\"}";
    private static final RunHandler QUICK = run -> "{}";

    private final String first = UUID.randomUUID().toString();
    private final String second = UUID.randomUUID().toString();

    @Test
    void whatTheLastQuestionBringsIsDoneBeforeTheWorkerIsGone() {
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
            case "claims" -> question.before() == 0 ? self.silence() : items(item(RUN, first, 1, LEASE));
            case "heartbeat" -> beating(LEASE);
            default -> FINISHED;
        })) {
            ServerWorker worker = worker(server);
            try (WorkerEngine engine = engine(worker, QUICK)) {
                await().until(() -> !server.asked("claims").isEmpty());
                worker.close();
            }
            assertThat(server.asked("claims")).hasSize(2);
            assertThat(server.asked("finish")).hasSize(1);
        }
    }

    @Test
    void aWorkerThatIsToldToStopWaitsUntilWhatWasBroughtIsFetched() throws Exception {
        try (SpokenServer server = new SpokenServer(
                (self, question) -> question.before() == 0 ? self.silence() : items(item(RUN, first, 1, LEASE)))) {
            Environment environment = Environment.system();
            WorkPoll poll = new WorkPoll(new ServerConnection(server.url(), Map.of()), environment);
            Thread closing = new Thread(poll::close);
            CompletableFuture<Boolean> waited = new CompletableFuture<>();
            ClaimRequest request = new ClaimRequest(
                    UUID.randomUUID(), ThisProcess.holder(environment.random()), null, Set.of(new JobName("load")), 1);
            Thread fetching = new Thread(() -> {
                await().until(() ->
                        List.of(Thread.State.WAITING, Thread.State.TERMINATED).contains(closing.getState()));
                waited.complete(closing.isAlive());
                poll.fetch(request).forEach(poll::fetched);
            });
            poll.watch(fetching::start);
            assertThat(poll.fetch(request)).isEmpty();
            await().until(() -> !server.asked("claims").isEmpty());
            closing.start();
            assertThat(waited.get()).isTrue();
            closing.join();
            assertThat(poll.fetch(request)).isEmpty();
        }
    }

    @Test
    void aWorkerForWhichThereWasNoThreadAsksForWorkLater() {
        try (SpokenServer server = new SpokenServer((self, question) -> self.silence())) {
            AtomicBoolean refused = new AtomicBoolean();
            Environment scarce = new FewThreads(name -> {
                if (name.equals("interlock-claim") && refused.compareAndSet(false, true)) {
                    // Not the error the JVM throws: no test framework survives that one.
                    throw new InternalError("unable to create native thread");
                }
            });
            WorkPoll poll = new WorkPoll(new ServerConnection(server.url(), Map.of()), scarce);
            ClaimRequest request = new ClaimRequest(
                    UUID.randomUUID(), ThisProcess.holder(scarce.random()), null, Set.of(new JobName("load")), 1);
            assertThat(poll.fetch(request)).isEmpty();
            await().until(() -> !server.asked("claims").isEmpty());
        }
    }

    @Test
    void aRunThatCannotBeReadKeepsNoOtherFromBeingDone() {
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
            case "claims" ->
                switch (question.before()) {
                    case 0 -> items(item(RUN, first, 1, LEASE).replace("\"token\":1,", ""));
                    case 1 -> items(item(RUN, second, 2, LEASE));
                    default -> question.isLast() ? items() : self.silence();
                };
            case "heartbeat" -> beating(LEASE);
            default -> FINISHED;
        })) {
            ServerWorker worker = worker(server);
            try (WorkerEngine engine = engine(worker, QUICK)) {
                await().until(() -> !server.asked("finish").isEmpty());
                worker.close();
            }
            assertThat(server.asked("finish"))
                    .singleElement()
                    .satisfies(end -> assertThat(end.body()).contains(second));
        }
    }

    @Test
    void theLateEndOfAnAttemptThatWasLostDoesNoHarmToTheNextOne() throws Exception {
        CountDownLatch lost = new CountDownLatch(1);
        CountDownLatch lateEnd = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        RunHandler handler = run -> {
            if (run.attempt() == 1) {
                lost.countDown();
                // It does not hear that it must stop.
                uninterrupted(begun);
            } else {
                begun.countDown();
                lateEnd.await();
                await().until(() -> run.stopping().isEmpty());
            }
            return "{}";
        };
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
            case "claims" -> {
                if (question.before() == 0) {
                    yield items(item(RUN, first, 1, LEASE));
                }
                if (question.before() > 1) {
                    yield question.isLast() ? items() : self.silence();
                }
                lost.await();
                yield items(item(RUN, second, 2, LEASE));
            }
            case "heartbeat" -> beating(LEASE);
            default -> question.body().contains(first) ? "410{\"cause\":\"EXPIRED\"}" : FINISHED;
        })) {
            ServerWorker worker = worker(server);
            WorkerEngine engine = engine(worker, handler);
            await().until(() ->
                    server.asked("finish").stream().anyMatch(each -> each.body().contains(first)));
            // Once another question is asked, the slot of the first is free: the answer to its end was heard.
            lateEnd.countDown();
            await().until(() -> server.asked("finish").size() > 1);
            worker.close();
            engine.close();
            assertThat(server.asked("finish").stream().map(Question::body).filter(body -> body.contains(second)))
                    .singleElement()
                    .asString()
                    .contains("SUCCEEDED");
        }
    }

    @Test
    void oneHeartbeatThatIsNeverAnsweredCostsNoLease() throws Exception {
        CountDownLatch answeredAgain = new CountDownLatch(1);
        AtomicBoolean stopped = new AtomicBoolean();
        RunHandler handler = run -> {
            answeredAgain.await();
            stopped.set(run.stopping().isPresent());
            return "{}";
        };
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
            case "claims" ->
                question.before() == 0
                        ? items(item(RUN, first, 1, LEASE))
                        : question.isLast() ? items() : self.silence();
            case "heartbeat" -> {
                if (question.before() == 1) {
                    yield self.silence();
                }
                if (question.before() == 3) {
                    answeredAgain.countDown();
                }
                yield beating(LEASE);
            }
            default -> FINISHED;
        })) {
            ServerWorker worker = worker(server);
            try (WorkerEngine engine = engine(worker, handler)) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> !server.asked("finish").isEmpty());
                worker.close();
            }
            assertThat(stopped).isFalse();
            assertThat(server.asked("finish")).singleElement().asString().contains("SUCCEEDED");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"items\":[{\"run\":", "<html>sign in first</html>", "{}"})
    void anAnswerThatIsNotWholeIsAskedForAgainUnderTheSameName(String unclear) {
        try (SpokenServer server = new SpokenServer((self, question) -> switch (question.verb()) {
            case "claims" ->
                switch (question.before()) {
                    case 0 -> unclear;
                    case 1 -> items(item(RUN, first, 1, LEASE));
                    default -> question.isLast() ? items() : self.silence();
                };
            case "heartbeat" -> beating(LEASE);
            default -> FINISHED;
        })) {
            ServerWorker worker = worker(server);
            try (WorkerEngine engine = engine(worker, QUICK)) {
                await().until(() -> !server.asked("finish").isEmpty());
                worker.close();
            }
            assertThat(server.asked("claims").get(1).body())
                    .isEqualTo(server.asked("claims").get(0).body());
        }
    }

    private static ServerWorker worker(SpokenServer server) {
        return new ServerWorker(new ServerConnection(server.url(), Map.of()), Environment.system());
    }

    private static WorkerEngine engine(ServerWorker worker, RunHandler handler) {
        return worker.engine(Jobs.of(Job.named("load").handler(handler).build()))
                .slots(4)
                .build();
    }

    private static void uninterrupted(CountDownLatch latch) {
        boolean open = false;
        while (!open) {
            try {
                latch.await();
                open = true;
            } catch (InterruptedException deaf) {
                // As work is that does not hear.
            }
        }
    }

    /**
     * The real world, with threads as far as there are any.
     *
     * @param before called with the name of each thread before it is made
     */
    private record FewThreads(Consumer<String> before) implements Environment {

        @Override
        public InstantSource clock() {
            return Environment.system().clock();
        }

        @Override
        public Ticker ticker() {
            return Environment.system().ticker();
        }

        @Override
        public Timers timers(String name) {
            return Environment.system().timers(name);
        }

        @Override
        public ThreadFactory threads(String name) {
            ThreadFactory threads = Environment.system().threads(name);
            return task -> {
                before.accept(name);
                return threads.newThread(task);
            };
        }

        @Override
        public RandomGenerator random() {
            return Environment.system().random();
        }
    }
}
