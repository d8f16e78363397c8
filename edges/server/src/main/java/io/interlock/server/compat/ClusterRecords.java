package io.interlock.server.compat;

import io.interlock.Actor;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.RunEngine;
import io.interlock.run.AuditRecord;
import io.interlock.run.Resource;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Resource.ResourceQuery;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.service.LockService;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which clusters there are. A cluster is a resource of the engine, which its jobs move. The resource of its name says which
 * cluster has the name; it changes only from the version that was seen, so of many who want a name one gets it. All methods block.
 */
final class ClusterRecords {

    private static final Logger log = LoggerFactory.getLogger(ClusterRecords.class);

    static final String PENDING = "PENDING";
    static final String READY = "READY";
    static final String FAILED = "FAILED";

    private static final String KIND = "cluster";
    private static final String NAMES = "cluster-name";

    /** A cluster in one of these states leaves its name to others. */
    private static final Set<String> OVER = Set.of("DESTROYED", FAILED);

    /** A server that is between the record and the job is through with it by then. */
    private static final Duration BETWEEN = Duration.ofMinutes(1);

    private final RunEngine engine;

    ClusterRecords(RunEngine engine) {
        this.engine = engine;
    }

    /** Adds a cluster; answers with the one that has its name, if there is one and it is not over. */
    Optional<Cluster> add(String tenant, ClusterId id, @Nullable Instant expiresAt, Actor actor) {
        LockKey nameKey = id.nameKey(tenant).orElseThrow();
        boolean there = false;
        while (true) {
            Optional<Resource> claim = engine.resource(nameKey);
            Optional<Cluster> twin = claim.map(held -> id.twin(Claim.parse(held).cluster()))
                    .flatMap(named -> judged(tenant, named, actor))
                    .filter(found -> isActive(tenant, found));
            if (twin.isPresent()) {
                if (there) {
                    set(tenant, id, "DESTROYED", actor, "another cluster got the name");
                }
                return twin;
            }
            if (!there) {
                // The cluster comes first: a name never stands for a cluster that is not there. What is known of it
                // comes before.
                keepFacts(tenant, id, actor);
                if (!(engine.setResource(id.key(tenant), KIND, PENDING, 0, actor, "created")
                        instanceof ResourceAnswer.Changed)) {
                    return find(tenant, id);
                }
                there = true;
            }
            ResourceAnswer answer = engine.setResource(
                    nameKey,
                    NAMES,
                    new Claim(id.text(), expiresAt).toString(),
                    claim.map(Resource::version).orElse(0L),
                    actor,
                    "cluster " + id + " created");
            if (answer instanceof ResourceAnswer.Changed) {
                return Optional.empty();
            }
        }
    }

    private void keepFacts(String tenant, ClusterId id, Actor actor) {
        LockKey key = id.factsKey(tenant);
        long version = engine.resource(key).map(Resource::version).orElse(0L);
        engine.setResource(key, ClusterId.FACTS, id.facts(), version, actor, "created");
    }

    /** The cluster with that id, if there is one. */
    Optional<Cluster> find(String tenant, String text) {
        if (!ClusterId.isPlain(text)) {
            return Optional.empty();
        }
        ClusterId adopted = ClusterId.adopted(text);
        return find(
                tenant,
                engine.resource(adopted.factsKey(tenant))
                        .map(facts -> ClusterId.of(text, facts.state()))
                        .orElse(adopted));
    }

    private Optional<Cluster> judged(String tenant, ClusterId id, Actor actor) {
        engine.resource(id.key(tenant)).ifPresent(cluster -> judge(cluster, actor));
        return find(tenant, id);
    }

    /**
     * Has {@code cluster} failed if it waits for a first job that does not come: it was cancelled in the queue, its max-wait was over, or the
     * server died between the record of the cluster and the job. A request for the name, or the end of a lifetime, asks.
     */
    void judge(Resource cluster, Actor actor) {
        if (cluster.state().equals(PENDING) && isForsaken(cluster.key())) {
            // Unless it has begun meanwhile: then it has another version.
            engine.setResource(
                    cluster.key(), cluster.kind(), FAILED, cluster.version(), actor, "its first job never began");
        }
    }

    private boolean isForsaken(LockKey key) {
        List<Run> jobs = engine.list(RunQuery.ofTenant(key.tenant()).of(key)).runs();
        return jobs.isEmpty()
                ? isOld(key)
                : jobs.stream().allMatch(job -> job.state().isTerminal() && !hasCreated(job));
    }

    /** Any other job that succeeded without a transition has begun nothing. */
    private static boolean hasCreated(Run job) {
        return job.state() == RunState.SUCCEEDED
                && CompatRuns.type(job.job().value()).equals(ClusterApi.CREATE);
    }

    private boolean isOld(LockKey key) {
        Instant then = engine.queries().time().minus(BETWEEN);
        return engine.audit(key).stream().map(AuditRecord::at).allMatch(then::isAfter);
    }

    /** The active cluster, other than {@code id}, that has the name of it. */
    Optional<Cluster> heir(String tenant, ClusterId id) {
        return heir(tenant, id, id.nameKey(tenant).flatMap(engine::resource));
    }

    private Optional<Cluster> heir(String tenant, ClusterId id, Optional<Resource> claim) {
        return claim.map(name -> Claim.parse(name).cluster())
                .filter(other -> !other.equals(id.text()))
                .flatMap(other -> find(tenant, id.twin(other)))
                .filter(found -> isActive(tenant, found));
    }

    /**
     * Has {@code id} keep its name, or get it back, now that a job is there that makes it active again; answers with its heir, if
     * that is active: then the job must not be. A client that adds a cluster of this name has changed the claim before, and is seen here, or
     * fails to change it afterwards, and sees the job.
     */
    Optional<Cluster> keepName(String tenant, ClusterId id, Actor actor) {
        LockKey nameKey = id.nameKey(tenant).orElse(null);
        while (nameKey != null) {
            Optional<Resource> claim = engine.resource(nameKey);
            Optional<Cluster> heir = heir(tenant, id, claim);
            if (heir.isPresent()) {
                return heir;
            }
            Claim kept = claim.map(Claim::parse)
                    .filter(own -> own.cluster().equals(id.text()))
                    .orElse(new Claim(id.text(), null));
            ResourceAnswer answer = engine.setResource(
                    nameKey,
                    NAMES,
                    kept.toString(),
                    claim.map(Resource::version).orElse(0L),
                    actor,
                    "cluster " + id + " has a job");
            if (answer instanceof ResourceAnswer.Changed) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    /** One that has failed and is about to be destroyed still has its name. */
    private boolean isActive(String tenant, Cluster cluster) {
        return !OVER.contains(cluster.status())
                || (cluster.status().equals(FAILED)
                        && LockService.view(engine, cluster.id().key(tenant))
                                .filter(view -> view.run() != null || view.waiting() > 0)
                                .isPresent());
    }

    /** Gives up a cluster that was added and whose first job was refused. */
    void giveUp(String tenant, ClusterId id, Actor actor) {
        set(tenant, id, FAILED, actor, "its first job was refused");
    }

    Optional<Cluster> find(String tenant, ClusterId id) {
        return engine.resource(id.key(tenant))
                .map(cluster -> new Cluster(
                        id,
                        cluster.state(),
                        id.nameKey(tenant)
                                .flatMap(engine::resource)
                                .map(Claim::parse)
                                .filter(claim -> claim.cluster().equals(id.text()))
                                .map(Claim::expiresAt)
                                .orElse(null)));
    }

    /** Whether a cluster in that state leaves its name to others. */
    static boolean isOver(String state) {
        return OVER.contains(state);
    }

    /**
     * A cluster whose lifetime is over.
     *
     * @param key what its jobs are exclusive under
     */
    record Ending(LockKey key, ClusterId id, Instant expiresAt, Resource name) {}

    /** Clusters, of all tenants, whose lifetime is over at {@code now}. */
    List<Ending> ending(Instant now) {
        List<Ending> all = new ArrayList<>();
        ResourceQuery query = ResourceQuery.ofKind(NAMES);
        List<Resource> page;
        do {
            page = engine.queries().resources(query);
            for (Resource name : page) {
                query = query.behind(name.key());
                ending(name, now).ifPresent(all::add);
            }
        } while (page.size() == query.limit());
        return all;
    }

    private static Optional<Ending> ending(Resource name, Instant now) {
        Claim claim;
        try {
            claim = Claim.parse(name);
        } catch (DateTimeParseException unreadable) {
            log.warn("{} has an unreadable lifetime: '{}'; correct it", name.key(), name.state());
            return Optional.empty();
        }
        Instant end = claim.expiresAt();
        return end == null || end.isAfter(now)
                ? Optional.empty()
                : ClusterId.named(name.key(), claim.cluster())
                        .map(id -> new Ending(id.key(name.key().tenant()), id, end, name));
    }

    /** Drops the lifetime of a cluster that is over; another cluster may have its name by now. */
    void forgetLifetime(Ending ending, Actor actor) {
        Resource name = ending.name();
        engine.setResource(
                name.key(),
                NAMES,
                new Claim(ending.id().text(), null).toString(),
                name.version(),
                actor,
                "cluster " + ending.id() + " is over");
    }

    private void set(String tenant, ClusterId id, String state, Actor actor, String reason) {
        LockKey key = id.key(tenant);
        long version = engine.resource(key).map(Resource::version).orElse(0L);
        engine.setResource(key, KIND, state, version, actor, reason);
    }

    /**
     * Which cluster has a name, and until when: as the state of the name's resource.
     *
     * @param expiresAt when its lifetime ends, or {@code null} if it has none
     */
    record Claim(String cluster, @Nullable Instant expiresAt) {

        static Claim parse(Resource name) {
            String[] parts = name.state().split(" until ", 2);
            return new Claim(parts[0], parts.length == 1 ? null : Instant.parse(parts[1]));
        }

        @Override
        public String toString() {
            return expiresAt == null ? cluster : cluster + " until " + expiresAt;
        }
    }

    /**
     * A cluster.
     *
     * @param expiresAt when its lifetime ends, or {@code null} if it has none, or is over
     */
    record Cluster(ClusterId id, String status, @Nullable Instant expiresAt) {}
}
