package io.interlock.access;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.run.RunTexts;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A sign-in with a browser, as a store keeps it: with a hash of the secret in its cookie. It ends when it was not used for
 * {@link #IDLE}, and in any case after {@link #LONGEST}, by the store's clock.
 *
 * @param hash SHA-256 of the secret, as 64 hexadecimal digits
 * @param keyId the API key it acts for, or the id of {@code person}
 * @param person who signed in with an identity provider; {@code null} if an API key was shown, which then says what is allowed
 * @param openedAt when it began, by the store's clock; the store ignores the given value
 * @param usedAt approximately when it was last used, by the store's clock; the store ignores the given value
 */
public record SignIn(String hash, String keyId, @Nullable Person person, Instant openedAt, Instant usedAt) {

    /** How long it lasts without being used. */
    public static final Duration IDLE = Duration.ofMinutes(30);

    /** How long it lasts at most. */
    public static final Duration LONGEST = Duration.ofHours(12);

    /** How many there are of one API key or person; a further one ends the one that was not used for longest. */
    public static final int MOST_OF_A_KEY = 100;

    /** How many there are in a store. */
    public static final int MOST = 10_000;

    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

    public SignIn {
        if (!HASH.matcher(hash).matches()) {
            throw new InvalidSettingException("hash", "of a sign-in", "is not a SHA-256 hash", "hash the secret first");
        }
    }

    /** One that begins when the store keeps it. */
    public static SignIn of(String hash, String keyId, @Nullable Person person) {
        return new SignIn(hash, keyId, person, Instant.EPOCH, Instant.EPOCH);
    }

    /** The same, beginning at {@code now}. */
    public SignIn opened(Instant now) {
        return new SignIn(hash, keyId, person, now, now);
    }

    /** The same, used at {@code now}. */
    public SignIn used(Instant now) {
        return new SignIn(hash, keyId, person, openedAt, now);
    }

    /** Whether it has ended. */
    public boolean isOver(Instant now) {
        return !usedAt.isAfter(now.minus(IDLE)) || !openedAt.isAfter(now.minus(LONGEST));
    }

    /**
     * Of which key a sign-in ends, so that there is room for one of {@code keyId}: of the same key if it has too many, else, if there are
     * too many of all, of the key that has the most. So a key that signs in often ends its own.
     *
     * @param counts how many each key has
     */
    public static Optional<String> crowded(Map<String, Integer> counts, String keyId) {
        if (counts.getOrDefault(keyId, 0) >= MOST_OF_A_KEY) {
            return Optional.of(keyId);
        }
        return counts.values().stream().mapToInt(Integer::intValue).sum() < MOST
                ? Optional.empty()
                : counts.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
    }

    @Override
    public String toString() {
        return "a sign-in of " + keyId;
    }

    /**
     * A person whom an identity provider named.
     *
     * @param label the person's name
     * @param roles what the person may do, by tenant; at least one
     */
    public record Person(String label, SortedMap<String, Role> roles) {

        /** How many tenants a person may have. */
        public static final int MOST_TENANTS = 50;

        public Person {
            RunTexts.require("label", label, "name the person");
            roles = new TreeMap<>(roles);
            roles.keySet().forEach(tenant -> LockKey.of(tenant, "any"));
            if (roles.isEmpty() || roles.size() > MOST_TENANTS) {
                throw new InvalidSettingException(
                        "tenants", roles.size(), "must be 1 to " + MOST_TENANTS, "give the person fewer");
            }
        }

        /** Its roles in one line: no tenant has a space or an equals sign. */
        public String rolesText() {
            return roles.entrySet().stream()
                    .map(role -> role.getKey() + "=" + role.getValue())
                    .collect(Collectors.joining(" "));
        }

        /** The person whose roles were written by {@link #rolesText()}. */
        public static Person read(String label, String rolesText) {
            SortedMap<String, Role> roles = new TreeMap<>();
            for (String role : rolesText.split(" ", -1)) {
                int at = role.indexOf('=');
                roles.put(role.substring(0, at), Role.valueOf(role.substring(at + 1)));
            }
            return new Person(label, roles);
        }
    }
}
