package io.interlock.server.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A temporary folder with all that the demo needs. It is gone when this is closed, or when the next demo starts. */
public final class DemoFolder implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DemoFolder.class);
    private static final String PREFIX = "interlock-demo-";

    private final Path folder;

    private DemoFolder(Path folder) {
        this.folder = folder;
    }

    /** Makes one, readable by this user only, and removes those of demos that were killed. */
    public static DemoFolder make() {
        removeOrphans(Path.of(System.getProperty("java.io.tmpdir")));
        try {
            // Named after the process, so that others can tell whether it is still of use.
            DemoFolder made = new DemoFolder(
                    Files.createTempDirectory(PREFIX + ProcessHandle.current().pid() + "-"));
            made.write("work.sh");
            made.write("demo.yaml");
            return made;
        } catch (IOException failure) {
            throw new UncheckedIOException("the demo could not make its temporary folder", failure);
        }
    }

    public Path configuration() {
        return folder.resolve("demo.yaml");
    }

    public String store() {
        return "sqlite:" + folder.resolve("interlock.db");
    }

    @Override
    public void close() {
        delete(folder);
    }

    private void write(String name) throws IOException {
        try (InputStream resource = DemoFolder.class.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IllegalStateException(name + " is missing from the server's jar");
            }
            String text = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
            Files.writeString(folder.resolve(name), text.replace("@FOLDER@", folder.toString()));
        }
    }

    private static void removeOrphans(Path above) {
        try (Stream<Path> found = Files.list(above)) {
            found.filter(DemoFolder::isOrphan).forEach(DemoFolder::delete);
        } catch (IOException | UncheckedIOException unreadable) {
            log.debug("old demo folders could not be listed: {}", unreadable.toString());
        }
    }

    /** Ours by name and owner, and its process is gone. */
    private static boolean isOrphan(Path folder) {
        String name = String.valueOf(folder.getFileName());
        try {
            return name.matches(PREFIX + "\\d{1,10}-\\d+")
                    && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS)
                            .getName()
                            .equals(System.getProperty("user.name"))
                    && ProcessHandle.of(Long.parseLong(name.split("-", -1)[2])).isEmpty();
        } catch (IOException unreadable) {
            return false;
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> inside = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : inside) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException failure) {
            log.warn("{} could not be deleted: {}", folder, failure.toString());
        }
    }
}
