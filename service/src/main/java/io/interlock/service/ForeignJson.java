package io.interlock.service;

/** JSON that clients wrote, such as parameters and results, in the words of the library that reads requests and writes answers. */
public interface ForeignJson {

    /** What stands for {@code text} in an answer. */
    Object value(String text);

    /** The text of what stands for it in a request. */
    String text(Object value);
}
