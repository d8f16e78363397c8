package io.interlock.cli.backend;

import io.interlock.Holder;
import io.interlock.StoreCapabilities;
import io.interlock.ThisProcess;
import io.interlock.cli.text.Facts;
import io.interlock.engine.EngineBuilder;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.RunHistory;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A worker of a server: an engine like that of any worker, with the server in the place of the store. So slots, heartbeats, the loss of
 * a lease, max runtimes, stops and the drain are the same code. {@link #close} asks for no more work; the engine is closed after that.
 */
public final class ServerWorker implements AutoCloseable {

    // A server knows its store's limit, and has refused what is above it.
    private static final Duration ANY_LEASE = Duration.ofDays(366);

    private final ServerClient client;
    private final Environment environment;
    private final WorkPoll poll;
    private final Holder holder;

    private ServerWorker(ServerClient client, Environment environment) {
        this.client = client;
        this.environment = environment;
        this.poll = new WorkPoll(client, environment);
        this.holder = ThisProcess.holder(environment.random());
    }

    /**
     * A worker of the server at {@code url}.
     *
     * @param headers what every request carries, such as the API key
     */
    public static ServerWorker of(String url, Map<String, String> headers, Environment environment) {
        return new ServerWorker(new ServerClient(url, headers), environment);
    }

    /** The jobs the server knows: {@code name, worker, …}. */
    public List<Facts> knownJobs() {
        return client.get("/jobs").list("items");
    }

    /** Sets up an engine that does {@code jobs}. */
    public EngineBuilder engine(Jobs jobs) {
        ServerWork work = new ServerWork(client, new ClaimedRuns(jobs, holder), poll);
        RunStore store = (RunStore)
                Proxy.newProxyInstance(RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, steps(work));
        return RunEngine.builder(store)
                .environment(environment)
                .holder(holder)
                .jobs(jobs)
                .withoutBooks();
    }

    @Override
    public void close() {
        poll.close();
    }

    private InvocationHandler steps(ServerWork work) {
        return (proxy, method, arguments) -> step(work, method, arguments == null ? new Object[0] : arguments);
    }

    @SuppressWarnings("unchecked") // The types are those of the methods of RunStore.
    private @Nullable Object step(ServerWork work, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "claim" -> work.claim((ClaimRequest) arguments[0]);
            case "beat" -> work.beat((List<BeatRequest>) arguments[0]);
            case "finish" -> work.finish((List<FinishRequest>) arguments[0]);
            case "keepOutput" -> work.keepOutput((OutputNote) arguments[0]);
            case "watchWork" -> watch((Runnable) arguments[1]);
            case "changes" -> ChangeFeed.SILENT;
            case "capabilities" ->
                new StoreCapabilities(
                        toString(), StoreCapabilities.Reach.NETWORK, true, ANY_LEASE, Duration.ofMillis(1));
            // The server sweeps.
            case "sweep", "sweepRuns" -> List.of();
            case "forget" -> new RunHistory.Forgotten(0, 0);
            case "close" -> null;
            case "toString" -> toString();
            default -> throw new UnsupportedOperationException(method.getName() + " is not for workers of a server");
        };
    }

    private ChangeFeed.Subscription watch(Runnable lookAgain) {
        poll.tell(lookAgain);
        return () -> poll.tell(() -> {});
    }

    @Override
    public String toString() {
        return client.toString();
    }
}
