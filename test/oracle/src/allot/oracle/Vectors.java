package allot.oracle;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PushbackInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The vector format: one JSON object a line, gzipped or plain. */
final class Vectors {
    static final ObjectMapper JSON = new ObjectMapper();

    static {
        JSON.getFactory().configure(JsonGenerator.Feature.ESCAPE_NON_ASCII, true);
    }

    private Vectors() {}

    static void read(Path file, Consumer<JsonNode> each) throws IOException {
        PushbackInputStream raw = new PushbackInputStream(Files.newInputStream(file), 2);
        byte[] head = raw.readNBytes(2);
        raw.unread(head);
        boolean zipped = head.length == 2 && (head[0] & 0xff) == 0x1f && (head[1] & 0xff) == 0x8b;
        InputStream in = zipped ? new GZIPInputStream(raw) : raw;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isBlank()) each.accept(JSON.readTree(line));
            }
        }
    }

    static void write(Path file, Iterable<? extends JsonNode> lines) throws IOException {
        OutputStream raw = Files.newOutputStream(file);
        OutputStream out = file.toString().endsWith(".gz") ? new GZIPOutputStream(raw) : raw;
        try (BufferedWriter text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8))) {
            for (JsonNode line : lines) {
                text.write(JSON.writeValueAsString(line));
                text.write('\n');
            }
        }
    }

    static Group group(JsonNode line) {
        List<Group.Topic> topics = new ArrayList<>();
        for (JsonNode topic : line.get("topics")) {
            List<List<String>> racks = null;
            if (topic.has("racks")) {
                racks = new ArrayList<>();
                for (JsonNode replicas : topic.get("racks")) racks.add(strings(replicas));
            }
            topics.add(new Group.Topic(text(topic, "name"), text(topic, "id"), topic.get("partitions").intValue(), racks));
        }
        List<Group.Member> members = new ArrayList<>();
        for (JsonNode member : line.get("members")) {
            Map<String, List<Integer>> owned = new LinkedHashMap<>();
            if (member.has("owned")) {
                member.get("owned").fields().forEachRemaining(entry -> owned.put(entry.getKey(), numbers(entry.getValue())));
            }
            members.add(new Group.Member(
                text(member, "id"),
                text(member, "instanceId"),
                text(member, "rack"),
                strings(member.get("topics")),
                member.has("generation") ? (Integer) member.get("generation").intValue() : null,
                owned
            ));
        }
        return new Group(topics, members);
    }

    static ObjectNode line(String id, String assignor, Group group, Group.Assignment assignment, String kafkaVersion) {
        boolean broker = assignor.startsWith("server-");
        boolean sticky = ClientAssignors.isSticky(assignor);
        ObjectNode line = JSON.createObjectNode().put("id", id).put("assignor", assignor);
        ArrayNode topics = line.putArray("topics");
        for (Group.Topic topic : group.topics()) {
            ObjectNode node = topics.addObject().put("name", topic.name());
            if (broker) node.put("id", topic.id());
            node.put("partitions", topic.partitions());
            if (topic.racks() != null) node.set("racks", JSON.valueToTree(topic.racks()));
        }
        ArrayNode members = line.putArray("members");
        for (Group.Member member : group.members()) {
            ObjectNode node = members.addObject().put("id", member.id());
            if (member.instanceId() != null) node.put("instanceId", member.instanceId());
            if (member.rack() != null) node.put("rack", member.rack());
            node.set("topics", JSON.valueToTree(member.topics()));
            if (sticky && member.generation() != null) node.put("generation", member.generation());
            if (broker || (sticky && member.generation() != null)) node.set("owned", JSON.valueToTree(member.owned()));
        }
        line.set("assignment", JSON.valueToTree(assignment));
        if (broker) line.put("ownedOrder", "given");
        if (kafkaVersion != null) line.put("kafkaVersion", kafkaVersion);
        return line;
    }

    static List<Placements.Broker> brokers(JsonNode line) {
        List<Placements.Broker> brokers = new ArrayList<>();
        for (JsonNode broker : line.get("brokers")) {
            brokers.add(new Placements.Broker(broker.get("id").intValue(), text(broker, "rack"), broker.path("fenced").booleanValue()));
        }
        return brokers;
    }

    private static String text(JsonNode node, String field) {
        return node.hasNonNull(field) ? node.get(field).textValue() : null;
    }

    private static List<String> strings(JsonNode array) {
        List<String> list = new ArrayList<>();
        array.forEach(item -> list.add(item.textValue()));
        return list;
    }

    private static List<Integer> numbers(JsonNode array) {
        List<Integer> list = new ArrayList<>();
        array.forEach(item -> list.add(item.intValue()));
        return list;
    }
}
