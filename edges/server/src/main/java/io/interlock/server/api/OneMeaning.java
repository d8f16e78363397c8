package io.interlock.server.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.interlock.server.problem.Problem.Mistake;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.jackson.JacksonCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds objects that name a field twice. Of the two, readers differ in which one they believe, so somebody in front may have seen another wish. */
final class OneMeaning {

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private OneMeaning() {}

    /** Reads {@code json}; {@code null} if it is no JSON that can be read in one way only, or no object. */
    static @Nullable JsonObject read(String json) {
        try (JsonParser parser = JSON.createParser(json)) {
            return JacksonCodec.fromParser(parser, Object.class) instanceof JsonObject object ? object : null;
        } catch (DecodeException | JsonProcessingException otherwise) {
            return null;
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** Adds the first such field of {@code json}, which can be read otherwise, to {@code mistakes}. */
    static void check(String json, List<Mistake> mistakes) {
        try (JsonParser parser = JSON.createParser(json)) {
            while (parser.nextToken() != null) {
                // Only to get to the end.
            }
        } catch (JsonProcessingException twice) {
            JsonLocation at = twice.getLocation();
            mistakes.add(new Mistake(
                    "",
                    "The body is not JSON that can be read in one way only: line " + at.getLineNr() + ", column "
                            + at.getColumnNr() + " names a field for the second time."));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
