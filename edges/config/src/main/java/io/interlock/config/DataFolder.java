package io.interlock.config;

import io.interlock.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * The default place of the store: a SQLite file in the user's data folder, {@code $XDG_DATA_HOME/interlock} or
 * {@code ~/.local/share/interlock}.
 */
public final class DataFolder {

    private final Path folder;

    private DataFolder(Path folder) {
        this.folder = folder;
    }

    /** The folder of the user whose variables these are. */
    public static DataFolder of(Map<String, String> environment) {
        String data = environment.getOrDefault("XDG_DATA_HOME", "");
        String home = environment.getOrDefault("HOME", "");
        // The XDG specification says to ignore relative paths.
        Path base = data.startsWith("/")
                ? Path.of(data)
                : Path.of(home.isEmpty() ? System.getProperty("user.home", ".") : home, ".local", "share");
        return new DataFolder(base.resolve("interlock"));
    }

    /** The URL of the store in it. */
    public String storeUrl() {
        return "sqlite:" + folder.resolve("interlock.db");
    }

    /**
     * Creates the folder, accessible to its owner only, if {@code store} is in it.
     *
     * @throws InvalidSettingException if it cannot be created
     */
    public void prepareFor(String store) {
        if (!store.equals(storeUrl()) || Files.isDirectory(folder)) {
            return;
        }
        try {
            Path above = folder.getParent();
            if (above != null) {
                Files.createDirectories(above);
            }
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException cannot) {
            throw new InvalidSettingException(
                    "store",
                    store,
                    "is in a folder that cannot be created: " + cannot,
                    "name another store: --store sqlite:PATH");
        }
    }
}
