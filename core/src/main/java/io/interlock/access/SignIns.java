package io.interlock.access;

import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Keeps sign-ins with a browser, without their secrets, until they end by the store's clock. */
public interface SignIns {

    /**
     * Stores a sign-in that begins now; the same one again changes nothing. It deletes those that are over, and ends another one where
     * {@link SignIn#crowded} says so; those that begin at the same moment may exceed the limits.
     *
     * @return the stored sign-in
     */
    SignIn openSignIn(SignIn signIn);

    /**
     * The sign-in with that hash, if it has not ended.
     *
     * @param used whether it counts as used now
     */
    Optional<SignIn> findSignIn(String hash, boolean used);

    /**
     * Ends a sign-in.
     *
     * @return which it was; empty if there is none, or it had ended before
     */
    Optional<SignIn> closeSignIn(String hash);

    /** Sign-ins in memory, with the rules of {@link SignIn}. Safe for use by many threads. */
    final class SignInList {

        // The one that was not used for longest comes first.
        private final Map<String, SignIn> all = new LinkedHashMap<>();

        /** Keeps {@code signIn} from {@code now} on; the same one again changes nothing. */
        public synchronized SignIn open(SignIn signIn, Instant now) {
            all.values().removeIf(one -> one.isOver(now));
            SignIn known = all.get(signIn.hash());
            if (known != null) {
                return known;
            }
            Map<String, Integer> counts = new HashMap<>();
            all.values().forEach(one -> counts.merge(one.keyId(), 1, Integer::sum));
            SignIn.crowded(counts, signIn.keyId())
                    .flatMap(key -> all.values().stream()
                            .filter(one -> one.keyId().equals(key))
                            .findFirst())
                    .ifPresent(eldest -> all.remove(eldest.hash()));
            SignIn kept = signIn.opened(now);
            all.put(kept.hash(), kept);
            return kept;
        }

        /** The one with that hash, if it has not ended. */
        public synchronized Optional<SignIn> find(String hash, boolean used, Instant now) {
            Optional<SignIn> found = Optional.ofNullable(all.get(hash)).filter(one -> !one.isOver(now));
            if (found.isPresent() && used) {
                all.remove(hash);
                all.put(hash, found.get().used(now));
                return Optional.of(found.get().used(now));
            }
            return found;
        }

        /** Ends the one with that hash; which it was, if it had not ended before. */
        public synchronized Optional<SignIn> close(String hash, Instant now) {
            return Optional.ofNullable(all.remove(hash)).filter(one -> !one.isOver(now));
        }
    }
}
