package io.interlock.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Builds the site: {@code docs}, what its pages link to, and the reference, as files that need no server and nothing from the network. The
 * sections of {@code docs/README.md} are the navigation. Fails if a link leads nowhere. Not safe for use by many threads.
 */
public final class Site {

    private static final String START = "docs/README.md";
    private static final String UI = "edges/ui/src/main/resources/io/interlock/ui";
    private static final String REFERENCE = "Reference";

    private final Path home;
    private final Path out;
    private final Map<String, Page> pages = new TreeMap<>();
    private final Set<String> files = new TreeSet<>();

    private Site(Path home, Path out) {
        this.home = home;
        this.out = out;
    }

    /** Builds the site of the project in {@code -Dinterlock.home} into the folder that is named, or {@code target/site}. */
    public static void main(String[] arguments) {
        Path home = Path.of(System.getProperty("interlock.home", "."));
        Path out = arguments.length > 0 ? Path.of(arguments[0]) : home.resolve("target/site");
        List<String> dead = build(home, out);
        dead.forEach(link -> System.err.println("docs: dead link: " + link));
        if (!dead.isEmpty()) {
            System.exit(1);
        }
        System.out.println(out.resolve("index.html").toUri());
    }

    /**
     * Builds the site.
     *
     * @return links that lead nowhere
     */
    public static List<String> build(Path home, Path out) {
        try {
            return new Site(home.toAbsolutePath().normalize(), out).build();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private List<String> build() throws IOException {
        List<String> dead = new ArrayList<>(gather());
        List<Page> reference = Reference.pages(home);
        reference.forEach(page -> pages.put(page.source(), page));
        String template = resource("page.html");
        String navigation = navigation(reference);
        SearchIndex index = new SearchIndex();
        Map<String, String> html = new LinkedHashMap<>();
        for (Page page : pages.values()) {
            if (html.put(page.target(), page.html(template, navigation, this::target)) != null) {
                throw new IllegalStateException("two pages would be " + page.target() + "; rename " + page.source());
            }
            index.add(page);
        }
        for (Map.Entry<String, String> each : html.entrySet()) {
            write(each.getKey(), each.getValue());
        }
        for (String file : files) {
            copy(home.resolve(file), "files/" + file);
        }
        copy(home.resolve(UI).resolve("icon.svg"), "icon.svg");
        copy(home.resolve(UI).resolve("theme.js"), "theme.js");
        write("site.css", colours() + resource("site.css"));
        write("site.js", resource("site.js"));
        write("search.js", index.script());
        dead.addAll(LinkCheck.dead(html, target -> Files.isRegularFile(out.resolve(target))));
        return dead;
    }

    /** Reads the pages of {@code docs} and of the root, and what they link to: pages, and files to be copied. */
    private List<String> gather() throws IOException {
        Deque<String> left = new ArrayDeque<>();
        try (Stream<Path> root = Files.list(home);
                Stream<Path> docs = Files.walk(home.resolve("docs"))) {
            Stream.concat(root, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .map(file -> home.relativize(file).toString())
                    .forEach(left::add);
        }
        List<String> dead = new ArrayList<>();
        while (!left.isEmpty()) {
            String source = left.remove();
            if (pages.containsKey(source)) {
                continue;
            }
            Page page = new Page(source, Files.readString(home.resolve(source)));
            pages.put(source, page);
            for (String link : page.links()) {
                String found = found(page.resolve(link));
                if (found == null) {
                    dead.add(source + ": " + link);
                } else if (found.endsWith(".md")) {
                    left.add(found);
                } else {
                    files.add(found);
                }
            }
        }
        return dead;
    }

    /** The file that a path of the tree stands for: of a folder, its README. */
    private @Nullable String found(String path) {
        Path file = home.resolve(path);
        if (Files.isDirectory(file)) {
            return Files.exists(file.resolve("README.md")) ? path + "/README.md" : null;
        }
        return Files.exists(file) ? path : null;
    }

    /** Where a file of the tree is on the site. */
    private String target(String path) {
        String found = found(path);
        if (found == null) {
            return path;
        }
        Page page = pages.get(found);
        return page == null ? "files/" + found : page.target();
    }

    private String navigation(List<Page> reference) {
        StringBuilder navigation = new StringBuilder();
        Page start = Objects.requireNonNull(pages.get(START));
        start.sections().forEach((section, links) -> {
            navigation.append("<h2>").append(Page.escaped(section)).append("</h2>\n");
            links.forEach((title, link) -> item(navigation, target(start.resolve(link)), title));
            if (section.equals(REFERENCE)) {
                reference.forEach(page -> item(navigation, page.target(), page.title()));
            }
        });
        return navigation.toString();
    }

    private static void item(StringBuilder navigation, String target, String title) {
        navigation
                .append("<a href=\"{root}")
                .append(target)
                .append("\">")
                .append(Page.escaped(title))
                .append("</a>\n");
    }

    /** The colours of the admin UI, light and dark. */
    private String colours() throws IOException {
        String css = Files.readString(home.resolve(UI).resolve("app.css"));
        return css.substring(0, css.indexOf("* {"));
    }

    private void write(String target, String text) throws IOException {
        Path file = out.resolve(target);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void copy(Path file, String target) throws IOException {
        Path copy = out.resolve(target);
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Site.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("no resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
