package io.interlock.server.live;

import io.interlock.server.api.Call;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerResponse;
import java.util.Set;

/**
 * One reader. It is told what happened from its place in the audit log on; if it reads more slowly than things happen, its place
 * stays where it is, so nothing piles up for it, and after a while it is cut off. What has no place in the audit log it misses then,
 * and is told so.
 */
final class LiveStream {

    private final Call call;
    private final Set<String> topics;
    private final HttpServerResponse response;
    private final Context loop;
    // Only the feed, one step at a time, uses these.
    private long position;
    private long lastWrite;
    private long fullSince = -1;
    private boolean missed;

    LiveStream(Call call, Set<String> topics, HttpServerResponse response, Context loop) {
        this.call = call;
        this.topics = Set.copyOf(topics);
        this.response = response;
        this.loop = loop;
    }

    String tenant() {
        return call.tenant();
    }

    boolean wants(String topic) {
        return topics.isEmpty() || topics.contains(topic);
    }

    long position() {
        return position;
    }

    void moveTo(long position) {
        this.position = position;
    }

    /** Since when nothing was written. */
    long lastWrite() {
        return lastWrite;
    }

    /** Tells it {@code event}, which is told only now; if it cannot take it, it has missed something. */
    void tell(LiveEvent event, long now) {
        if (fullSince < 0) {
            write(event.text(), now);
        } else {
            missed = true;
        }
    }

    /** Whether it has missed something since this was last asked. */
    boolean hasMissed() {
        boolean had = missed;
        missed = false;
        return had;
    }

    /** Writes {@code text} at {@code now}; nothing is written that is empty. */
    void write(String text, long now) {
        if (!text.isEmpty()) {
            lastWrite = now;
            loop.runOnContext(go -> {
                if (!response.ended() && !response.closed()) {
                    response.write(text);
                }
            });
        }
    }

    /** For how long it has not taken what it was sent, in nanoseconds; 0 if it has. */
    long behindFor(long now) {
        if (!response.writeQueueFull()) {
            fullSince = -1;
            return 0;
        }
        if (fullSince < 0) {
            fullSince = now;
        }
        return Math.max(1, now - fullSince);
    }

    /** Ends it if its reader would not be let in any more. */
    void endUnlessKnown() {
        call.isStillKnown().thenAccept(known -> {
            if (!known) {
                end();
            }
        });
    }

    /** Ends it in an orderly way. */
    void end() {
        loop.runOnContext(go -> {
            if (!response.ended() && !response.closed()) {
                response.end();
            }
        });
    }

    /** Ends it although there is something left to send. */
    void cutOff() {
        loop.runOnContext(go -> call.hangUp());
    }
}
