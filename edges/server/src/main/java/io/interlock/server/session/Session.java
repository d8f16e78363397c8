package io.interlock.server.session;

/**
 * A sign-in of somebody with a browser.
 *
 * @param id what the cookie carries; a secret
 * @param apiKey the API key that was shown, in whose name everything is done; a secret
 * @param csrfToken what a page must send along with whatever changes something, which pages of others cannot know
 */
public record Session(String id, String apiKey, String csrfToken) {

    /** Without its secrets. */
    @Override
    public String toString() {
        return "a session";
    }
}
