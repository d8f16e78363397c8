package io.interlock.server;

import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** Tests that share a server. */
public abstract class ServedTest extends StoreTest {

    protected EngineRig rig;

    @BeforeParameterizedClassInvocation
    protected final void open() {
        rig = EngineRig.on(store());
    }

    @AfterParameterizedClassInvocation
    protected final void close() {
        rig.closeAll();
    }
}
