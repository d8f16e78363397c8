package io.interlock.spi;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answers to a batch, in the order of its requests. A request may be left open because another step was changing
 * its key: nothing was done for it, and it should be repeated alone.
 */
public final class Answers<A> {

    private final List<@Nullable A> answers;

    private Answers(List<@Nullable A> answers) {
        this.answers = answers;
    }

    /** Every request has its answer. */
    public static <A> Answers<A> of(List<A> answers) {
        return new Answers<>(List.copyOf(answers));
    }

    /** Answers in order; {@code null} where a request is left open. */
    public static <A> Answers<A> partly(List<? extends @Nullable A> answers) {
        return new Answers<>(Collections.unmodifiableList(new ArrayList<@Nullable A>(answers)));
    }

    /** The number of requests. */
    public int size() {
        return answers.size();
    }

    /** Whether request number {@code index} is left open. */
    public boolean isOpen(int index) {
        return answers.get(index) == null;
    }

    /**
     * The answer to request number {@code index}.
     *
     * @throws IllegalStateException if it is left open
     */
    public A get(int index) {
        A answer = answers.get(index);
        if (answer == null) {
            throw new IllegalStateException("request " + index + " of " + size() + " is left open");
        }
        return answer;
    }

    /**
     * The answer to a batch of one.
     *
     * @throws IllegalStateException if the batch was larger
     */
    public A only() {
        if (size() != 1) {
            throw new IllegalStateException("a batch of " + size() + " has no single answer");
        }
        return get(0);
    }

    @Override
    public String toString() {
        return answers.toString();
    }
}
