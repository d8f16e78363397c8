package io.interlock.engine.notify;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Delivers by signed POST. */
final class WebhookDelivery implements Delivery {

    // They say: not now.
    private static final Set<Integer> COME_AGAIN = Set.of(408, 425, 429);

    private final NotifyTarget.Webhook target;
    private final Wire wire;
    private final InstantSource clock;

    WebhookDelivery(NotifyTarget.Webhook target, Wire wire, InstantSource clock) {
        this.target = target;
        this.wire = wire;
        this.clock = clock;
    }

    @Override
    public Result deliver(Notification notification) {
        String body = NotificationJson.of(notification);
        long now = clock.instant().getEpochSecond();
        String signatures = target.secrets().stream()
                .map(secret -> secret.sign(notification.id(), now, body))
                .collect(Collectors.joining(" "));
        Map<String, String> headers = Map.of(
                "content-type",
                "application/json",
                "user-agent",
                "interlock",
                "webhook-id",
                notification.id(),
                "webhook-timestamp",
                Long.toString(now),
                "webhook-signature",
                signatures);
        try {
            return judge(wire.post(target.url(), headers, body.getBytes(StandardCharsets.UTF_8)));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new Result.Failed("interrupted", false);
        } catch (IOException failure) {
            return new Result.Failed(told(failure), false);
        } catch (RuntimeException failure) {
            return new Result.Failed(failure.getClass().getSimpleName(), false);
        }
    }

    private static Result judge(int status) {
        if (status >= 200 && status < 300) {
            return new Result.Delivered();
        }
        return new Result.Failed(
                "it answered " + status, status >= 400 && status < 500 && !COME_AGAIN.contains(status));
    }

    /** An exception's message may contain the URL, and the URL a secret. */
    private String told(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return failure.getClass().getSimpleName()
                + (message.contains("://") || message.contains(path()) ? "" : ": " + message);
    }

    private String path() {
        String path = target.url().getRawPath();
        return path == null || path.length() < 2 ? target.url().toString() : path;
    }
}
