/** A stand-in for the site of race results, on loopback: always the same pages, with configurable delays and failures. */
@NullMarked
package io.interlock.example.ingestion.site;

import org.jspecify.annotations.NullMarked;
