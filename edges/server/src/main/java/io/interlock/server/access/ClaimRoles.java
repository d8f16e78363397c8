package io.interlock.server.access;

import io.interlock.InvalidKeyException;
import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.access.SignIn.Person;
import io.interlock.config.OidcSettings;
import io.interlock.service.PlainText;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the claims of an ID token allow. A value that means nothing here allows nothing. Immutable. */
final class ClaimRoles {

    private static final List<String> NAMES = List.of("email", "preferred_username", "name", "sub");
    private static final int MAX_LABEL = 60;

    private final OidcSettings settings;

    ClaimRoles(OidcSettings settings) {
        this.settings = settings;
    }

    /** The person, unless it has no role in any tenant. */
    Optional<Person> person(Map<String, Object> claims) {
        SortedMap<String, Role> roles = new TreeMap<>();
        for (String value : texts(claims, settings.rolesClaim())) {
            if (settings.grants().isEmpty()) {
                grantDirectly(value, claims, roles);
            }
            settings.grants().stream()
                    .filter(grant -> grant.value().equals(value))
                    .forEach(grant -> add(roles, grant.tenant(), grant.role()));
        }
        return roles.isEmpty() ? Optional.empty() : Optional.of(new Person(label(claims), first(roles)));
    }

    static String label(Map<String, Object> claims) {
        String label = NAMES.stream()
                .map(claims::get)
                .filter(String.class::isInstance)
                .map(name -> PlainText.oneLine(((String) name).strip()))
                .filter(name -> !name.isEmpty())
                .findFirst()
                .orElse("a person without a name");
        return label.length() > MAX_LABEL ? label.substring(0, MAX_LABEL) : label;
    }

    private void grantDirectly(String value, Map<String, Object> claims, SortedMap<String, Role> roles) {
        int colon = value.indexOf(':');
        Optional<Role> role = role(value.substring(colon + 1));
        if (role.isEmpty()) {
            return;
        }
        if (colon >= 0) {
            add(roles, value.substring(0, colon), role.get());
        } else if (settings.tenantClaim() == null) {
            add(roles, LockKey.DEFAULT_TENANT, role.get());
        } else {
            texts(claims, settings.tenantClaim()).forEach(tenant -> add(roles, tenant, role.get()));
        }
    }

    private static Optional<Role> role(String word) {
        return Stream.of(Role.values())
                .filter(role -> role.name().toLowerCase(Locale.ROOT).equals(word))
                .findFirst();
    }

    /** The highest role of a tenant counts. */
    private static void add(SortedMap<String, Role> roles, String tenant, Role role) {
        try {
            roles.merge(LockKey.of(tenant, "any").tenant(), role, (one, other) -> one.includes(other) ? one : other);
        } catch (InvalidKeyException noTenant) {
            // As any other value that means nothing here.
        }
    }

    private static SortedMap<String, Role> first(SortedMap<String, Role> roles) {
        while (roles.size() > Person.MOST_TENANTS) {
            roles.remove(roles.lastKey());
        }
        return roles;
    }

    /** The texts of a claim: a list, or words in one text. */
    private static List<String> texts(Map<String, Object> claims, String path) {
        Object found = claims;
        for (String name : path.split("\\.", -1)) {
            found = found instanceof Map<?, ?> object ? object.get(name) : null;
        }
        // A name with dots, as some providers require for claims of their own.
        return words(found == null ? claims.get(path) : found);
    }

    private static List<String> words(@Nullable Object claim) {
        if (claim instanceof Collection<?> list) {
            return list.stream().map(String::valueOf).toList();
        }
        return claim instanceof String text ? List.of(text.strip().split("[\\s,]+", -1)) : List.of();
    }
}
