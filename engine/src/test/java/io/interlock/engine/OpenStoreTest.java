package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.access.SignIn;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.store.memory.MemoryStore;
import io.interlock.store.memory.MemoryStoreFactory;
import io.interlock.tck.WrongClock;
import io.interlock.time.Environment;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores that keep leases only, opened for an engine. */
class OpenStoreTest {

    private static final AtomicInteger CLOSED = new AtomicInteger();

    private final ClassLoader loader = Thread.currentThread().getContextClassLoader();

    @TempDir
    Path folder;

    @AfterEach
    void restore() {
        Thread.currentThread().setContextClassLoader(loader);
    }

    @Test
    void aSignInEndsThoughTheMachineSlept() throws Exception {
        classPath(List.of(LeasesOnly.class, MemoryStoreFactory.class));
        WrongClock environment = new WrongClock(Duration.ZERO);
        try (OpenStore store = OpenStore.openLeaseOnly("leases:", environment)) {
            SignIn signIn = store.signIns().openSignIn(SignIn.of("a".repeat(64), "olga", null));
            assertThat(store.signIns().findSignIn(signIn.hash(), false)).contains(signIn);
            environment.jump(SignIn.IDLE);
            assertThat(store.signIns().findSignIn(signIn.hash(), false)).isEmpty();
        }
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        classPath(List.of(LeasesOnly.class));
        CLOSED.set(0);
        assertThatThrownBy(() -> OpenStore.openLeaseOnly("leases:", Environment.system()))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("'leases:' keeps leases only")
                .hasMessageContaining("interlock-store-memory");
        assertThat(CLOSED).as("the store of leases").hasValue(1);
    }

    /** Nothing but these stores are found. */
    private void classPath(List<Class<? extends StoreFactory>> stores) throws IOException {
        String services = "META-INF/services/" + StoreFactory.class.getName();
        Path file = Files.write(
                folder.resolve("services"), stores.stream().map(Class::getName).toList());
        Thread.currentThread().setContextClassLoader(new ClassLoader(loader) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                return name.equals(services)
                        ? Collections.enumeration(List.of(file.toUri().toURL()))
                        : super.getResources(name);
            }
        });
    }

    /** Opens {@code leases:}, a store in memory that keeps no runs. */
    public static final class LeasesOnly implements StoreFactory {

        @Override
        public Set<String> schemes() {
            return Set.of("leases");
        }

        @Override
        public LeaseStore open(StoreUrl url, Environment environment) {
            MemoryStore store = new MemoryStore(environment);
            return (LeaseStore) Proxy.newProxyInstance(
                    LeaseStore.class.getClassLoader(),
                    new Class<?>[] {LeaseStore.class},
                    (proxy, method, arguments) -> {
                        CLOSED.addAndGet(method.getName().equals("close") ? 1 : 0);
                        return method.invoke(store, arguments);
                    });
        }
    }
}
