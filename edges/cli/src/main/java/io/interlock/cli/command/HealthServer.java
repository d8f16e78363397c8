package io.interlock.cli.command;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.client.Json;
import io.interlock.config.Readiness;
import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.engine.WorkerEngine;
import io.interlock.metrics.InterlockMeters;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Serves the health and metrics of a worker: {@code /health/live}, {@code /health/ready}, {@code /metrics}. They need no key and change
 * nothing. Safe for use by many threads.
 */
final class HealthServer implements AutoCloseable {

    private static final int READY = 200;
    private static final int NOT_READY = 503;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final HealthPort port;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final InterlockMeters meters = InterlockMeters.on(registry);
    private final Environment environment;
    private final Readiness readiness;

    private HealthServer(InetSocketAddress address, Environment environment) throws IOException {
        this.environment = environment;
        ThreadFactory threads = environment.threads("interlock-ready");
        this.readiness = new Readiness(task -> threads.newThread(task).start(), HealthServer::idle);
        this.port = new HealthPort(
                address,
                environment,
                Map.of("/health/live", health(Optional.empty())),
                Map.of(
                        "/health/ready", () -> health(obstacle()),
                        "/metrics",
                                () -> new HealthPort.Answer(
                                        READY, "text/plain; version=0.0.4; charset=utf-8", registry.scrape())));
    }

    /** Opens one; port 0 takes any free one. */
    static HealthServer open(String host, int port, Environment environment) {
        try {
            return new HealthServer(new InetSocketAddress(InetAddress.getByName(host), port), environment);
        } catch (IOException | IllegalArgumentException cannot) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    "port-unavailable",
                    "a worker cannot listen at " + host + ":" + port + ": " + cannot.getMessage(),
                    "choose another --port (0 takes any free one) or --host");
        }
    }

    /** {@code store}, with its steps timed. */
    OpenStore onto(OpenStore store) {
        return store.through(meters::around);
    }

    /** Counts what happens in the engine that is shown. */
    EngineListener listener() {
        return meters.listener();
    }

    /** Shows an engine on a store, and what waits and runs there; it is ready while {@code question} is answered. */
    void show(RunEngine engine, Runnable question) {
        meters.watch(engine, environment);
        readiness.by(() -> answered(question));
    }

    /** Shows an engine that does a server's work, and knows nothing of what else waits and runs there. */
    void showWork(WorkerEngine engine, Runnable question) {
        meters.know(engine);
        readiness.by(() -> answered(question));
    }

    /** From now on it is not ready. */
    void stopping() {
        readiness.by(HealthServer::idle);
    }

    @Override
    public void close() {
        meters.close();
        port.close();
    }

    @Override
    public String toString() {
        InetSocketAddress address = port.address();
        String host = address.getAddress().getHostAddress();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    private static Optional<String> idle() {
        return Optional.of("it takes no work now");
    }

    private static Optional<String> answered(Runnable question) {
        try {
            question.run();
            return Optional.empty();
        } catch (RuntimeException unanswered) {
            return Optional.of(String.valueOf(unanswered.getMessage()));
        }
    }

    /** Why it is not ready; empty if it is. */
    private Optional<String> obstacle() {
        try {
            return readiness.obstacle().toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException unanswered) {
            return Optional.of("there was no answer within " + PATIENCE.toSeconds() + "s");
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            return Optional.of("it ends");
        }
    }

    private static HealthPort.Answer health(Optional<String> obstacle) {
        Facts told = Facts.with("status", obstacle.isEmpty() ? "UP" : "DOWN").and("reason", obstacle.orElse(null));
        return new HealthPort.Answer(obstacle.isEmpty() ? READY : NOT_READY, "application/json", Json.line(told));
    }

    /**
     * Answers GET and HEAD for a few paths, one request a connection. A connection takes no thread, may last {@link #LONGEST} and no longer, and
     * beyond {@link #MOST} of them the oldest is closed: half a request, or many of them, keep no other from being answered. The JDK's own
     * server has a thread wait for each request that has begun. Safe for use by many threads.
     */
    static final class HealthPort implements AutoCloseable {

        static final int MOST = 256;
        static final Duration LONGEST = Duration.ofSeconds(10);
        private static final int ANSWERING_THREADS = 4;

        record Answer(int status, String type, String text) {}

        private static final Answer NOTHING = new Answer(404, "text/plain", "there is nothing at this path\n");
        private static final Answer NOT_ALLOWED =
                new Answer(405, "text/plain", "only GET and HEAD are answered here\n");

        private final Map<String, Answer> known;
        private final Map<String, Supplier<Answer>> asked;
        private final ExecutorService answering;
        private final EventLoopGroup loop;
        private final Channel port;
        // The oldest first. Used by the loop only.
        private final Deque<Channel> open = new ArrayDeque<>();

        /**
         * Listens at {@code address}, and answers by path.
         *
         * @param known answers that are always the same, and wait for nothing
         * @param asked answers that may take their time
         */
        HealthPort(
                InetSocketAddress address,
                Environment environment,
                Map<String, Answer> known,
                Map<String, Supplier<Answer>> asked)
                throws IOException {
            this.known = Map.copyOf(known);
            this.asked = Map.copyOf(asked);
            this.answering = Executors.newFixedThreadPool(ANSWERING_THREADS, environment.threads("interlock-window"));
            this.loop = new MultiThreadIoEventLoopGroup(
                    1, environment.threads("interlock-port"), NioIoHandler.newFactory());
            ChannelFuture bound = new ServerBootstrap()
                    .group(loop)
                    .channel(NioServerSocketChannel.class)
                    .childHandler(new Connections())
                    .bind(address)
                    .awaitUninterruptibly();
            this.port = bound.channel();
            if (!bound.isSuccess()) {
                close();
                throw new IOException(bound.cause().getMessage(), bound.cause());
            }
        }

        InetSocketAddress address() {
            return (InetSocketAddress) port.localAddress();
        }

        @Override
        public void close() {
            answering.shutdownNow();
            var unused = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }

        private static void end(Channel client) {
            var unused = client.close();
        }

        private final class Connections extends ChannelInitializer<Channel> {

            @Override
            protected void initChannel(Channel client) {
                if (open.size() >= MOST) {
                    end(open.getFirst());
                }
                open.add(client);
                client.closeFuture().addListener(closed -> open.remove(client));
                var unused = client.eventLoop().schedule(() -> end(client), LONGEST.toMillis(), TimeUnit.MILLISECONDS);
                client.pipeline().addLast(new HttpServerCodec(), new Request());
            }
        }

        private final class Request extends SimpleChannelInboundHandler<HttpRequest> {

            @Override
            protected void channelRead0(ChannelHandlerContext client, HttpRequest request) {
                String path = request.uri().replaceFirst("\\?.*", "");
                boolean whole = request.method().equals(HttpMethod.GET);
                Supplier<Answer> slow = asked.get(path);
                if (request.decoderResult().isFailure()) {
                    end(client.channel());
                } else if (!whole && !request.method().equals(HttpMethod.HEAD)) {
                    say(client, true, NOT_ALLOWED);
                } else if (slow == null) {
                    say(client, whole, known.getOrDefault(path, NOTHING));
                } else {
                    answering.execute(() -> say(client, whole, slow.get()));
                }
            }

            private void say(ChannelHandlerContext client, boolean whole, Answer said) {
                byte[] body = said.text().getBytes(StandardCharsets.UTF_8);
                FullHttpResponse answer = new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.valueOf(said.status()),
                        Unpooled.wrappedBuffer(whole ? body : new byte[0]));
                answer.headers()
                        .set("Content-Type", said.type())
                        .set("Content-Length", body.length)
                        .set("Connection", "close");
                client.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext client, Throwable failure) {
                end(client.channel());
            }
        }
    }
}
