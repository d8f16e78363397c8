package io.interlock.engine.notify;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Delivers by signed POST. */
final class WebhookDelivery implements Delivery {

    // They say: not now.
    private static final Set<Integer> COME_AGAIN = Set.of(408, 425, 429);

    private final NotifyTarget.Webhook target;
    private final PostSender poster;

    WebhookDelivery(NotifyTarget.Webhook target, PostSender poster) {
        this.target = target;
        this.poster = poster;
    }

    @Override
    public Result deliver(Notification notification) {
        byte[] body = NotificationJson.of(notification).getBytes(StandardCharsets.UTF_8);
        try {
            return judge(poster.post(target.url(), target.signer().sign(notification.id(), body), body));
        } catch (IOException | RuntimeException failure) {
            return new Result.Failed(told(failure), false);
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
    private String told(Exception failure) {
        String message = String.valueOf(failure.getMessage());
        return failure.getClass().getSimpleName()
                + (message.contains("://") || message.contains(path()) ? "" : ": " + message);
    }

    private String path() {
        String path = target.url().getRawPath();
        return path == null || path.length() < 2 ? target.url().toString() : path;
    }
}
