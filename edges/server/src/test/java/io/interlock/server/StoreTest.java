package io.interlock.server;

import java.nio.file.Path;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of a server on the memory store; {@code ./interlock prove} runs them on every store. */
@ParameterizedClass
@MethodSource("io.interlock.server.TestStore#proven")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class StoreTest {

    @TempDir
    static Path folder;

    @Parameter
    protected TestStore on = TestStore.MEMORY;

    /** The URL of an empty store. */
    protected final String store() {
        return on.make(folder);
    }
}
