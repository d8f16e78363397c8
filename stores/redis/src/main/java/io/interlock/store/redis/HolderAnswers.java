package io.interlock.store.redis;

import io.interlock.EvictAnswer;
import io.interlock.LossCause;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.RenewAnswer;

/** Decodes the answers of renew.lua, release.lua and evict.lua. */
final class HolderAnswers {

    private HolderAnswers() {}

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
