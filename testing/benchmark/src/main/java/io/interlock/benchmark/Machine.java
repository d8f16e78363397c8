package io.interlock.benchmark;

import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.benchmark.server.Servers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Says on what, and with what, was measured. */
final class Machine {

    private static final Pattern PEER = Pattern.compile(
            "(?:^|/)(shedlock-core|spring-integration-jdbc|redisson|db-scheduler|jobrunr|postgresql|HikariCP|sqlite-jdbc|lettuce-core)"
                    + "-(\\d[^/]*)\\.jar");

    private Machine() {}

    static List<String> describe(Arguments arguments, Servers servers, Path folder) throws IOException, SQLException {
        List<String> lines = new ArrayList<>();
        lines.add(Runtime.getRuntime().availableProcessors() + " cores (" + cpu() + "), Java "
                + Runtime.version() + ", files on " + Files.getFileStore(folder).type()
                + "; clients, servers and all else share them");
        lines.add("PostgreSQL " + servers.postgres().version() + " with " + new TreeMap<>(PostgresUnderTest.SETTINGS)
                + "; Redis 7 without persistence");
        lines.add("Peers: " + String.join(", ", peers()));
        Pace pace = arguments.pace();
        lines.add(pace.rounds() + (pace.rounds() == 1 ? " round" : " rounds") + " ("
                + pace.sliced().rounds() + " of locks and of REST), contenders in turn, medians [min–max]"
                + (pace.quick() ? "; quick: only to see that everything works" : ""));
        lines.add("A CHECKPOINT is made before each measurement, so none falls into it; WAL bytes contain the full page"
                + " images of the first change of each page after it, where the lead-in did not touch the page");
        lines.add("Foreign CPU: what processes outside of the benchmark used, in percent of one core, the worst round."
                + " Round trips are counted apart from the rounds, through a proxy");
        return lines;
    }

    private static String cpu() throws IOException {
        Path info = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(info)) {
            return System.getProperty("os.arch");
        }
        try (Stream<String> lines = Files.lines(info)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.replaceAll("^[^:]*:\\s*", ""))
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        }
    }

    private static List<String> peers() {
        List<String> peers = new ArrayList<>();
        for (String jar : System.getProperty("java.class.path").split(":", -1)) {
            Matcher peer = PEER.matcher(jar);
            if (peer.find()) {
                peers.add(peer.group(1) + " " + peer.group(2));
            }
        }
        return peers;
    }
}
