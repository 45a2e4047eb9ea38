package allot.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Writes fresh vectors: random questions and what this Kafka version answers. */
final class Generate {
    private final String version;
    private final long seed;
    private final int count;

    Generate(String version, long seed, int count) {
        this.version = version;
        this.seed = seed;
        this.count = count;
    }

    /** @param rules names of assignors and placers, "murmur2", "coordinator-lookup"; empty for all. */
    void run(Path folder, List<String> rules) throws IOException {
        Files.createDirectories(folder);
        List<String> all = new ArrayList<>(ClientAssignors.NAMES);
        all.addAll(BrokerAssignors.NAMES);
        all.addAll(List.of("admin-utils", "kraft-striped", "murmur2", "coordinator-lookup"));
        for (String rule : rules.isEmpty() ? all : rules) {
            try {
                List<ObjectNode> lines = switch (rule) {
                    case "admin-utils", "kraft-striped" -> placements(rule);
                    case "murmur2" -> keys();
                    case "coordinator-lookup" -> lookups();
                    default -> assignments(rule);
                };
                Path file = folder.resolve(rule + "-" + version + "-seed" + seed + ".jsonl.gz");
                Vectors.write(file, lines);
                System.out.println(file + ": " + lines.size() + " lines");
            } catch (UnsupportedOperationException absent) {
                System.out.println(rule + ": skipped, " + absent.getMessage());
            }
        }
    }

    private List<ObjectNode> assignments(String assignor) {
        List<ObjectNode> lines = new ArrayList<>();
        int faults = 0;
        for (long chapter = 0; lines.size() < count; chapter++) {
            Story story = new Story(seed * 1_000_003 + chapter, assignor);
            for (int round = 0; round < story.rounds() && lines.size() < count; round++) {
                if (round > 0) story.goOn();
                Group group = story.question();
                String id = String.format("%s-%d-%s-%05d", assignor, seed, story.kind, lines.size());
                try {
                    lines.add(answer(id, assignor, group, story));
                } catch (RuntimeException fault) {
                    if (++faults <= 5) System.err.println(id + ": Kafka " + version + " fails: " + fault);
                    if (faults > 20 + lines.size() / 10) throw new IllegalStateException("Kafka fails on too many questions", fault);
                    break;
                }
            }
        }
        if (faults > 0) System.out.println(assignor + ": " + faults + " questions left out because Kafka itself failed on them");
        return lines;
    }

    private ObjectNode answer(String id, String assignor, Group group, Story story) {
        Group.Assignment assignment;
        if (assignor.startsWith("server-")) {
            BrokerAssignors.Question question = new BrokerAssignors.Question(assignor, group);
            var answer = question.ask();
            assignment = question.read(answer);
            story.answered(question.walk(answer));
        } else {
            assignment = ClientAssignors.answer(assignor, group);
            story.answered(assignment);
        }
        return Vectors.line(id, assignor, group, assignment, version);
    }

    private List<ObjectNode> placements(String placer) {
        Random random = new Random(seed);
        List<ObjectNode> lines = new ArrayList<>();
        while (lines.size() < count) {
            ObjectNode line = Vectors.JSON.createObjectNode().put("placer", placer);
            if (placer.equals("kraft-striped")) line.put("seed", random.nextBoolean() ? random.nextInt(1_000_000) : random.nextLong() >> 11);
            int racks = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(5);
            int alive = 0;
            ArrayNode brokers = line.putArray("brokers");
            int id = random.nextInt(3);
            for (int i = 1 + random.nextInt(12); i > 0; i--, id += 1 + random.nextInt(3)) {
                ObjectNode broker = brokers.addObject().put("id", id);
                if (racks > 0) broker.put("rack", "r" + random.nextInt(racks));
                if (placer.equals("kraft-striped") && random.nextInt(6) == 0) broker.put("fenced", true);
                else alive++;
            }
            if (alive == 0) continue;
            line.put("partitions", 1 + random.nextInt(40));
            line.put("replicationFactor", 1 + random.nextInt(Math.min(5, brokers.size())));
            if (placer.equals("admin-utils")) {
                line.put("fixedStartIndex", random.nextInt(brokers.size()));
                line.put("startPartitionId", random.nextBoolean() ? 0 : random.nextInt(12));
            }
            lines.add(new Answers().answer(line).put("kafkaVersion", version));
        }
        return lines;
    }

    private List<ObjectNode> keys() {
        Random random = new Random(seed);
        int[] counts = {1, 2, 3, 7, 10, 12, 24, 50, 64, 100, 128, 1000, 10_007};
        List<ObjectNode> lines = new ArrayList<>();
        while (lines.size() < count) {
            byte[] key = new byte[random.nextInt(10) == 0 ? random.nextInt(300) : lines.size() % 40];
            random.nextBytes(key);
            ObjectNode line = Vectors.JSON.createObjectNode().put("keyHex", HexFormat.of().formatHex(key));
            line.put("murmur2", 0).put("partitions", counts[random.nextInt(counts.length)]).put("partition", 0);
            lines.add(new Answers().answer(line).put("kafkaVersion", version));
        }
        return lines;
    }

    private List<ObjectNode> lookups() {
        Random random = new Random(seed);
        int[] counts = {50, 50, 50, 1, 3, 10, 17, 100};
        List<ObjectNode> lines = new ArrayList<>();
        while (lines.size() < count) {
            StringBuilder group = new StringBuilder();
            int style = random.nextInt(3);
            for (int i = random.nextInt(30); i > 0; i--) {
                group.appendCodePoint(style == 0 ? 'a' + random.nextInt(26) : style == 1 ? 32 + random.nextInt(95) : 0x4e00 + random.nextInt(0x5000));
            }
            if (style == 2 && random.nextBoolean()) group.appendCodePoint(0x1f600 + random.nextInt(60));
            ObjectNode line = Vectors.JSON.createObjectNode().put("groupId", group.toString()).put("hashCode", 0);
            line.put("offsetsPartitions", counts[random.nextInt(counts.length)]).put("partition", 0);
            lines.add(new Answers().answer(line).put("kafkaVersion", version));
        }
        return lines;
    }
}
