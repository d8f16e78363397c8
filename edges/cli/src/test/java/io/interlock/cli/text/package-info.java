@org.jspecify.annotations.NullMarked
package io.interlock.cli.text;
