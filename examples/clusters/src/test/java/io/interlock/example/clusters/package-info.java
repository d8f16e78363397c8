/** Tests of the example as users run it, and with crashes. */
@NullMarked
package io.interlock.example.clusters;

import org.jspecify.annotations.NullMarked;
