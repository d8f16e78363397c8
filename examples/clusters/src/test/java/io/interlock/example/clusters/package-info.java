/** The example as a user runs it, and what happens when things under it die. */
@NullMarked
package io.interlock.example.clusters;

import org.jspecify.annotations.NullMarked;
