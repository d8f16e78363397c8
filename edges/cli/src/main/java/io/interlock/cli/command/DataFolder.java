package io.interlock.cli.command;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** Where the store is if nobody names one. */
final class DataFolder {

    private final Path folder;

    DataFolder(Map<String, String> variables) {
        String data = variables.getOrDefault("XDG_DATA_HOME", "");
        Path base = data.startsWith("/")
                ? Path.of(data)
                : Path.of(variables.getOrDefault("HOME", System.getProperty("user.home", ".")), ".local", "share");
        folder = base.resolve("interlock");
    }

    /** The URL of the store in it; the folder is made if it is missing. */
    String storeUrl() {
        try {
            if (!Files.isDirectory(folder)) {
                Path above = folder.getParent();
                if (above != null) {
                    Files.createDirectories(above);
                }
                Files.createDirectory(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
        } catch (IOException cannot) {
            throw new Failure(
                    ExitCode.CONFIGURATION,
                    "the folder " + folder + " cannot be made: " + cannot,
                    "name a store: --store URL");
        }
        return "sqlite:" + folder.resolve("interlock.db");
    }
}
