package io.interlock.example.ingestion;

import io.interlock.InterlockException;

/** A refused or failed ingestion, with its error code, such as {@code INGESTION_IN_PROGRESS}. */
final class IngestionException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String code;

    IngestionException(String code, String message) {
        super(message);
        this.code = code;
    }

    @Override
    public String code() {
        return code;
    }
}
