package samples.broken;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Random;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Broken: every method reaches for what must be injected. */
@SuppressWarnings({"JavaTimeDefaultTimeZone", "JavaUtilDate", "UnusedMethod"}) // the sample is about another rule
final class TimeThief {
    private final CompletableFuture<Integer> future = new CompletableFuture<>();

    Object instant() {
        return Instant.now();
    }

    Object zoned() {
        return ZonedDateTime.now();
    }

    Object local() {
        return LocalDate.now(ZoneId.of("UTC"));
    }

    Object clock() {
        return Clock.systemUTC();
    }

    Object zonedClock() {
        return Clock.system(ZoneId.of("UTC"));
    }

    Object source() {
        return InstantSource.system();
    }

    long millis() {
        return System.currentTimeMillis();
    }

    long nanos() {
        return System.nanoTime();
    }

    LongSupplier reference() {
        return System::nanoTime;
    }

    Object date() {
        return new Date();
    }

    Object calendar() {
        return new GregorianCalendar();
    }

    Object thread() {
        return new Thread(() -> {});
    }

    Object pool() {
        return Executors.newCachedThreadPool();
    }

    Object scheduler() {
        return Executors.newScheduledThreadPool(1);
    }

    Object ownPool() {
        return new ScheduledThreadPoolExecutor(1);
    }

    Object timer() {
        return new Timer();
    }

    Object common() {
        return ForkJoinPool.commonPool();
    }

    CompletableFuture<Integer> async() {
        return CompletableFuture.supplyAsync(() -> 1);
    }

    CompletableFuture<Integer> stage() {
        return future.thenApplyAsync(x -> x);
    }

    CompletableFuture<Integer> timeout() {
        return future.orTimeout(1, TimeUnit.SECONDS);
    }

    Object parallel() {
        return List.of(1).parallelStream();
    }

    int lots() {
        return ThreadLocalRandom.current().nextInt();
    }

    double math() {
        return Math.random();
    }

    Object uuid() {
        return UUID.randomUUID();
    }

    Object random() {
        return new Random();
    }

    Object secure() {
        return new SecureRandom();
    }

    void sleep() throws InterruptedException {
        Thread.sleep(1);
    }
}
