package io.interlock.engine.notify;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.audit.AuditSealer;
import io.interlock.engine.http.WebhookSigner;
import io.interlock.engine.notify.NotifyRule.NotifyTarget;
import io.interlock.locks.Locks;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.store.memory.MemoryStore;
import io.interlock.tck.ManualTime;
import io.interlock.time.Environment;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Runs that go wrong, on a store in memory, and a receiver of notifications, with time in hand. */
@Timeout(60)
abstract class NotifyFixture {

    static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    static final LockKey KEY = LockKey.of("acme", "ledger");
    static final JobName JOB = new JobName("close");
    static final RunError ERROR = new RunError("BROKEN", "it broke");

    final ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"));
    final MemoryStore store = new MemoryStore(time);
    volatile boolean losesAnswers;
    final Receiver receiver = new Receiver();
    final List<AutoCloseable> open = new ArrayList<>();
    final List<String> givenUp = new CopyOnWriteArrayList<>();
    private final Notifier.Listener listener =
            (rule, notification, why) -> givenUp.add(notification.kind().word() + ": " + why);

    /** What arrives, per host; each host answers as it is told to. */
    static final class Receiver implements Notifier.PostSender {

        record ReceivedPost(URI url, Map<String, String> headers, String body) {
            String id() {
                return headers.getOrDefault("webhook-id", "");
            }
        }

        final List<ReceivedPost> posts = new CopyOnWriteArrayList<>();
        final Map<String, Integer> status = new ConcurrentHashMap<>();

        @Override
        public int post(URI url, Map<String, String> headers, byte[] body) throws IOException {
            posts.add(new ReceivedPost(url, headers, new String(body, StandardCharsets.UTF_8)));
            int answer = status.getOrDefault(url.getHost(), 204);
            if (answer == 0) {
                throw new IOException("no server is at " + url);
            }
            return answer;
        }

        List<ReceivedPost> at(String host) {
            return posts.stream()
                    .filter(post -> host.equals(post.url().getHost()))
                    .toList();
        }

        List<String> idsAt(String host) {
            return at(host).stream().map(ReceivedPost::id).toList();
        }
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        store.close();
    }

    static NotifyRule rule(String host, Set<Notification.Kind> on) {
        return new NotifyRule(host, on, webhook(host), null);
    }

    static NotifyRule rule(String host) {
        return rule(host, EnumSet.allOf(Notification.Kind.class));
    }

    static NotifyTarget.Webhook webhook(String host) {
        return new NotifyTarget.Webhook(
                URI.create("https://" + host + "/hooks/T0pS3cret?key=hidden"),
                new WebhookSigner(List.of(SECRET), Environment.system().clock()));
    }

    /** A process that tells; returns when it has begun. */
    Notifier tells(NotifyRule... rules) {
        Locks locks =
                Locks.builder(store).environment(time).drainTime(Duration.ZERO).build();
        Notifier notifier = new Notifier(
                List.of(rules),
                new Notifier.Sources(store.audit(), store.queries(), notes()),
                locks,
                receiver,
                listener,
                time);
        open.add(0, locks);
        open.add(0, notifier);
        until(() -> List.of(rules).stream().allMatch(rule -> store.notes().bookmark("notify/" + rule.name()) > 0));
        return notifier;
    }

    /** The store's notes, from which an answer may get lost on its way. */
    private RunNotes notes() {
        return (RunNotes) Proxy.newProxyInstance(
                RunNotes.class.getClassLoader(), new Class<?>[] {RunNotes.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(store.notes(), arguments);
                    if (losesAnswers && method.getName().equals("moveBookmark")) {
                        throw new StoreUnavailableException("notes", "lost its answer");
                    }
                    return answer;
                });
    }

    /** Lets time pass until something has happened. */
    void until(BooleanSupplier condition) {
        for (int second = 0; second < 600 && !condition.getAsBoolean(); second++) {
            pass(Duration.ofSeconds(1));
        }
        assertThat(condition.getAsBoolean()).as("within ten minutes").isTrue();
    }

    /** Lets time pass in small steps, with the log being sealed. */
    void pass(Duration duration) {
        new AuditSealer(store.audit()).runOnce();
        time.advance(duration);
    }

    RunSpec spec(int attempts) {
        return RunSpec.of(JOB, "alice")
                .terms(LeaseTerms.of(Duration.ofSeconds(30)))
                .retry(new RetryPlan(attempts, Duration.ZERO, 1, Duration.ZERO));
    }

    RunId submit(LockKey key, RunSpec spec) {
        RunId id = RunId.create(time.clock(), time.random());
        store.runs().submit(List.of(SubmitRequest.of(id, key, spec))).only();
        return id;
    }

    Claimed claim() {
        UUID id = new UUID(time.random().nextLong(), time.random().nextLong());
        List<Claimed> claimed =
                store.work().claim(new ClaimRequest(id, new Holder("host/1", "worker on host"), null, Set.of(JOB), 1));
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    HeartbeatAnswer heartbeat(Claimed work) {
        return store.work()
                .heartbeat(List.of(new HeartbeatRequest(
                        work.run().id(),
                        work.run().key(),
                        work.lease().id(),
                        work.lease().token(),
                        null,
                        null)))
                .only();
    }

    void fails(Claimed work) {
        store.work()
                .finish(List.of(new FinishRequest(
                        work.run().id(),
                        work.run().key(),
                        work.lease().id(),
                        work.lease().token(),
                        new Ending.Failed(ERROR, true, null))))
                .only();
    }

    /** A run that has used up its two attempts. */
    RunId dies(LockKey key) {
        RunId id = submit(key, spec(2));
        fails(claim());
        store.upkeep().sweepRuns(100);
        fails(claim());
        return id;
    }
}
