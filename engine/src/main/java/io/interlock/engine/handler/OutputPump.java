package io.interlock.engine.handler;

import io.interlock.engine.RunContext;
import io.interlock.run.Progress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what a command writes, to the last byte, so that it never has to wait for a reader; reports to the run's context, and
 * remembers the last lines. Its memory does not depend on how much there is.
 */
final class OutputPump implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(OutputPump.class);

    private static final int BUFFER = 32 * 1024;
    private static final int LAST_LINES = 2000;

    private final InputStream output;
    private final RunContext context;
    private final int tail;
    private final OutputSplitter splitter = new OutputSplitter(this::report, this::keep);
    private final StringBuilder last = new StringBuilder();
    private @Nullable String result;

    OutputPump(InputStream output, RunContext context, int tail) {
        this.output = output;
        this.context = context;
        this.tail = tail;
    }

    @Override
    public void run() {
        try {
            pump();
        } catch (IOException closed) {
            log.debug("the output of run {} ended: {}", context.run().id(), closed.toString());
        }
        splitter.end();
    }

    /** The end of what it wrote, for an error. */
    synchronized String lastLines() {
        return last.toString().strip();
    }

    /** What it reported as its result, last. */
    synchronized @Nullable String result() {
        return result;
    }

    private void pump() throws IOException {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
        ByteBuffer bytes = ByteBuffer.allocate(BUFFER);
        CharBuffer chars = CharBuffer.allocate(BUFFER);
        boolean more = true;
        while (more) {
            int read = output.read(bytes.array(), bytes.position(), bytes.remaining());
            more = read >= 0;
            bytes.position(bytes.position() + Math.max(read, 0)).flip();
            decoder.decode(bytes, chars, !more);
            bytes.compact();
            splitter.take(chars.flip());
            chars.clear();
        }
        decoder.flush(chars);
        splitter.take(chars.flip());
    }

    private boolean report(OutputSplitter.Report report) {
        try {
            if (report.stage() != null) {
                context.stage(report.stage());
            }
            Progress progress = report.progress();
            if (progress != null) {
                context.progress(progress.done(), progress.whole().orElse(progress.done()));
            }
        } catch (RuntimeException refused) {
            log.warn("run {} could not report {}: {}", context.run().id(), report, refused.toString());
            return false;
        }
        if (report.result() != null) {
            synchronized (this) {
                result = report.result();
            }
        }
        return true;
    }

    private void keep(String text) {
        synchronized (this) {
            last.append(end(text, LAST_LINES));
            last.delete(0, Math.max(0, last.length() - LAST_LINES));
        }
        if (tail == 0) {
            return;
        }
        try {
            context.output(end(text, tail));
        } catch (RuntimeException refused) {
            // The command must not stand still because its output is not taken.
            log.warn("output of run {} could not be kept: {}", context.run().id(), refused.toString());
        }
    }

    private static String end(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int from = text.length() - most;
        return text.substring(Character.isLowSurrogate(text.charAt(from)) ? from + 1 : from);
    }
}
