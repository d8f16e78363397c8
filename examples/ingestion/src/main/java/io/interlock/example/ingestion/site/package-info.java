/** A stand-in for the site of race results, on loopback: the same pages every time, and as slow and as broken as it is told to be. */
@NullMarked
package io.interlock.example.ingestion.site;

import org.jspecify.annotations.NullMarked;
