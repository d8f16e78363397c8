package io.interlock.server;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tests that share a server on a store; whoever wants them on another store extends them and names it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ServedTest {

    @TempDir
    static Path folder;

    protected EngineRig rig;

    /** Where the server stands. */
    protected TestStore on() {
        return TestStore.MEMORY;
    }

    @BeforeAll
    protected final void open() {
        rig = EngineRig.on(on().make(folder));
    }

    @AfterAll
    protected final void close() {
        rig.closeAll();
    }
}
