/**
 * The rules of the code, as tests. Every rule is also run on a sample that keeps it and one that breaks it, which
 * reveals a rule that no longer checks anything.
 */
@NullMarked
package io.interlock.architecture;

import org.jspecify.annotations.NullMarked;
