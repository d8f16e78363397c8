package io.interlock.store.redis;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireAnswer.Grant;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import java.util.ArrayList;
import java.util.List;

/** Encodes the requests of acquire.lua, and decodes the answers of the scripts about leases. */
final class LeaseCodec {

    private static final int FIRST_GRANT = 2;

    private LeaseCodec() {}

    static void write(AcquireRequest request, List<String> arguments) {
        arguments.add(request.id().toString());
        arguments.add(request.holder().instance());
        arguments.add(request.holder().label());
        arguments.add(request.holder().runId().map(Object::toString).orElse(""));
        arguments.add(Long.toString(Micros.of(request.terms().ttl())));
        arguments.add(Long.toString(Micros.of(request.terms().lockDelay())));
        arguments.add(request.waits() ? "1" : "0");
        arguments.add(request.takeover().ask() ? "1" : "0");
        arguments.add(Integer.toString(request.keys().size()));
        for (LockKey key : request.keys()) {
            FencingToken cleared = request.takeover().cleared().get(key);
            arguments.add(Namespace.member(key));
            arguments.add(cleared == null ? "" : cleared.toString());
        }
    }

    static AcquireAnswer read(ScriptReply answer) {
        return switch (answer.word(0)) {
            case "granted" -> new AcquireAnswer.Granted(grants(answer));
            case "held" -> new AcquireAnswer.Refused(new Refusal.Held(answer.lease(1)));
            case "delayed" -> new AcquireAnswer.Refused(new Refusal.Delayed(answer.lease(1), answer.opensAt(1)));
            case "probe" -> new AcquireAnswer.Refused(new Refusal.AwaitsProbe(answer.lease(1)));
            case "recovering" ->
                new AcquireAnswer.Refused(
                        new Refusal.StoreRecovering(Namespace.key(answer.word(1)), answer.now(), answer.instant(2)));
            default -> throw new IllegalStateException("unknown answer " + answer);
        };
    }

    /** The releases of the grants of this call; nothing if it only repeated an earlier grant. */
    static List<ReleaseRequest> freshGrants(ScriptReply granted) {
        List<ReleaseRequest> fresh = new ArrayList<>();
        if (granted.flag(1)) {
            for (Grant grant : grants(granted)) {
                LeaseRecord lease = grant.lease();
                fresh.add(new ReleaseRequest(lease.key(), lease.id(), lease.token()));
            }
        }
        return fresh;
    }

    private static List<Grant> grants(ScriptReply answer) {
        List<Grant> grants = new ArrayList<>();
        for (int i = FIRST_GRANT; i < answer.size(); i++) {
            ScriptReply grant = answer.inner(i);
            grants.add(new Grant(grant.lease(0), grant.leaseOrNull(1)));
        }
        return grants;
    }

    static RenewAnswer renewed(ScriptReply answer) {
        return switch (answer.word(0)) {
            case "renewed" -> new RenewAnswer.Renewed(answer.lease(1));
            case "expired" -> new RenewAnswer.Lost(LossCause.EXPIRED, answer.lease(1));
            case "evicted" -> new RenewAnswer.Lost(LossCause.EVICTED, answer.lease(1));
            case "gone" -> new RenewAnswer.Lost(LossCause.GONE, answer.leaseOrNull(1));
            default -> throw new IllegalStateException("unknown answer " + answer);
        };
    }

    static ReleaseAnswer released(ScriptReply answer) {
        return switch (answer.word(0)) {
            case "released" -> new ReleaseAnswer.Released(answer.lease(1));
            case "lapsed" -> new ReleaseAnswer.Lapsed(answer.lease(1));
            case "gone" -> new ReleaseAnswer.Gone(answer.leaseOrNull(1));
            default -> throw new IllegalStateException("unknown answer " + answer);
        };
    }

    static EvictAnswer evicted(ScriptReply answer) {
        return switch (answer.word(0)) {
            case "evicted" -> new EvictAnswer.Evicted(answer.lease(1), answer.instant(2));
            case "mismatch" -> new EvictAnswer.Mismatch(answer.leaseOrNull(1));
            default -> throw new IllegalStateException("unknown answer " + answer);
        };
    }
}
