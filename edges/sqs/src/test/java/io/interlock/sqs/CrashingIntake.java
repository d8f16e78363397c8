package io.interlock.sqs;

import io.interlock.config.Intake;
import io.interlock.config.SqsSettings;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.sqs.SqsIntake.QueueIntake;
import io.interlock.time.Environment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A process with an intake that dies as soon as the store has a run. Its arguments are store, queue and endpoint. */
final class CrashingIntake {

    static final int DIED = 9;

    private CrashingIntake() {}

    public static void main(String[] arguments) throws InterruptedException {
        Jobs jobs = Jobs.of(Job.named("note").handler(run -> null).build());
        RunEngine engine = RunEngine.builder(arguments[0]).jobs(jobs).slots(0).build();
        RunEngine dying = (RunEngine) Proxy.newProxyInstance(
                RunEngine.class.getClassLoader(), new Class<?>[] {RunEngine.class}, (proxy, method, values) -> {
                    try {
                        Object answer = method.invoke(engine, values);
                        if (method.getName().equals("submit")) {
                            Runtime.getRuntime().halt(DIED);
                        }
                        return answer;
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
        SqsSettings.Times times = new SqsSettings.Times(
                Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ofMinutes(1));
        SqsSettings settings = new SqsSettings(
                URI.create(arguments[1]),
                "acme",
                new SqsSettings.Place(null, URI.create(arguments[2])),
                1,
                times,
                SqsSettings.Messages.OWN);
        QueueIntake.start(settings, new Intake.Context(dying, Environment.system(), Intake.Context.Gauges.NONE));
        // All its threads are daemons, which keep no process alive.
        new CountDownLatch(1).await();
    }
}
