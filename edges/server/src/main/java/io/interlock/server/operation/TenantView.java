package io.interlock.server.operation;

import io.interlock.config.EffectiveProperty;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The part of a configuration that concerns one tenant: limits, how long things are kept, what jobs promise, its own quota and
 * notifications. What the server is made of, how jobs do their work, and other tenants are none of its business.
 *
 * @param all the whole configuration
 * @param tenant whose part
 */
record TenantView(List<EffectiveProperty> all, String tenant) {

    private static final String ROOT = "interlock.";
    private static final Set<String> COMMON = Set.of("limits", "history", "idempotency");
    private static final Pattern OF_JOB = Pattern.compile("jobs\\.(\"[^\"]*\"|[^.]+)\\.(.+)");
    private static final Pattern OF_TENANT = Pattern.compile("tenants\\.(\"[^\"]*\"|[^.]+)\\..+");
    private static final Pattern OF_NOTIFICATION = Pattern.compile("(notify\\[\\d+])\\..+");

    List<EffectiveProperty> properties() {
        Map<String, String> byName = all.stream()
                .collect(Collectors.toMap(property -> plain(property.name()), EffectiveProperty::value, (a, b) -> a));
        return all.stream()
                .filter(property -> concerns(plain(property.name()), byName))
                .toList();
    }

    private boolean concerns(String name, Map<String, String> byName) {
        if (COMMON.contains(name.replaceFirst("\\..*", ""))) {
            return true;
        }
        Matcher job = OF_JOB.matcher(name);
        if (job.matches()) {
            String property = job.group(2);
            boolean scheduled = property.startsWith("schedule");
            return !property.startsWith("run.")
                    && (!scheduled || tenant.equals(byName.get("jobs." + job.group(1) + ".schedule-tenant")));
        }
        Matcher quota = OF_TENANT.matcher(name);
        if (quota.matches()) {
            return quota.group(1).replace("\"", "").equals(tenant);
        }
        Matcher notification = OF_NOTIFICATION.matcher(name);
        return notification.matches() && tenant.equals(byName.get(notification.group(1) + ".tenant"));
    }

    private static String plain(String name) {
        return name.startsWith(ROOT) ? name.substring(ROOT.length()) : name;
    }
}
