package io.interlock.example.ingestion;

import java.nio.file.Path;

/** Events in a file. */
class SqliteIngestionFenceTest extends IngestionFenceContract {

    @Override
    Place place(Path folder) {
        return Place.files(folder);
    }
}
