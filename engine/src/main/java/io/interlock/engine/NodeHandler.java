package io.interlock.engine;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import java.util.List;
import java.util.Optional;

/**
 * Work that consists of other runs, its nodes. Once the store says that an execution of it is over, every engine that has it among its
 * jobs stops the nodes that the execution has left. Safe for use by many threads.
 */
public interface NodeHandler extends RunHandler {

    /** The jobs of its nodes. */
    List<String> nodes();

    /** The key of a node of the execution under {@code execution}. */
    LockKey nodeKey(LockKey execution, String node);

    /** The runs of {@code node} since {@code execution} was asked for. */
    RunQuery nodeRuns(Run execution, String node);

    /** The execution that asked for {@code node}; empty if none did. */
    Optional<RunId> executionOf(Run node);
}
