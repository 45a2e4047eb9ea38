package allot.oracle;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;

/**
 * Answers the lines of a vector file: a line without what Kafka says goes in, the whole line comes out.
 *
 * A broker line that goes on where the line before it ended takes what its members own in the order of that line's answer,
 * as the broker would. Where two topics or partitions share a bucket of a hash map, uniform's answer depends on that order,
 * and files that sort it away do not hold it. A line with {@code ownedOrder} does.
 */
final class Answers {
    private Map<String, Map<String, List<Integer>>> walk = Map.of();

    /** The name of a line's kind, for summaries. */
    static String kind(JsonNode line) {
        if (line.has("assignor")) return line.get("assignor").textValue();
        if (line.has("placer")) return line.get("placer").textValue();
        return line.has("keyHex") ? "murmur2" : "coordinator-lookup";
    }

    /** @throws UnsupportedOperationException when this Kafka version no longer has the rule. */
    ObjectNode answer(JsonNode question) {
        ObjectNode line = question.deepCopy();
        if (line.has("assignor")) {
            String assignor = line.get("assignor").textValue();
            Group group = Vectors.group(line);
            Group.Assignment assignment = assignor.startsWith("server-") ? broker(assignor, group, line.has("ownedOrder")) : ClientAssignors.answer(assignor, group);
            line.set("assignment", Vectors.JSON.valueToTree(assignment));
        } else if (line.has("placer")) {
            line.set("replicas", Vectors.JSON.valueToTree(replicas(line)));
        } else if (line.has("keyHex")) {
            byte[] key = HexFormat.of().parseHex(line.get("keyHex").textValue());
            line.put("murmur2", Utils.murmur2(key));
            line.put("partition", BuiltInPartitioner.partitionForKey(key, line.get("partitions").intValue()));
        } else if (line.has("groupId")) {
            String group = line.get("groupId").textValue();
            line.put("hashCode", group.hashCode());
            line.put("partition", Utils.abs(group.hashCode()) % line.get("offsetsPartitions").intValue());
        } else {
            throw new IllegalArgumentException("A line is neither an assignment nor a placement, a key or a group id: " + question);
        }
        return line;
    }

    private Group.Assignment broker(String assignor, Group group, boolean inOrder) {
        List<Group.Member> members = new ArrayList<>();
        for (Group.Member member : group.members()) {
            Map<String, List<Integer>> before = walk.getOrDefault(member.id(), Map.of());
            members.add(!inOrder && samePartitions(before, member.owned()) ? withOwned(member, before) : member);
        }
        BrokerAssignors.Question question = new BrokerAssignors.Question(assignor, new Group(group.topics(), members));
        GroupAssignment answer = question.ask();
        walk = question.walk(answer);
        return question.read(answer);
    }

    private static boolean samePartitions(Map<String, List<Integer>> a, Map<String, List<Integer>> b) {
        return a.keySet().equals(b.keySet())
            && a.entrySet().stream().allMatch(entry -> new HashSet<>(entry.getValue()).equals(new HashSet<>(b.get(entry.getKey()))));
    }

    private static Group.Member withOwned(Group.Member member, Map<String, List<Integer>> owned) {
        return new Group.Member(member.id(), member.instanceId(), member.rack(), member.topics(), null, owned);
    }

    private static Object replicas(JsonNode line) {
        int partitions = line.get("partitions").intValue();
        int replicationFactor = line.get("replicationFactor").intValue();
        if (line.get("placer").textValue().equals("kraft-striped")) {
            return Placements.striped(line.get("seed").longValue(), Vectors.brokers(line), partitions, replicationFactor);
        }
        return Placements.adminUtils(
            Vectors.brokers(line),
            partitions,
            replicationFactor,
            line.get("fixedStartIndex").intValue(),
            line.get("startPartitionId").intValue()
        );
    }
}
