package io.interlock.store.redis;

import io.interlock.FencingToken;
import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.StoreCapabilities.Reach;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.StoreUrl;
import io.interlock.store.redis.RedisSettings.Namespace;
import io.interlock.store.redis.Script.Reply;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases in Redis, for speed. Each step is one script, so it is atomic, by the clock of Redis. The package
 * documentation describes the guarantees and their limits.
 *
 * <p>Thread-safe. Renewals have a separate connection.
 */
public final class RedisStore implements LeaseStore {

    private static final Logger log = LoggerFactory.getLogger(RedisStore.class);

    // Redis runs nothing else during a script, so a large batch is processed in parts.
    private static final int REQUESTS_PER_CALL = 200;

    // Redis runs one script at a time: one batch runs while another is on its way.
    private static final int PARALLEL_BATCHES = 2;

    private final RedisSettings settings;
    private final Connector connector;
    private final Attachment attachment;
    private final RetryingConnection steps;
    private final RetryingConnection renewals;
    private final WakeUps wakeUps;

    private RedisStore(RedisSettings settings, Connector connector, Environment environment) {
        Namespace namespace = Namespace.of(settings.common().prefix());
        RetryingConnection.ServerClock clock = new RetryingConnection.ServerClock(environment.ticker());
        this.settings = settings;
        this.connector = connector;
        this.attachment = new Attachment(settings, namespace);
        this.steps = new RetryingConnection(connector, attachment, settings, namespace, clock);
        this.renewals = new RetryingConnection(connector, attachment, settings, namespace, clock);
        this.wakeUps = new WakeUps(connector, namespace, environment);
    }

    /** Opens the store at {@code url}. */
    public static RedisStore open(String url, Environment environment) {
        return open(RedisSettings.of(StoreUrl.parse(url)), environment);
    }

    static RedisStore open(RedisSettings settings, Environment environment) {
        Connector connector =
                new Connector(settings.address(), settings.common().timeout(), environment);
        RedisStore store = new RedisStore(settings, connector, environment);
        try {
            store.steps.attach();
            return store;
        } catch (StoreUnavailableException failure) {
            store.close();
            throw RedisErrors.whileOpening(settings, failure);
        } catch (RuntimeException | Error failure) {
            store.close();
            throw failure;
        }
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(
                settings.displayName(),
                Reach.NETWORK,
                true,
                attachment.maxLease(),
                Duration.ofNanos(1_000),
                PARALLEL_BATCHES);
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        requests.forEach(request -> request.terms().within(attachment.maxLease()));
        return inParts(requests, part -> {
            List<String> arguments = new ArrayList<>();
            arguments.add(settings.waitReplicas() > 0 ? "1" : "0");
            arguments.add(Integer.toString(part.size()));
            part.forEach(request -> write(request, arguments));
            RetryingConnection.Written written = steps.call(Script.ACQUIRE, arguments, settings.waitReplicas());
            if (written.replicas() < settings.waitReplicas()) {
                takeBack(written);
            }
            return written.reply().from(0, i -> written.reply().inner(i).acquired());
        });
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        requests.forEach(request -> LeaseTerms.of(request.ttl()).within(attachment.maxLease()));
        return inParts(requests, part -> {
            List<String> arguments = new ArrayList<>();
            arguments.add(Integer.toString(part.size()));
            for (RenewRequest request : part) {
                arguments.add(Namespace.member(request.key()));
                arguments.add(request.id().toString());
                arguments.add(request.token().toString());
                arguments.add(Long.toString(TimeUnit.MICROSECONDS.convert(request.ttl())));
            }
            Reply reply = renewals.call(Script.RENEW, arguments);
            return reply.from(0, i -> reply.inner(i).renewed());
        });
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return inParts(requests, part -> {
            List<String> arguments = new ArrayList<>();
            arguments.add(Integer.toString(part.size()));
            for (ReleaseRequest request : part) {
                arguments.add(Namespace.member(request.key()));
                arguments.add(request.id().toString());
                arguments.add(request.token().toString());
            }
            RetryingConnection.Written written = steps.call(Script.RELEASE, arguments, 0);
            List<ReleaseAnswer> answers =
                    written.reply().from(0, i -> written.reply().inner(i).released());
            // The lease may be gone because of our own first attempt. A loss must not be a guess.
            if (written.repeated() && answers.stream().anyMatch(ReleaseAnswer.Gone.class::isInstance)) {
                throw new StoreUnavailableException(
                        settings.displayName(),
                        "lost the connection during a release; whether the lease had ended before is not known");
            }
            return answers;
        });
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        List<String> arguments = List.of(
                Namespace.member(request.key()),
                request.expected().toString(),
                request.actor().name(),
                request.reason());
        return steps.call(Script.EVICT, arguments).evicted();
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        List<String> arguments = new ArrayList<>();
        arguments.add(Integer.toString(keys.size()));
        keys.forEach(key -> arguments.add(Namespace.member(key)));
        Reply reply = steps.call(Script.FIND, arguments);
        return reply.from(0, i -> Optional.ofNullable(reply.leaseOrNull(i)));
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        String beginning = query.tenantFilter()
                .map(tenant -> Namespace.tenantMembers(tenant) + query.namePrefix())
                .orElse("");
        String from = query.cursor()
                .map(after -> "(" + Namespace.member(after))
                .orElse(beginning.isEmpty() ? "-" : "[" + beginning);
        List<LeaseRecord> found = new ArrayList<>();
        while (true) {
            int missing = query.limit() + 1 - found.size();
            Reply reply =
                    steps.call(Script.LIST, List.of(from, beginning, query.namePrefix(), Integer.toString(missing)));
            // A cursor before the requested range returns keys before it.
            reply.from(1, reply::lease).stream()
                    .filter(lease -> query.matches(lease.key()))
                    .forEach(found::add);
            String goOnAfter = reply.text(0);
            if (goOnAfter == null || found.size() > query.limit()) {
                return LeasePage.of(found, query.limit());
            }
            from = "(" + goOnAfter;
        }
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        List<LeaseRecord> cleared = new ArrayList<>();
        while (cleared.size() < limit) {
            int part = Math.min(REQUESTS_PER_CALL, limit - cleared.size());
            Reply reply = steps.call(Script.SWEEP, List.of(Integer.toString(part)));
            cleared.addAll(reply.from(0, reply::lease));
            if (reply.size() < part) {
                break;
            }
        }
        return cleared;
    }

    @Override
    public Instant bumpEpoch(String reason) {
        Reply reply = steps.call(Script.BUMP, List.of());
        log.warn(
                "store {} begins epoch {} and grants nothing until {} ({})",
                settings.displayName(),
                reply.epoch(),
                reply.instant(0),
                reason);
        return reply.instant(0);
    }

    @Override
    public ChangeFeed changes() {
        return wakeUps;
    }

    @Override
    public void close() {
        wakeUps.close();
        steps.close();
        renewals.close();
        connector.close();
    }

    // Too few replicas have the grants: after a failover the keys could be granted again.
    private void takeBack(RetryingConnection.Written written) {
        List<Reply> answers = written.reply().from(0, written.reply()::inner);
        if (answers.stream().noneMatch(Reply::isGranted)) {
            return;
        }
        List<ReleaseRequest> fresh = answers.stream()
                .flatMap(answer -> answer.freshGrants().stream())
                .toList();
        if (!fresh.isEmpty()) {
            release(fresh);
        }
        throw new StoreUnavailableException(
                settings.displayName(),
                "has " + written.replicas() + " replicas that confirmed the grant; waitReplicas requires "
                        + settings.waitReplicas());
    }

    private static void write(AcquireRequest request, List<String> arguments) {
        arguments.add(request.id().toString());
        arguments.add(request.holder().instance());
        arguments.add(request.holder().label());
        arguments.add(request.holder().runId().map(Object::toString).orElse(""));
        arguments.add(
                Long.toString(TimeUnit.MICROSECONDS.convert(request.terms().ttl())));
        arguments.add(
                Long.toString(TimeUnit.MICROSECONDS.convert(request.terms().lockDelay())));
        arguments.add(request.waits() ? "1" : "0");
        arguments.add(request.takeover().ask() ? "1" : "0");
        arguments.add(Integer.toString(request.keys().size()));
        for (LockKey key : request.keys()) {
            FencingToken cleared = request.takeover().cleared().get(key);
            arguments.add(Namespace.member(key));
            arguments.add(cleared == null ? "" : cleared.toString());
        }
    }

    private static <R, A> Answers<A> inParts(List<R> requests, Function<List<R>, List<A>> call) {
        List<A> answers = new ArrayList<>(requests.size());
        for (int from = 0; from < requests.size(); from += REQUESTS_PER_CALL) {
            answers.addAll(call.apply(requests.subList(from, Math.min(requests.size(), from + REQUESTS_PER_CALL))));
        }
        return Answers.of(answers);
    }
}
