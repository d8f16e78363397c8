package io.interlock.server.runs;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.access.AccessKey;
import io.interlock.engine.RemoteWork;
import io.interlock.server.api.Call;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Who holds what a client asks for: its API key, and the name it gives itself. */
public final class Holders {

    private static final int MAX_LABEL = 60;

    private Holders() {}

    /** A client that goes by {@code name}. The same key and name are the same holder, whichever node is asked. */
    public static Holder named(Call call, String name) {
        UUID hash = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new Holder("key " + call.caller().key().id() + " " + hash, name);
    }

    /** A client that gives itself no name, asking for the grant {@code lease}. */
    static RemoteWork.Caller caller(Call call, LeaseId lease) {
        AccessKey key = call.caller().key();
        String label = key.label().length() > MAX_LABEL ? key.label().substring(0, MAX_LABEL) : key.label();
        return new RemoteWork.Caller(lease, new Holder("key " + key.id(), label));
    }
}
