package io.interlock.ui;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All files of the user interface, and a version that changes with any of them: whoever serves them under a path with the version in
 * it may let browsers keep them for ever. Immutable.
 */
public final class UiFiles {

    private static final String PAGE = "index.html";
    private static final String LIT = "/META-INF/resources/webjars/lit-html/3.3.2/";
    private static final List<String> OF_LIT = List.of(
            "lit-html.js", "directive.js", "directive-helpers.js", "directives/repeat.js", "directives/live.js");

    private final Map<String, byte[]> files;
    private final String version;

    private UiFiles(Map<String, byte[]> files) {
        this.files = Map.copyOf(files);
        this.version = hash(files);
    }

    /** All of them; the first time takes a moment of a thread that may wait. */
    public static UiFiles read() {
        return Once.FILES;
    }

    /** They do not change while a process lives. */
    private static final class Once {
        private static final UiFiles FILES = all();
    }

    private static UiFiles all() {
        Map<String, byte[]> files = new TreeMap<>();
        URL page = UiFiles.class.getResource(PAGE);
        if (page == null) {
            throw new IllegalStateException("the files of the user interface are not on the class path");
        }
        try {
            URI place = page.toURI();
            if (place.getScheme().equals("jar")) {
                try (FileSystem jar = FileSystems.newFileSystem(place, Map.of())) {
                    walk(jar.getPath(place.getSchemeSpecificPart().replaceFirst("^.*!", "")), files);
                }
            } else {
                walk(Path.of(place), files);
            }
            for (String name : OF_LIT) {
                files.put("lit/" + name, resource(LIT + name));
            }
        } catch (URISyntaxException | IOException failure) {
            throw new IllegalStateException("cannot read the files of the user interface", failure);
        }
        return new UiFiles(files);
    }

    /** Twelve digits that are different when any file is. */
    public String version() {
        return version;
    }

    /** Their names, as {@code pages/now.js}. */
    public List<String> names() {
        return files.keySet().stream().sorted().toList();
    }

    /** The file called so. */
    public Optional<byte[]> file(String name) {
        return Optional.ofNullable(files.get(name)).map(byte[]::clone);
    }

    private static void walk(@Nullable Path page, Map<String, byte[]> into) throws IOException {
        Path folder = page == null ? null : page.getParent();
        if (folder == null) {
            return;
        }
        try (Stream<Path> found = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) found.filter(Files::isRegularFile)::iterator) {
                String name = folder.relativize(file).toString().replace('\\', '/');
                if (!name.endsWith(".class")) {
                    into.put(name, name.endsWith(".js") ? thin(file) : Files.readAllBytes(file));
                }
            }
        }
    }

    private static byte[] thin(Path file) throws IOException {
        return Thin.of(Files.readString(file)).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] resource(String name) {
        try (InputStream in = UiFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not on the class path");
            }
            return in.readAllBytes();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String hash(Map<String, byte[]> files) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            new TreeMap<>(files).forEach((name, bytes) -> {
                digest.update(name.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) 0);
                digest.update(bytes);
            });
            return HexFormat.of().formatHex(digest.digest()).substring(0, 12);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
