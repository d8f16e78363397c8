package io.interlock.store.redis;

import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreUrl.StoreSettings;
import io.interlock.store.redis.RedisSettings.Namespace;
import io.interlock.tck.StoreHarness;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Redis that writes every step to disk before it answers. Its clock cannot be moved, so all stored times are. */
final class RedisHarness implements StoreHarness {

    private static final Pattern CHANGES = Pattern.compile("rdb_changes_since_last_save:(\\d+)");

    private final RedisProcess redis = RedisProcess.start(RedisProcess.DURABLE);
    private final Namespace namespace = Namespace.of("interlock");

    RedisProcess redis() {
        return redis;
    }

    @Override
    public LeaseStore open(Environment environment) {
        return RedisStore.open(redis.url(), environment);
    }

    @Override
    public void advance(Duration time) {
        redis.run("advance.lua", namespace, Long.toString(TimeUnit.MICROSECONDS.convert(time)));
    }

    @Override
    public boolean setClockBack(Duration by) {
        advance(by.negated());
        return true;
    }

    @Override
    public void reset() {
        redis.run(
                "reset.lua", namespace, Long.toString(TimeUnit.MICROSECONDS.convert(StoreSettings.DEFAULT_MAX_LEASE)));
    }

    @Override
    public Optional<String> url() {
        return Optional.of(redis.url());
    }

    @Override
    public boolean crash() {
        redis.kill();
        redis.start();
        return true;
    }

    @Override
    public boolean loseData() {
        redis.kill();
        redis.deleteData();
        redis.start();
        return true;
    }

    @Override
    public OptionalLong writes() {
        Matcher changes = CHANGES.matcher(redis.admin(commands -> commands.info("persistence")));
        return changes.find() ? OptionalLong.of(Long.parseLong(changes.group(1))) : OptionalLong.empty();
    }

    @Override
    public void close() {
        redis.close();
    }
}
