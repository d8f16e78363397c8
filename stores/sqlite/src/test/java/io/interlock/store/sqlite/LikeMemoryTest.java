package io.interlock.store.sqlite;

import io.interlock.spi.StoreUrl;
import io.interlock.spi.run.RunStore;
import io.interlock.store.sql.Micros;
import io.interlock.tck.SameAnswersContract;
import io.interlock.tck.StandingTime;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** SQLite and memory side by side. */
class LikeMemoryTest extends SameAnswersContract {

    @TempDir
    Path folder;

    @Override
    protected RunStore open(StandingTime time) {
        SqliteSettings settings = SqliteSettings.of(StoreUrl.parse("sqlite:" + folder.resolve("twin.db")));
        return SqliteStoreFactory.open(settings, time, new StandingHostClock(time));
    }

    /** The clock of a machine that was started at the beginning of 1970. */
    private record StandingHostClock(StandingTime time) implements HostClock {

        @Override
        public String bootId() {
            return "boot-1";
        }

        @Override
        public long uptime() {
            return Micros.of(time.now());
        }

        @Override
        public boolean steady() {
            return true;
        }
    }
}
