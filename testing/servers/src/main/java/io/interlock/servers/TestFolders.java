package io.interlock.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folders of servers under test. Thread-safe. */
final class TestFolders {

    private static final long ENOUGH = 2L << 30;
    private static final Path MEMORY = Path.of("/dev/shm");

    private TestFolders() {}

    /** A new folder in memory if possible: the writes of a killed server survive there as well. */
    static Path inMemory(String prefix) throws IOException {
        boolean hasRoom = Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= ENOUGH;
        return Files.createTempDirectory(hasRoom ? MEMORY : temporary(), prefix);
    }

    /** The folder for temporary files. */
    static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }
}
