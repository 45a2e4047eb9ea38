package allot.oracle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Recomputes every line of a vector file and says which answers this Kafka version gives otherwise. */
final class Replay {
    private record Difference(JsonNode line, String answer) {}

    private static final class Tally {
        int same;
        int absent;
        final List<Difference> differences = new ArrayList<>();
    }

    private final String version;
    private final int examples;
    private final Map<String, Tally> tallies = new TreeMap<>();
    private Answers answers = new Answers();

    Replay(String version, int examples) {
        this.version = version;
        this.examples = examples;
    }

    /** @return the number of lines that differ. */
    int run(Path file) throws IOException {
        tallies.clear();
        answers = new Answers();
        Vectors.read(file, this::compare);
        int differing = 0;
        for (Map.Entry<String, Tally> entry : tallies.entrySet()) {
            Tally tally = entry.getValue();
            differing += tally.differences.size();
            System.out.printf("%s %s with Kafka %s: %d same, %d differ%s%n", file.getFileName(), entry.getKey(), version,
                tally.same, tally.differences.size(),
                tally.absent > 0 ? ", " + tally.absent + " not answered: the version no longer has this rule" : "");
            tally.differences.sort(Comparator.comparingInt((Difference d) -> d.line().toString().length()));
            for (Difference difference : tally.differences.subList(0, Math.min(examples, tally.differences.size()))) {
                System.out.println("  line   " + difference.line());
                System.out.println("  answer " + difference.answer());
            }
        }
        return differing;
    }

    private void compare(JsonNode line) {
        Tally tally = tallies.computeIfAbsent(Answers.kind(line), kind -> new Tally());
        try {
            ObjectNode answer = answers.answer(line);
            if (answer.equals(line)) tally.same++;
            else tally.differences.add(new Difference(line, answer.has("assignment") ? answer.get("assignment").toString() : answer.toString()));
        } catch (UnsupportedOperationException absent) {
            tally.absent++;
        } catch (RuntimeException fault) {
            tally.differences.add(new Difference(line, "fault: " + fault));
        }
    }
}
