package io.interlock.ui;

import java.io.IOException;
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
 * All built files of the user interface, and a version that changes with any of them: if the path contains the
 * version, browsers may cache the files for ever. Immutable.
 */
public final class UiFiles {

    private static final String PAGE = "index.html";

    private final Map<String, byte[]> files;
    private final String version;

    private UiFiles(Map<String, byte[]> files) {
        this.files = Map.copyOf(files);
        this.version = hash(files);
    }

    /** All files. The first call reads them and may block. */
    public static UiFiles read() {
        return Once.FILES;
    }

    /** The files do not change while the process lives. */
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
        } catch (URISyntaxException | IOException failure) {
            throw new IllegalStateException("cannot read the files of the user interface", failure);
        }
        return new UiFiles(files);
    }

    /** Twelve digits that change when any file changes. */
    public String version() {
        return version;
    }

    /** The names of all files, such as {@code now.js}. */
    public List<String> names() {
        return files.keySet().stream().sorted().toList();
    }

    /** The file with this name. */
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
                    into.put(name, Files.readAllBytes(file));
                }
            }
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
