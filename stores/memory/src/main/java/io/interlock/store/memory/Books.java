package io.interlock.store.memory;

/**
 * What is kept beside runs, each book with the steps that read and write it.
 *
 * @param letters dead letters
 */
record Books(LetterBook letters) {

    /** The books of {@code table}. */
    static Books of(RunTable table) {
        return new Books(new LetterBook(table));
    }
}
