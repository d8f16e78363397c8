package io.interlock.client;

import io.interlock.Holder;
import io.interlock.ThisProcess;
import io.interlock.engine.Jobs;
import io.interlock.engine.WorkerBuilder;
import io.interlock.engine.WorkerEngine;
import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.service.Facts;
import io.interlock.spi.ChangeFeed;
import io.interlock.time.Environment;
import java.util.List;

/**
 * A worker of a server: an engine like that of any worker, whose work comes from the server and not from a store. So slots, heartbeats,
 * the loss of a lease, max runtimes, stops and the drain are the same code. {@link #close} asks for no more work; the engine is closed after that.
 */
public final class ServerWorker implements AutoCloseable {

    private final ServerConnection client;
    private final Environment environment;
    private final WorkPoll poll;
    private final Holder holder;

    ServerWorker(ServerConnection client, Environment environment) {
        this.client = client;
        this.environment = environment;
        this.poll = new WorkPoll(client, environment);
        this.holder = ThisProcess.holder(environment.random());
    }

    /** The jobs the server knows: {@code name, worker, …}. */
    public List<Facts> knownJobs() {
        return client.get("/jobs").list("items");
    }

    /** Sets up an engine that does {@code jobs}. It hears of stops by the answers to its heartbeats. */
    public WorkerBuilder engine(Jobs jobs) {
        ServerWork work = new ServerWork(client, new RunReader(jobs::require, holder), poll, environment.ticker());
        return WorkerEngine.builder(new WorkSource(work, ChangeFeed.SILENT, 1))
                .environment(environment)
                .holder(holder)
                .jobs(jobs);
    }

    @Override
    public void close() {
        poll.close();
    }

    @Override
    public String toString() {
        return client.toString();
    }
}
