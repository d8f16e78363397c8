package io.interlock.server.launch;

import io.interlock.config.Configuration;
import io.interlock.config.EffectiveProperty;
import io.interlock.config.InterlockSettings;
import io.interlock.config.Listen;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.api.ServerVersion;
import io.interlock.server.demo.DemoTraffic;
import java.io.PrintStream;
import java.util.List;

/** What a server says when it is ready. */
final class Banner {

    private final ServerProcess process;
    private final PrintStream out;

    Banner(ServerProcess process, PrintStream out) {
        this.process = process;
        this.out = out;
    }

    /** Names the program and its store. */
    void title() {
        out.println("Interlock " + ServerVersion.here() + " · Java "
                + Runtime.version().feature() + " · "
                + process.engine().capabilities().store());
    }

    /** Says where it is to be found. */
    void links() {
        line("API", url() + "/api/v1/");
        line("API docs", url() + "/api/v1/openapi.json");
        line("Health", management() + "/health/ready");
        line("Metrics", management() + "/metrics");
        InterlockSettings settings = process.configuration().settings();
        line(
                "Worker",
                !process.keepsRuns()
                        ? "none: this store keeps leases only, and runs, compatible APIs among them, are answered with 501"
                        : settings.worker().enabled()
                                ? settings.worker().slots() + " slots, "
                                        + settings.jobs().size() + " jobs"
                                : "none here");
    }

    /** Shows what was set, and by what. */
    void configuration() {
        Configuration configuration = process.configuration();
        List<EffectiveProperty> all = configuration.effective();
        List<EffectiveProperty> set =
                all.stream().filter(EffectiveProperty::isSet).toList();
        out.println("Configuration (" + set.size() + " set, " + (all.size() - set.size())
                + " defaults; all of it: GET /api/v1/config)");
        int width = set.stream().mapToInt(one -> one.name().length()).max().orElse(0);
        for (EffectiveProperty one : set) {
            out.printf("  %-" + Math.max(1, width) + "s = %s  (%s)%n", one.name(), one.value(), one.origin());
        }
        configuration.warnings().forEach(warning -> out.println("  Note: " + warning));
    }

    /** Shows the first key, once. */
    void bootstrapKey() {
        process.bootstrap().ifPresent(key -> {
            out.println(
                    "There was no admin's API key, so here is one. It is shown this once, is admin of tenant default,");
            out.println("may act for any tenant by the header X-Tenant, and counts for " + KeyRing.FIRST_KEY.toDays()
                    + " days; make keys of your own with it:");
            line("API key", key.secret().text());
            line("UI", signInLink(key.secret().text()));
        });
    }

    /** Shows a key, and commands to paste. */
    void demo() {
        String key = process.demoKey();
        line("API key", key);
        line("UI", signInLink(key) + "  (signs in once, within 15 minutes)");
        out.println("Within a minute there are a held key with others in line, a lost lease and a dead letter.");
        out.println("Try it in a second terminal:");
        String curl = "  curl -sS -H 'x-api-key: " + key + "' ";
        String busy = DemoTraffic.BUSY_KEY;
        out.println(curl + "'" + url() + "/api/v1/locks?key=" + busy + "'");
        out.println(curl + "-H 'content-type: application/json' -d '{\"key\": \"" + busy
                + "\", \"job\": \"backup\", \"onConflict\": \"REJECT\"}' '" + url() + "/api/v1/runs'");
        out.println(curl + "'" + url() + "/api/v1/runs?state=DEAD'");
    }

    void line(String name, String value) {
        out.printf("  %-10s %s%n", name, value);
    }

    /** Where people sign in without typing a key. */
    private String signInLink(String key) {
        return url() + "/ui/?code=" + process.signInCode(key);
    }

    String url() {
        return url(process.port());
    }

    private String management() {
        return url(process.managementPort());
    }

    private String url(int port) {
        Listen listen = process.configuration().settings().listen();
        String host = listen.host().contains(":") ? "[" + listen.host() + "]" : listen.host();
        return (listen.tls() == null ? "http://" : "https://") + host + ":" + port;
    }
}
