package io.interlock.cli;

import io.interlock.config.Intake;
import io.interlock.config.InterlockSettings;

/** An intake that takes nothing and says when it begins and ends. */
public final class SpokenIntake implements Intake {

    @Override
    public String property() {
        return "sqs";
    }

    @Override
    public AutoCloseable start(InterlockSettings settings, Intake.Context admin) {
        System.err.println("intake of " + settings.sqs().size() + " queues begins");
        return () -> System.err.println(
                "intake ends, workers take work: " + admin.engine().workers().claiming());
    }
}
