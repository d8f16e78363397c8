package io.interlock.maven;

import java.io.File;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.maven.execution.BuildSuccess;
import org.apache.maven.execution.MavenExecutionRequest;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.lifecycle.internal.GoalTask;
import org.apache.maven.lifecycle.internal.LifecycleModuleBuilder;
import org.apache.maven.lifecycle.internal.ProjectBuildList;
import org.apache.maven.lifecycle.internal.ProjectSegment;
import org.apache.maven.lifecycle.internal.ReactorBuildStatus;
import org.apache.maven.lifecycle.internal.ReactorContext;
import org.apache.maven.lifecycle.internal.TaskSegment;
import org.apache.maven.lifecycle.internal.builder.Builder;
import org.apache.maven.project.MavenProject;

/**
 * Builds modules in the order of their dependencies, and tests each as soon as it is built. Maven's own builder begins a module when the
 * tests of all modules that it uses have passed: one chain of modules then decides how long a build takes, however many CPUs are idle. Here,
 * a failed test keeps no other module from its tests.
 *
 * <p>Modules must not run their tests while they are built: {@code mvn -b tests-apart -Dtest.phase=none verify}, as {@code ./test} does.
 * {@code -Dtest.after=PROCESS} keeps tests back until that process has ended, which installs what they start.
 */
public final class TestsApart implements Builder {

    private static final TaskSegment TESTS =
            new TaskSegment(false, new GoalTask("org.apache.maven.plugins:maven-surefire-plugin:test"));

    private static final CompletableFuture<?> AT_ONCE = CompletableFuture.completedFuture(null);

    // Maven sets it, see META-INF/plexus/components.xml.
    private LifecycleModuleBuilder modules;

    @Override
    public void build(
            MavenSession session,
            ReactorContext reactor,
            ProjectBuildList builds,
            List<TaskSegment> segments,
            ReactorBuildStatus status)
            throws InterruptedException {
        MavenExecutionRequest request = session.getRequest();
        String onFailure = request.getReactorFailureBehavior();
        int threads = request.getDegreeOfConcurrency();
        ExecutorService pool =
                new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, new PriorityBlockingQueue<>());
        // With another value, Maven gives up all modules that use one whose test failed. The exit code is decided later.
        request.setReactorFailureBehavior(MavenExecutionRequest.REACTOR_FAIL_NEVER);
        try {
            for (TaskSegment segment : segments) {
                new Round(session, reactor, pool, builds.getByTaskSegment(segment)).run();
            }
        } finally {
            request.setReactorFailureBehavior(onFailure);
            pool.shutdownNow();
        }
    }

    private final class Round {

        private final MavenSession session;
        private final ReactorContext reactor;
        private final ExecutorService pool;
        private final ProjectBuildList builds;
        private final List<ProjectSegment> waiting = new ArrayList<>();
        private final Set<MavenProject> unbuilt = new HashSet<>();
        private final CompletableFuture<?> programs;
        private int open;

        Round(MavenSession session, ReactorContext reactor, ExecutorService pool, ProjectBuildList builds) {
            this.session = session;
            this.reactor = reactor;
            this.pool = pool;
            this.builds = builds;
            String process = session.getUserProperties().getProperty("test.after");
            this.programs = Optional.ofNullable(process)
                    .flatMap(id -> ProcessHandle.of(Long.parseLong(id)))
                    .<CompletableFuture<?>>map(ProcessHandle::onExit)
                    .orElse(AT_ONCE);
        }

        synchronized void run() throws InterruptedException {
            for (ProjectSegment build : builds) {
                waiting.add(build);
                unbuilt.add(build.getProject());
            }
            beginBuilds();
            while (open > 0) {
                wait();
            }
        }

        /** Those whose dependencies are built; one that uses a broken module waits in vain. */
        private void beginBuilds() {
            for (ProjectSegment build : List.copyOf(waiting)) {
                if (build.getImmediateUpstreamProjects().stream().noneMatch(unbuilt::contains)) {
                    waiting.remove(build);
                    begin(AT_ONCE, Integer.MAX_VALUE, () -> build(build));
                }
            }
        }

        private void build(ProjectSegment build) {
            MavenProject module = build.getProject();
            modules.buildProject(build.getSession(), session, reactor, module, build.getTaskSegment());
            if (session.getResult().getBuildSummary(module) instanceof BuildSuccess) {
                built(build);
            }
        }

        private synchronized void built(ProjectSegment build) {
            MavenProject module = build.getProject();
            unbuilt.remove(module);
            beginBuilds();
            if (new File(module.getBuild().getTestOutputDirectory()).exists()) {
                begin(
                        programs,
                        urgency(module),
                        () -> modules.buildProject(build.getSession(), session, reactor, module, TESTS));
            }
        }

        /** The longest begin first, or they end alone: those that the property {@code test.longest} names, in this order, before all others. */
        private int urgency(MavenProject module) {
            List<String> longest =
                    List.of(module.getProperties().getProperty("test.longest", "").split("\\s+", -1));
            int place = longest.indexOf(module.getArtifactId());
            return place < 0 ? 0 : longest.size() - place;
        }

        private void begin(CompletableFuture<?> after, int urgency, Runnable work) {
            open++;
            after.thenRun(() -> pool.execute(new Step(urgency, () -> {
                try {
                    work.run();
                } catch (RuntimeException | Error failure) {
                    // Maven has recorded its own; one of this class must fail the build, too, or tests would be missing in silence.
                    session.getResult().addException(failure);
                } finally {
                    ended();
                }
            })));
        }

        private synchronized void ended() {
            open--;
            notifyAll();
        }
    }

    private record Step(int urgency, Runnable work) implements Runnable, Comparable<Step> {

        @Override
        public void run() {
            work.run();
        }

        @Override
        public int compareTo(Step other) {
            return Integer.compare(other.urgency, urgency);
        }
    }
}
