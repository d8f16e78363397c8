package io.interlock.server.http;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpMessage;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import io.vertx.core.net.impl.VertxConnection;

/**
 * Refuses a request with two lengths. By itself Netty drops {@code Content-Length} if there is {@code Transfer-Encoding}, which is
 * safe as long as everybody in front does the same; a proxy that believes the other one lets a second request be smuggled in.
 *
 * <p>There is no official way to Vert.x' decoder, so this one takes its place in the pipeline of a new connection.
 */
final class StrictDecoder extends VertxHttpRequestDecoder {

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
