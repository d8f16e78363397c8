package io.interlock.server.door.clusters;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.run.RunStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;

/** A store whose clock shows another time than everybody else's, and that does not answer about some resources. */
final class OddStore {

    private final RunStore behind;
    private volatile Duration ahead = Duration.ZERO;
    private volatile String silent = "\0";

    OddStore(RunStore behind) {
        this.behind = behind;
    }

    /** Sets its clock that much before the others. */
    void ahead(Duration time) {
        ahead = time;
    }

    /** Answers no more about resources whose keys begin with {@code prefix}. */
    void silentAbout(String prefix) {
        silent = prefix;
    }

    RunStore store() {
        return (RunStore) Proxy.newProxyInstance(
                OddStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("resource")
                            && ((LockKey) arguments[0]).name().startsWith(silent)) {
                        throw new StoreUnavailableException("odd", "says nothing about " + arguments[0]);
                    }
                    try {
                        Object answer = method.invoke(behind, arguments);
                        return method.getName().equals("storeTime") ? ((Instant) answer).plus(ahead) : answer;
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }
}
