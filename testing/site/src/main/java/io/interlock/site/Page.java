package io.interlock.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.BulletList;
import org.commonmark.node.Code;
import org.commonmark.node.CustomNode;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.jspecify.annotations.Nullable;

/** A page in Markdown, and the same as HTML: headings and rows that describe one name get anchors, links lead to pages of the site. */
final class Page {

    private static final List<TablesExtension> TABLES = List.of((TablesExtension) TablesExtension.create());
    private static final Parser PARSER = Parser.builder().extensions(TABLES).build();

    private final String source;
    private final Node document;
    private final Map<Node, String> anchors = new LinkedHashMap<>();
    private final Map<String, Integer> taken = new HashMap<>();

    /**
     * Reads a page.
     *
     * @param source its path in the project
     */
    Page(String source, String markdown) {
        this.source = source;
        this.document = PARSER.parse(markdown);
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Heading heading) {
                anchors.put(heading, anchor(text(heading)));
            }

            @Override
            public void visit(HtmlBlock block) {
                // Marks for tests.
                if (block.getLiteral().startsWith("<!--")) {
                    block.unlink();
                }
            }
        });
        // After the headings, whose anchors other pages name.
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(CustomNode node) {
                if (node instanceof TableRow row && name(row) != null) {
                    anchors.put(row, anchor(String.valueOf(name(row))));
                }
                visitChildren(node);
            }
        });
    }

    String source() {
        return source;
    }

    /** Where it is on the site. */
    String target() {
        String place = source.contains("/") ? source.replaceFirst("^docs/", "") : "project/" + source;
        return place.toLowerCase(Locale.ROOT)
                .replaceFirst("\\.md$", ".html")
                .replaceFirst("readme\\.html$", "index.html");
    }

    String title() {
        for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading heading) {
                return text(heading);
            }
        }
        return source;
    }

    /** Paths and places that it links to, within the project. */
    List<String> links() {
        List<String> links = new ArrayList<>();
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                add(link.getDestination());
                visitChildren(link);
            }

            @Override
            public void visit(Image image) {
                add(image.getDestination());
            }

            private void add(String to) {
                if (!isElsewhere(to) && !to.startsWith("#")) {
                    links.add(to.replaceFirst("#.*", ""));
                }
            }
        });
        return links;
    }

    /** A link of this page as a path of the project. */
    String resolve(String link) {
        return Path.of(source).resolveSibling(link).normalize().toString();
    }

    /** Below each heading of the second level, the first link of each item of its lists. */
    Map<String, Map<String, String>> sections() {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        Map<String, String> current = new LinkedHashMap<>();
        for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading heading && heading.getLevel() == 2) {
                current = new LinkedHashMap<>();
                sections.put(text(heading), current);
            } else if (node instanceof BulletList list) {
                for (Node item = list.getFirstChild(); item != null; item = item.getNext()) {
                    if (item.getFirstChild() != null && item.getFirstChild().getFirstChild() instanceof Link link) {
                        current.put(text(link), link.getDestination());
                    }
                }
            }
        }
        return sections;
    }

    /** What the search finds of it. */
    List<SearchIndex.Entry> entries() {
        List<SearchIndex.Entry> entries = new ArrayList<>();
        String title = title();
        Node heading = null;
        StringBuilder words = new StringBuilder();
        for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading) {
                if (heading != null || !words.isEmpty()) {
                    entries.add(entry(title, heading, words));
                }
                heading = node;
                words = new StringBuilder();
            } else {
                words.append(text(node)).append(' ');
            }
        }
        entries.add(entry(title, heading, words));
        anchors.forEach((node, anchor) -> {
            if (node instanceof TableRow row) {
                entries.add(
                        new SearchIndex.Entry(String.valueOf(name(row)), title, target() + "#" + anchor, text(row)));
            }
        });
        return entries;
    }

    private SearchIndex.Entry entry(String title, @Nullable Node heading, StringBuilder words) {
        return heading == null
                ? new SearchIndex.Entry(title, title, target(), words.toString())
                : new SearchIndex.Entry(text(heading), title, target() + "#" + anchors.get(heading), words.toString());
    }

    /**
     * The page.
     *
     * @param targets where a path of the project is on the site
     */
    String html(String template, String navigation, UnaryOperator<String> targets) {
        String root = "../".repeat(target().split("/", -1).length - 1);
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                link.setDestination(moved(link.getDestination()));
                visitChildren(link);
            }

            @Override
            public void visit(Image image) {
                image.setDestination(moved(image.getDestination()));
            }

            private String moved(String to) {
                if (isElsewhere(to) || to.startsWith("#")) {
                    return to;
                }
                String[] parts = to.split("#", 2);
                return root + targets.apply(resolve(parts[0])) + (parts.length == 1 ? "" : "#" + parts[1]);
            }
        });
        HtmlRenderer renderer = HtmlRenderer.builder()
                .extensions(TABLES)
                .attributeProviderFactory(context -> (node, tag, attributes) -> {
                    if (anchors.containsKey(node)) {
                        attributes.put("id", anchors.get(node));
                    }
                    if (tag.equals("pre")) {
                        attributes.put("tabindex", "0");
                    }
                })
                .build();
        String body = renderer.render(document)
                .replace("<table>", "<div class=\"table\" tabindex=\"0\"><table>")
                .replace("</table>", "</table></div>")
                .replace("<th></th>", "<td></td>");
        return template.replace(
                        "{navigation}",
                        navigation.replace(
                                "href=\"{root}" + target() + "\"",
                                "href=\"{root}" + target() + "\" aria-current=\"page\""))
                .replace("{contents}", contents())
                .replace("{title}", escaped(title()))
                .replace("{root}", root)
                .replace("{body}", body);
    }

    /** Links to the sections of the page. */
    private String contents() {
        StringBuilder contents = new StringBuilder();
        anchors.forEach((node, anchor) -> {
            if (node instanceof Heading heading && heading.getLevel() == 2) {
                contents.append("<a href=\"#")
                        .append(anchor)
                        .append("\">")
                        .append(escaped(text(heading)))
                        .append("</a>\n");
            }
        });
        return contents.isEmpty() ? "" : "<h2>On this page</h2>\n" + contents;
    }

    // Like on Git hosts.
    private String anchor(String text) {
        String plain = text.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
        int number = taken.merge(plain, 1, Integer::sum);
        return number == 1 ? plain : plain + "-" + (number - 1);
    }

    /** The name that a row describes, if its first cell is that and nothing else. */
    private static @Nullable String name(TableRow row) {
        Node first = row.getFirstChild() instanceof TableCell cell ? cell.getFirstChild() : null;
        if (first == null || first.getNext() != null) {
            return null;
        }
        return first instanceof Code || first instanceof StrongEmphasis ? text(first) : null;
    }

    private static boolean isElsewhere(String link) {
        return link.contains("://") || link.startsWith("mailto:");
    }

    private static String text(Node node) {
        StringBuilder text = new StringBuilder();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Text part) {
                text.append(part.getLiteral());
            }

            @Override
            public void visit(Code code) {
                text.append(code.getLiteral());
            }

            @Override
            public void visit(FencedCodeBlock block) {
                text.append(block.getLiteral()).append(' ');
            }

            @Override
            public void visit(SoftLineBreak lineBreak) {
                text.append(' ');
            }

            @Override
            public void visit(CustomNode custom) {
                visitChildren(custom);
                text.append(' ');
            }
        });
        return text.toString().strip();
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
