package io.interlock.engine.notify;

import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.TimeText;
import io.interlock.engine.command.Exit;
import io.interlock.engine.command.GuardedProcess;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.engine.command.ProcessLaunch;
import io.interlock.engine.http.JsonObject;
import io.interlock.engine.notify.NotifyRule.NotifyTarget;
import io.interlock.locks.runtime.Backoff;
import io.interlock.time.Environment;
import io.interlock.time.LocalTime;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes a notification to where it should go. Blocks, but not for long. */
@FunctionalInterface
interface Delivery {

    /** Tries once. Throws nothing: whatever goes wrong is an answer. */
    Result deliver(Notification notification);

    sealed interface Result {

        record Delivered() implements Result {}

        /**
         * It was not, or that is not known.
         *
         * @param why for people, without secrets
         * @param refused whether the receiver was there and did not want it
         */
        record Failed(String why, boolean refused) implements Result {}
    }

    /** Delivers to the input of a command. What that prints is thrown away; nothing of it is left when it has ended. */
    record ByCommand(NotifyTarget.Command target, Environment environment) implements Delivery {

        @Override
        public Result deliver(Notification notification) {
            try (GuardedProcess process = GuardedProcess.start(launch(notification), environment)) {
                write(process.stdin(), notification.json());
                return judge(process.waitFor(target.within()));
            } catch (IOException | InterlockException failure) {
                return new Result.Failed("it could not be started: " + failure.getMessage(), false);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return new Result.Failed("interrupted", false);
            }
        }

        private ProcessLaunch launch(Notification notification) {
            return ProcessLaunch.of(target.argv())
                    .environment(variables(notification, InheritedEnvironment.variables()))
                    .redirects(Redirect.PIPE, Redirect.DISCARD, Redirect.DISCARD);
        }

        static Map<String, String> variables(Notification notification, Map<String, String> ofThisProcess) {
            Map<String, String> variables = InheritedEnvironment.ALL.of(ofThisProcess);
            variables.put("INTERLOCK_NOTIFICATION_ID", notification.id());
            variables.put("INTERLOCK_NOTIFICATION_TYPE", notification.kind().word());
            return variables;
        }

        /** Less than a pipe holds: this does not wait for the command to read, and the command need not. */
        private static void write(OutputStream stdin, String body) {
            try (stdin) {
                stdin.write((body + "\n").getBytes(StandardCharsets.UTF_8));
            } catch (IOException unread) {
                // Its exit code tells whether it has taken it in.
                return;
            }
        }

        private Result judge(Optional<Exit> exit) {
            if (exit.isEmpty()) {
                return new Result.Failed(
                        "it took longer than " + DurationText.format(target.within()) + " and was killed", false);
            }
            return exit.get().succeeded()
                    ? new Result.Delivered()
                    : new Result.Failed("it ended with " + exit.get(), false);
        }
    }

    /** Delivers by POST: signed, or as a message for Slack. */
    record ByWebhook(NotifyTarget.Web target, Notifier.PostSender poster) implements Delivery {

        // They say: not now.
        private static final Set<Integer> COME_AGAIN = Set.of(408, 425, 429);

        private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");

        @Override
        public Result deliver(Notification notification) {
            String text = target instanceof NotifyTarget.Slack ? SlackMessage.of(notification) : notification.json();
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            try {
                Map<String, String> headers = target instanceof NotifyTarget.Webhook webhook
                        ? webhook.signer().sign(notification.id(), body)
                        : JSON;
                return judge(poster.post(target.url(), headers, body));
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

    /**
     * A notification as a message of Slack's incoming webhooks: {@code text} for receivers and notices that show no blocks, and
     * {@code blocks}. Texts of runs can neither become links or mentions nor exceed Slack's limits.
     */
    final class SlackMessage {

        // Slack refuses a longer text of a block; the rest of a section is its markup.
        private static final int MAX_TEXT = 2900;

        private SlackMessage() {}

        static String of(Notification notification) {
            String title = notification.kind().word().replace('-', ' ');
            String explanation = escaped(notification.explanation());
            JsonObject section =
                    new JsonObject().with("type", "section").with("text", markup("*" + title + "*\n" + explanation));
            JsonObject context = new JsonObject()
                    .with("type", "context")
                    .with("elements", List.of(markup(escaped(facts(notification)))));
            return new JsonObject()
                    .with("text", title + ": " + explanation)
                    .with("blocks", List.of(section, context))
                    .toString();
        }

        private static JsonObject markup(String text) {
            // Slack makes no links of what looks like one.
            return new JsonObject().with("type", "mrkdwn").with("text", text).with("verbatim", true);
        }

        private static String facts(Notification notification) {
            StringBuilder facts = new StringBuilder(notification.key().toString());
            Notification.Subject subject = notification.subject();
            if (subject != null) {
                facts.append(subject.job() == null ? "" : " · " + subject.job())
                        .append(" · run ")
                        .append(subject.run())
                        .append(subject.attempt() == 0 ? "" : ", attempt " + subject.attempt());
            }
            return facts.append(" · ")
                    .append(TimeText.format(notification.at()))
                    .toString();
        }

        /** With the three characters escaped that are markup in Slack, on one line, and cut between two characters. */
        private static String escaped(String text) {
            StringBuilder line = new StringBuilder();
            for (int at = 0; at < text.length(); at = text.offsetByCodePoints(at, 1)) {
                int point = text.codePointAt(at);
                String next = switch (point) {
                    case '&' -> "&amp;";
                    case '<' -> "&lt;";
                    case '>' -> "&gt;";
                    default -> Character.isISOControl(point) ? " " : Character.toString(point);
                };
                if (line.length() + next.length() > MAX_TEXT) {
                    return line.append('…').toString();
                }
                line.append(next);
            }
            return line.toString();
        }
    }

    /**
     * Tells one notification after the other, and knows how often the one at hand has failed. A receiver that is away is tried for
     * a day; one that is there and does not want it, eight times. A notification that has waited for more than a day gets five tries, so
     * that a receiver that is away for long does not hold up what is new for ever. Belongs to one thread.
     */
    final class NotificationSender {

        static final Duration TRY_FOR = Duration.ofHours(24);
        static final int TRIES_IF_REFUSED = 8;
        static final int TRIES_IF_OLD = 5;
        private static final Logger log = LoggerFactory.getLogger(NotificationSender.class);
        private static final Duration FIRST_REST = Duration.ofSeconds(4);
        private static final Duration LONGEST_REST = Duration.ofMinutes(50);

        private final NotifyRule rule;
        private final Delivery delivery;
        private final Notifier.Listener listener;
        private final Environment environment;
        private @Nullable String failing;
        private Instant since = Instant.EPOCH;
        private int tries;
        private Backoff rests;

        NotificationSender(NotifyRule rule, Delivery delivery, Notifier.Listener listener, Environment environment) {
            this.rule = rule;
            this.delivery = delivery;
            this.listener = listener;
            this.environment = environment;
            this.rests = newRests();
        }

        private Backoff newRests() {
            return new Backoff(new LocalTime(environment), FIRST_REST, LONGEST_REST);
        }

        /** Tries once; says how long to rest before the next try, or nothing if there need not be one. */
        Optional<Duration> tell(Notification notification) {
            Delivery.Result result = delivery.deliver(notification);
            if (result instanceof Delivery.Result.Failed failed) {
                return failed(notification, failed);
            }
            if (notification.id().equals(failing)) {
                log.info(
                        "delivered to {} notification {} after {} tries",
                        rule.target().shown(),
                        notification.id(),
                        tries + 1);
            }
            failing = null;
            return Optional.empty();
        }

        private Optional<Duration> failed(Notification notification, Delivery.Result.Failed failed) {
            Instant now = environment.clock().instant();
            if (!notification.id().equals(failing)) {
                failing = notification.id();
                since = now;
                tries = 0;
                rests = newRests();
                log.warn(
                        "could not deliver to {} notification {}; retrying: {}",
                        rule.target().shown(),
                        notification.id(),
                        failed.why());
            }
            tries++;
            if (isEnough(notification, failed, now)) {
                failing = null;
                log.error(
                        "gave up delivering to {} notification {} after {} tries in {}: {}; it was: {}",
                        rule.target().shown(),
                        notification.id(),
                        tries,
                        DurationText.format(Duration.between(since, now)),
                        failed.why(),
                        notification.explanation());
                listener.givenUp(rule, notification, failed.why());
                return Optional.empty();
            }
            return Optional.of(rests.next());
        }

        private boolean isEnough(Notification notification, Delivery.Result.Failed failed, Instant now) {
            boolean old = Duration.between(notification.at(), now).compareTo(TRY_FOR) > 0;
            return Duration.between(since, now).compareTo(TRY_FOR) > 0
                    || (failed.refused() && tries >= TRIES_IF_REFUSED)
                    || (old && tries >= TRIES_IF_OLD);
        }
    }
}
