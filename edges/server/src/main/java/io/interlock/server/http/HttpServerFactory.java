package io.interlock.server.http;

import io.interlock.config.Limits;
import io.interlock.config.Listen;
import io.interlock.server.problem.Problems;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.impl.VertxConnection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Options of connections: sizes, times, TLS; and the answer to bytes that are not HTTP. */
public final class HttpServerFactory {

    private static final int HEADERS = 16 * 1024;
    private static final int REQUEST_LINE = 8 * 1024;

    /** Those with forward secrecy and authenticated encryption: what was recorded stays secret if the key of the server is lost later. */
    private static final List<String> CIPHER_SUITES = List.of(
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");

    /** Connections that were told to close and have not yet; few, and each only for a moment. */
    private static final Set<HttpConnection> CLOSING = ConcurrentHashMap.newKeySet();

    private HttpServerFactory() {}

    /** Has whatever else comes through {@code connection} ignored. */
    static void lastRequestOf(HttpConnection connection) {
        CLOSING.add(connection);
        connection.closeHandler(closed -> CLOSING.remove(connection));
    }

    static boolean isClosing(HttpConnection connection) {
        return !CLOSING.isEmpty() && CLOSING.contains(connection);
    }

    /** Ends {@code connection} at once. Its own way to end would wait for a client that does not read. */
    public static void hangUp(HttpConnection connection) {
        // From the front of the pipeline: the handlers behind it would first write what the client does not read.
        ChannelFuture unused = ((VertxConnection) connection)
                .channel()
                .pipeline()
                .firstContext()
                .close();
    }

    public static HttpServerOptions options(Listen listen, int port, Limits limits) {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(listen.host())
                .setPort(port)
                .setMaxHeaderSize(HEADERS)
                .setMaxInitialLineLength(REQUEST_LINE)
                .setMaxChunkSize(16 * 1024)
                .setIdleTimeout((int) limits.idle().toSeconds())
                .setIdleTimeoutUnit(TimeUnit.SECONDS)
                .setHttp2ClearTextEnabled(false)
                .setCompressionSupported(false)
                .setDecompressionSupported(false)
                // There are no web sockets here; this keeps their handlers out of the way of every request.
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false);
        listen.encryption().ifPresent(tls -> {
            options.setSsl(true)
                    .setEnabledSecureTransportProtocols(Set.of("TLSv1.2", "TLSv1.3"))
                    .setKeyCertOptions(new PemKeyCertOptions()
                            .addCertPath(tls.certificate())
                            .addKeyPath(tls.key()));
            CIPHER_SUITES.forEach(options::addEnabledCipherSuite);
        });
        return options;
    }

    /** Makes {@code server} answer what is no HTTP with a problem, and hang up, also beyond {@code limit}. */
    public static HttpServer strict(HttpServer server, HttpServerOptions options, ConnectionLimit limit) {
        return server.invalidRequestHandler(HttpServerFactory::refuse).connectionHandler(connection -> {
            if (limit.admit(connection)) {
                StrictDecoder.into(connection, options);
            }
        });
    }

    private static void refuse(HttpServerRequest request) {
        DecoderResult result = request.decoderResult();
        Throwable cause = result == null ? null : result.cause();
        Problem problem;
        if (cause instanceof TooLongHttpLineException) {
            problem =
                    Problem.of(ProblemCode.URI_TOO_LONG, "The request line has more than " + REQUEST_LINE + " bytes.");
        } else if (cause instanceof TooLongHttpHeaderException || cause instanceof TooLongFrameException) {
            problem = Problem.of(ProblemCode.HEADERS_TOO_LARGE, "The headers have more than " + HEADERS + " bytes.");
        } else {
            problem = Problem.invalid("", "The request is not HTTP/1.1.");
        }
        request.response()
                .setStatusCode(Problems.status(problem))
                .putHeader("Connection", "close")
                .putHeader("Content-Type", Problems.MEDIA_TYPE)
                .end(Problems.json(problem, "unknown").toBuffer())
                .onComplete(sent -> request.connection().close());
    }

    /**
     * Refuses a request with two lengths. By itself Netty drops {@code Content-Length} if there is {@code Transfer-Encoding}, which is
     * safe as long as every proxy in front does the same; a proxy that believes the other one lets a second request be smuggled in.
     *
     * <p>There is no official way to Vert.x' decoder, so this one takes its place in the pipeline of a new connection.
     */
    static final class StrictDecoder extends VertxHttpRequestDecoder {

        private static final String NAME = "httpDecoder";

        private StrictDecoder(HttpServerOptions options) {
            super(options);
        }

        /** Before anything was read. */
        static void into(HttpConnection connection, HttpServerOptions options) {
            ChannelPipeline pipeline = ((VertxConnection) connection).channel().pipeline();
            // HTTP/2, spoken over TLS only, has frames and no such trouble.
            if (pipeline.get(NAME) != null) {
                pipeline.replace(NAME, NAME, new StrictDecoder(options));
            }
        }

        @Override
        protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
            throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
        }
    }
}
