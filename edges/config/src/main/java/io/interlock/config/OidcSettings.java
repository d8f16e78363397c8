package io.interlock.config;

import io.interlock.access.Role;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How people sign in with an OpenID provider.
 *
 * @param name what people call the provider
 * @param secret the client's secret, or {@code null} if it has none
 * @param url where people reach this server, or {@code null} for the address of the request
 * @param scopes what is asked for
 * @param rolesClaim the claim that says what a person may do; dots lead into objects
 * @param tenantClaim the claim with the tenants of roles that name none, or {@code null} for the default tenant
 * @param grants what values of the claim mean; if empty, they are {@code role} or {@code tenant:role}
 */
public record OidcSettings(
        URI issuer,
        String clientId,
        @Nullable Secret secret,
        String name,
        @Nullable URI url,
        List<String> scopes,
        String rolesClaim,
        @Nullable String tenantClaim,
        List<Grant> grants) {

    public OidcSettings {
        scopes = List.copyOf(scopes);
        grants = List.copyOf(grants);
    }

    /** The client's secret, if it has one; read from its file each time, so that it can be replaced. */
    public Optional<String> clientSecret() {
        return Optional.ofNullable(secret).map(Secret::reveal);
    }

    /**
     * What a value of the claim means.
     *
     * @param value the value, such as a group
     */
    public record Grant(String value, String tenant, Role role) {}
}
