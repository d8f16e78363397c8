package io.interlock.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The installed programs of MariaDB, and the files of new servers: created once, copied for each server. */
final class MariaDbFiles {

    /** Small files are quick to copy; the server is started with the same size. */
    static final String LOG_SIZE = "--innodb-log-file-size=16M";

    /** Space for several servers of parallel tests. */
    private MariaDbFiles() {}

    /** The path of an installed program, if there is one. */
    static Optional<Path> program(String name) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(
                        // Servers are often not on the path of users.
                        Stream.of("/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin"),
                        Stream.of(path.split(":", -1)).filter(folder -> !folder.isEmpty()))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** The program {@code name}, which must be installed. */
    static Path require(String name) {
        return program(name)
                .orElseThrow(() -> new IllegalStateException("no " + name + "; install the package mariadb-server"));
    }

    /** A new folder with a folder {@code data}: the files of a server that was never started. */
    static Path fresh() {
        try {
            Path folder = TestFolders.inMemory("interlock-mariadb");
            template().copyTo(Files.createDirectory(folder.resolve("data")));
            return folder;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The output of mariadb-install-db, created once for each version of the server. */
    private static ServerTemplate template() throws IOException {
        Path server = require("mariadbd");
        ServerTemplate template = ServerTemplate.named("interlock-mariadb-files-" + System.getProperty("user.name")
                + "-" + Files.size(server) + "-"
                + Files.getLastModifiedTime(server).toMillis());
        if (!template.isWhole()) {
            Path made = Files.createTempDirectory("interlock-mariadb-template");
            List<String> command =
                    new ArrayList<>(List.of(require("mariadb-install-db").toString(), "--no-defaults"));
            command.addAll(account());
            command.addAll(List.of("--datadir=" + made, "--auth-root-authentication-method=normal", "--skip-test-db"));
            command.addAll(List.of("--skip-name-resolve", LOG_SIZE));
            Commands.run(command);
            template.keep(made);
        }
        return template;
    }

    /** MariaDB needs an option to run as root. */
    static List<String> account() {
        return System.getProperty("user.name").equals("root") ? List.of("--user=root") : List.of();
    }
}
