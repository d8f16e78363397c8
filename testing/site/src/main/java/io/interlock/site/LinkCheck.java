package io.interlock.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds links of built pages that lead to no file, or to no place in it. */
final class LinkCheck {

    private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"]*)\"");

    private LinkCheck() {}

    /**
     * Dead links.
     *
     * @param pages the pages by their places below the folder of the site
     * @param isFile whether there is such a file below it
     */
    static List<String> dead(Map<String, String> pages, Predicate<String> isFile) {
        List<String> dead = new ArrayList<>();
        pages.forEach((target, html) -> {
            Matcher link = LINK.matcher(html);
            while (link.find()) {
                String to = link.group(1);
                if (!to.contains("://") && !to.startsWith("mailto:") && !leads(target, to, pages, isFile)) {
                    dead.add(target + ": " + to);
                }
            }
        });
        return dead;
    }

    private static boolean leads(String from, String to, Map<String, String> pages, Predicate<String> isFile) {
        String[] parts = to.split("#", 2);
        String file = parts[0].isEmpty()
                ? from
                : Path.of(from).resolveSibling(parts[0]).normalize().toString();
        boolean isPlace = parts.length == 1 || pages.getOrDefault(file, "").contains("id=\"" + parts[1] + "\"");
        return isFile.test(file) && isPlace;
    }
}
