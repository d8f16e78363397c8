package io.interlock.spi.run.rules;

import io.interlock.run.AuditRecord;
import io.interlock.run.Resource;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.spi.run.RunSteps.ResourceRequest;

/** Changes of resources by operators. */
public final class ResourceRules {

    private ResourceRules() {}

    /** Sets the state of a resource, if its version is the one the actor saw and no run owns it. */
    public static ResourceAnswer set(KeyState state, ResourceRequest request) {
        Resource current = state.resource().orElse(null);
        long version = current == null ? 0 : current.version();
        boolean owned = current != null && current.owner() != null;
        boolean held = state.busyRun().isPresent() || state.reservation().isPresent() || LeaseRules.keepsLease(state);
        if (version != request.expectedVersion() || owned || (request.onlyIfFree() && held)) {
            return new ResourceAnswer.Mismatch(current);
        }
        Resource changed = Resource.settled(state.key(), request.kind(), request.state(), version + 1, state.now());
        state.setResource(changed);
        state.note(AuditRecord.of(
                state.now(),
                state.key(),
                request.actor(),
                "resource",
                current == null ? Resource.UNTOUCHED : current.state(),
                request.state(),
                request.reason()));
        return new ResourceAnswer.Changed(changed);
    }
}
