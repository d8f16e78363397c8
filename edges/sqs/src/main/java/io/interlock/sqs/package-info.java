/** Starts the messages of SQS FIFO queues as runs. */
@NullMarked
package io.interlock.sqs;

import org.jspecify.annotations.NullMarked;
