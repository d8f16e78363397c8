/** Ingests race events: fetched before the lock, written under it, fenced by its token. */
@NullMarked
package io.interlock.example.ingestion;

import org.jspecify.annotations.NullMarked;
