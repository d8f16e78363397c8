package io.interlock.spring.integration;

import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

/** Spring Integration's registry for one process: shows that the cases ask for what its users are used to. */
class DefaultLockRegistryTest extends LockRegistryCases {

    private final LockRegistry<?> registry = new DefaultLockRegistry();

    @Override
    LockRegistry<?> registry() {
        return registry;
    }

    @Override
    LockRegistry<?> other() {
        return registry;
    }
}
