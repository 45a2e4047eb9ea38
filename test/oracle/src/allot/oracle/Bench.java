package allot.oracle;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Times Kafka's assignors in a warm machine: only the call itself, on objects made before. CPU time is the calling thread's,
 * so Kafka is not charged for its garbage collector and compiler threads.
 */
final class Bench {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final String version;
    private final ExecutorService worker = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "assignor");
        thread.setDaemon(true);
        return thread;
    });

    /** What is measured: the call, and what must be put back before it can be made again. */
    private record Measured(Runnable prepare, Supplier<?> call, Supplier<Group.Assignment> answer) {}

    Bench(String version) {
        this.version = version;
    }

    /** Every cell of a file once, warmed up; one JSON line each. Ends at a cell that takes too long, so such cells come last. */
    void run(Path cells, int limitSeconds) throws Exception {
        for (JsonNode node : Vectors.JSON.readTree(Files.readString(cells))) {
            Cell cell = Vectors.JSON.treeToValue(node, Cell.class);
            ObjectNode result = within(limitSeconds, () -> {
                Measured measured = measured(cell, cell.group());
                repeat(measured, 2_000);
                return repeat(measured, 2_000);
            });
            System.out.println(result.put("cell", cell.name()).put("kafka", version));
            if (result.has("timedOutSeconds")) System.exit(0);
        }
        System.exit(0);
    }

    /**
     * The other side of compare-speed.mjs: a request a line on standard input, an answer a line on standard output.
     * {@code {"open": cell, "file": F}} makes a cell's group, writes it to F as a vector line (without an answer when Kafka
     * takes too long) and keeps it; {@code {"millis": n}} measures it for about that time.
     */
    void serve(int limitSeconds) throws Exception {
        Measured open = null;
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String text = requests.readLine(); text != null; text = requests.readLine()) {
            JsonNode request = Vectors.JSON.readTree(text);
            ObjectNode result;
            if (request.has("open")) {
                Cell cell = Vectors.JSON.treeToValue(request.get("open"), Cell.class);
                Path file = Path.of(request.get("file").textValue());
                Measured[] made = new Measured[1];
                result = within(limitSeconds, () -> {
                    Group group = cell.group();
                    Measured measured = measured(cell, group);
                    ObjectNode line = Vectors.line(cell.name(), cell.assignor(), group, new Group.Assignment(group), version);
                    line.remove("assignment");
                    Vectors.write(file, List.of(line));
                    measured.prepare().run();
                    line.set("assignment", Vectors.JSON.valueToTree(measured.answer().get()));
                    Vectors.write(file, List.of(line));
                    made[0] = measured;
                    return Vectors.JSON.createObjectNode();
                });
                open = made[0];
            } else {
                Measured measured = open;
                long millis = request.get("millis").longValue();
                result = within(limitSeconds, () -> repeat(measured, millis));
            }
            System.out.println(result);
        }
        System.exit(0);
    }

    private ObjectNode within(int seconds, java.util.concurrent.Callable<ObjectNode> task) throws Exception {
        Future<ObjectNode> future = worker.submit(task);
        try {
            return future.get(seconds, TimeUnit.SECONDS);
        } catch (TimeoutException slow) {
            // The assignors cannot be interrupted: this machine is of no further use, and whoever runs it starts another.
            return Vectors.JSON.createObjectNode().put("timedOutSeconds", seconds);
        }
    }

    private static Measured measured(Cell cell, Group group) {
        if (cell.broker()) {
            BrokerAssignors.Question question = new BrokerAssignors.Question(cell.assignor(), group);
            return new Measured(() -> {}, question::ask, () -> question.read(question.ask()));
        }
        ClientAssignors.Question question = new ClientAssignors.Question(cell.assignor(), group);
        return new Measured(question::rewind, question::ask, () -> question.read(question.ask()));
    }

    /** Repeats the call for about {@code millis} (once at least): the median of wall and the mean of CPU milliseconds. */
    private static ObjectNode repeat(Measured measured, long millis) {
        List<Double> wall = new ArrayList<>();
        long cpu = 0;
        long end = System.nanoTime() + millis * 1_000_000;
        do {
            measured.prepare().run();
            long cpuStart = THREADS.getCurrentThreadCpuTime();
            long start = System.nanoTime();
            Object answer = measured.call().get();
            wall.add((System.nanoTime() - start) / 1e6);
            cpu += THREADS.getCurrentThreadCpuTime() - cpuStart;
            if (answer == null) throw new IllegalStateException("no answer");
        } while (System.nanoTime() < end);
        return Vectors.JSON.createObjectNode().put("ms", median(wall)).put("cpuMs", cpu / 1e6 / wall.size()).put("runs", wall.size());
    }

    private static double median(List<Double> values) {
        values.sort(null);
        return values.get(values.size() / 2);
    }
}
