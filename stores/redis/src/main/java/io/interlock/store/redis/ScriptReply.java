package io.interlock.store.redis;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.RunId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reply of a script: a list that begins with its status and Redis's time; inner lists are replies of the same
 * moment.
 *
 * @param first the index of the first value after the header
 */
record ScriptReply(List<?> values, int first, Instant now) {

    // The order of the fields in leases.lua.
    private static final int ID = 0;
    private static final int INSTANCE = 1;
    private static final int LABEL = 2;
    private static final int RUN = 3;
    private static final int TOKEN = 4;
    private static final int GRANTED = 5;
    private static final int EXPIRES = 6;
    private static final int DELAY = 7;
    private static final int EVICTED_BY = 9;
    private static final int EVICTED_FOR = 10;
    private static final int EVICTED_AT = 11;
    private static final int MEMBER = 12;

    static ScriptReply of(List<?> values) {
        return new ScriptReply(values, 2, Micros.instant((Long) values.get(1)));
    }

    String status() {
        return (String) values.get(0);
    }

    int size() {
        return values.size() - first;
    }

    @Nullable
    String text(int index) {
        return (String) values.get(first + index);
    }

    /** A mandatory text. */
    String word(int index) {
        String text = text(index);
        if (text == null) {
            throw new IllegalStateException("value " + index + " is missing in " + values);
        }
        return text;
    }

    /** Numbers that may need more than 32 bits come as text. */
    long number(int index) {
        return Long.parseLong(word(index));
    }

    Instant instant(int index) {
        return Micros.instant(number(index));
    }

    boolean flag(int index) {
        return (Long) values.get(first + index) == 1;
    }

    /** One answer of a batch; its first value is its kind. */
    ScriptReply inner(int index) {
        return new ScriptReply((List<?>) values.get(first + index), 0, now);
    }

    /** A mandatory lease. */
    LeaseRecord lease(int index) {
        LeaseRecord lease = leaseOrNull(index);
        if (lease == null) {
            throw new IllegalStateException("value " + index + " is missing in " + values);
        }
        return lease;
    }

    @Nullable
    LeaseRecord leaseOrNull(int index) {
        return values.get(first + index) == null ? null : inner(index).asLease();
    }

    /** When the key of an expired lease becomes free. */
    Instant opensAt(int index) {
        ScriptReply lease = inner(index);
        return Micros.instant(lease.number(EXPIRES) + lease.number(DELAY));
    }

    private LeaseRecord asLease() {
        String run = word(RUN);
        Holder holder = new Holder(word(INSTANCE), word(LABEL), run.isEmpty() ? null : RunId.parse(run));
        LeaseRecord.Eviction eviction = text(EVICTED_BY) == null
                ? null
                : new LeaseRecord.Eviction(word(EVICTED_BY), word(EVICTED_FOR), instant(EVICTED_AT));
        return new LeaseRecord(
                Namespace.key(word(MEMBER)),
                LeaseId.parse(word(ID)),
                holder,
                new FencingToken(number(TOKEN)),
                instant(GRANTED),
                instant(EXPIRES),
                now,
                eviction);
    }
}
