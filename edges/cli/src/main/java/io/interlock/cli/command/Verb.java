package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.engine.Jobs;
import io.interlock.run.Retention;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A command that is carried out on a store or by a server. */
abstract class Verb implements Callable<Integer> {

    private final CommandContext session;

    @Mixin
    private TargetOptions target = new TargetOptions();

    Verb(CommandContext session) {
        this.session = session;
    }

    @Override
    public Integer call() throws InterruptedException {
        try (Backend backend = target.open(session, jobs(), retention())) {
            return carryOut(backend);
        }
    }

    /** Does it. */
    abstract int carryOut(Backend backend) throws InterruptedException;

    /** The jobs that have to be known for it. */
    Jobs jobs() {
        return Jobs.of();
    }

    /** How long a store keeps history, if it is swept meanwhile. */
    Retention retention() {
        return Retention.DEFAULT;
    }

    final CommandContext session() {
        return session;
    }

    final TargetOptions target() {
        return target;
    }
}
