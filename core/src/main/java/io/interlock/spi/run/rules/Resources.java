package io.interlock.spi.run.rules;

import io.interlock.run.AuditRecord;
import io.interlock.run.Resource;
import io.interlock.run.ResourceAnswer;
import io.interlock.spi.run.ResourceRequest;

/** Changes of resources by somebody who is no run. */
public final class Resources {

    private Resources() {}

    /** Sets the state of a resource, if its version is the one the actor saw and no run moves it. */
    public static ResourceAnswer set(Room room, ResourceRequest request) {
        Resource current = room.resource().orElse(null);
        long version = current == null ? 0 : current.version();
        if (version != request.expectedVersion() || (current != null && current.owner() != null)) {
            return new ResourceAnswer.Mismatch(current);
        }
        Resource changed = new Resource(room.key(), request.kind(), request.state(), version + 1, null);
        room.setResource(changed);
        room.note(new AuditRecord(
                0,
                room.now(),
                room.key(),
                null,
                null,
                request.actor(),
                "resource",
                current == null ? Resource.UNTOUCHED : current.state(),
                request.state(),
                request.reason(),
                null));
        return new ResourceAnswer.Changed(changed);
    }
}
