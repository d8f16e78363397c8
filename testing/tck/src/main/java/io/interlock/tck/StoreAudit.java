package io.interlock.tck;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Checks a {@link History} against the guarantees: leases of one key do not overlap by the store's clock (I1), tokens
 * increase (I2), and a grant is exactly what was requested, once, and nothing else counts as a grant (I12). It does
 * not trust the store; it only compares answers with each other.
 */
public final class StoreAudit {

    private final Duration precision;
    private final List<String> findings = new ArrayList<>();
    private final TreeMap<LockKey, TreeMap<Long, GrantLife>> lives = new TreeMap<>();

    private StoreAudit(Duration precision) {
        this.precision = precision;
    }

    /**
     * The findings in {@code history}; empty if there are none.
     *
     * @param precision the resolution of the store's clock
     */
    public static List<String> findings(History history, Duration precision) {
        StoreAudit audit = new StoreAudit(precision);
        List<Event> events = history.events();
        events.forEach(audit::gatherGrant);
        events.forEach(audit::gatherRest);
        audit.lives.values().forEach(audit::judgeKey);
        return List.copyOf(audit.findings);
    }

    private void gatherGrant(Event event) {
        if (!(event instanceof Event.Granted granted)) {
            return;
        }
        List<LockKey> keys =
                granted.grants().stream().map(grant -> grant.lease().key()).toList();
        if (!keys.equals(granted.request().keys())) {
            findings.add("I12: asked for " + granted.request().keys() + ", granted " + keys);
        }
        granted.grants().forEach(grant -> {
            LeaseRecord lease = grant.lease();
            if (!lease.id().equals(granted.request().id())
                    || !lease.holder().equals(granted.request().holder())
                    || !lease.isLive()
                    || lease.grantedAt().isAfter(lease.observedAt())) {
                findings.add("I12: asked for " + granted.request() + ", granted " + lease);
            }
            GrantLife life = lives.computeIfAbsent(lease.key(), key -> new TreeMap<>())
                    .computeIfAbsent(lease.token().value(), token -> new GrantLife(granted, lease));
            if (!life.id().equals(lease.id())) {
                findings.add("I2: token " + lease.token() + " of " + lease.key() + " was given out twice");
            }
            life.confirm(granted, lease);
        });
    }

    private void gatherRest(Event event) {
        if (event instanceof Event.Renewed renewed) {
            lifeOf(renewed.lease(), "renewed").ifPresent(life -> life.renewals().add(renewed));
        } else if (event instanceof Event.Ended ended) {
            lifeOf(ended.lease(), "released").ifPresent(life -> life.ends().add(ended));
        } else if (event instanceof Event.Evicted evicted) {
            lifeOf(evicted.victim(), "evicted")
                    .ifPresent(life -> life.evictions().add(evicted));
        } else if (event instanceof Event.Swept swept) {
            lifeOf(swept.lease(), "swept").ifPresent(life -> life.sweeps().add(swept));
        } else if (event instanceof Event.Believed believed) {
            judgeBelief(believed);
        } else if (event instanceof Event.Unclear unclear) {
            if (!(unclear.failure() instanceof StoreUnavailableException)) {
                findings.add("I12: no answer, and " + unclear.failure() + " instead of a StoreUnavailableException");
            }
            lives.getOrDefault(unclear.key(), new TreeMap<>()).values().stream()
                    .filter(life -> life.id().equals(unclear.id()))
                    .forEach(life -> life.unclear().add(unclear));
        }
    }

    // A lease handed out needs a grant of the store: a call that threw is not a grant.
    private void judgeBelief(Event.Believed believed) {
        GrantLife life = lives.getOrDefault(believed.key(), new TreeMap<>())
                .get(believed.token().value());
        if (life == null || !life.id().equals(believed.id()) || believed.span().isBefore(life.firstSpan())) {
            findings.add("I12: a lease was handed out that the store had not granted: " + believed);
        }
    }

    // A lease whose grant was never answered can still be found in the store and evicted or swept.
    private Optional<GrantLife> lifeOf(LeaseRecord lease, String what) {
        GrantLife life = lives.getOrDefault(lease.key(), new TreeMap<>())
                .get(lease.token().value());
        if (life != null && !life.id().equals(lease.id())) {
            findings.add("I1: " + what + " under another id than it was granted: " + lease);
        }
        return Optional.ofNullable(life);
    }

    private void judgeKey(SortedMap<Long, GrantLife> ofKey) {
        GrantLife before = null;
        for (GrantLife life : ofKey.values()) {
            findings.addAll(life.offences(precision));
            if (before != null) {
                judgeOrder(before, life);
            }
            before = life;
        }
    }

    private void judgeOrder(GrantLife before, GrantLife after) {
        if (after.firstSpan().isBefore(before.firstSpan())
                || after.grantedAt().plus(precision).isBefore(before.grantedAt())) {
            findings.add("I2: the smaller token was given out later: " + before + ", " + after);
        }
        Instant free = before.freeFrom();
        if (after.grantedAt().plus(precision).isBefore(free) && !before.mayHaveEndedBefore(after.firstSpan())) {
            findings.add("I1: granted " + Duration.between(after.grantedAt(), free) + " too early: " + before
                    + ", then " + after);
        }
    }
}
