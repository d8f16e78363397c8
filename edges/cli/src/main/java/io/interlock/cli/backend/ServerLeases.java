package io.interlock.cli.backend;

import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.ThisProcess;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.ShellWords;
import io.interlock.cli.text.Shown;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;

/** Leases without runs, by a server. */
final class ServerLeases implements LeaseApi {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int CONFLICT = 409;

    private final ServerClient client;
    private final Environment environment;

    ServerLeases(ServerClient client, Environment environment) {
        this.client = client;
        this.environment = environment;
    }

    @Override
    public Facts acquire(LockKey key, Duration ttl, Duration wait) {
        Facts body = Facts.with("key", key.name())
                .and("leaseId", LeaseId.random(environment.random()))
                .and("ttl", ttl)
                .and("holder", ThisProcess.holder(environment.random()).label())
                .done();
        try {
            return ServerClient.good(acquire(body, wait)).body();
        } catch (Failure refused) {
            throw refused.exitCode() == ExitCode.BUSY ? busy(key, refused.code(), refused.what()) : refused;
        }
    }

    // A server lets nobody wait for longer than half a minute. One that refuses much sooner than it was to has its
    // reasons.
    private ServerClient.Answer acquire(Facts body, Duration wait) {
        Duration left = wait;
        while (true) {
            Duration most = left.compareTo(LONGEST) > 0 ? LONGEST : left;
            long before = environment.ticker().nanos();
            Facts question = most.isZero() ? body : body.and("wait", most);
            ServerClient.Answer answer = client.tryPost("/locks/acquire", question, most);
            Duration took = Duration.ofNanos(environment.ticker().nanos() - before);
            left = left.minus(took);
            boolean inVain = answer.status() == CONFLICT && took.multipliedBy(2).compareTo(most) >= 0;
            if (!inVain || left.isNegative() || left.isZero()) {
                return answer;
            }
        }
    }

    /** Somebody else has the key. */
    static Failure busy(LockKey key, String code, String explanation) {
        Facts told =
                Facts.with("key", key.name()).and("explanation", explanation).done();
        return new Failure(
                ExitCode.BUSY,
                code,
                Shown.sentence(told),
                "wait for it: interlock acquire --wait 30s " + ShellWords.join(List.of(key.name())));
    }

    @Override
    public Facts renew(Proof proof, Duration ttl) {
        return client.post("/locks/renew", facts(proof).and("ttl", ttl.toString()));
    }

    @Override
    public void release(Proof proof) {
        client.post("/locks/release", facts(proof));
    }

    private static Facts facts(Proof proof) {
        return Facts.with("key", proof.key().name())
                .and("leaseId", proof.leaseId())
                .and("token", proof.token())
                .done();
    }
}
