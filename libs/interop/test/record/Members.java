import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Fills the topics and keeps the members of four groups alive, until standard input ends. */
public final class Members {
    private static String bootstrap;
    private static final List<KafkaConsumer<String, String>> MEMBERS = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        bootstrap = args[0];
        produce();
        // Committed and left: a group without members. Its id has a blank in it.
        commit("idle reports", Map.of(new TopicPartition("payments", 1), 2L));
        // Behind, at the end, and past the end of the log, which gives a negative lag.
        commit("billing", Map.of(new TopicPartition("orders", 0), 7L, new TopicPartition("orders", 9), 10L,
            new TopicPartition("orders", 10), 12L));
        join("billing", "classic", "billing 1", null, List.of("orders", "payments"));
        join("billing", "classic", "billing-2", "rack-a-2", List.of("orders", "payments"));
        join("spare", "classic", "spare-1", null, List.of("single"));
        join("spare", "classic", "spare-2", null, List.of("single"));
        join("shipping", args[1], "shipping-1", null, List.of("orders", "payments"));
        join("shipping", args[1], "shipping-2", "rack-b-2", List.of("payments"));
        long settled = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        boolean told = false;
        while (System.in.available() == 0) {
            for (KafkaConsumer<String, String> member : MEMBERS) member.poll(Duration.ofMillis(30));
            if (!told && System.nanoTime() > settled) {
                System.out.println("ready");
                told = true;
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static void produce() {
        Map<String, Object> config = Map.of("bootstrap.servers", bootstrap,
            "key.serializer", StringSerializer.class, "value.serializer", StringSerializer.class);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(config)) {
            for (int partition = 0; partition < 11; partition++)
                for (int i = 0; i < 10; i++) producer.send(new ProducerRecord<>("orders", partition, "key", "value"));
            for (int i = 0; i < 5; i++) producer.send(new ProducerRecord<>("payments", 1, "key", "value"));
        }
    }

    private static void commit(String group, Map<TopicPartition, Long> offsets) {
        try (KafkaConsumer<String, String> consumer = consumer(group, "classic", "setup", null)) {
            consumer.assign(offsets.keySet());
            consumer.commitSync(offsets.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> new OffsetAndMetadata(entry.getValue()))));
        }
    }

    private static void join(String group, String protocol, String client, String instance, List<String> topics) {
        KafkaConsumer<String, String> consumer = consumer(group, protocol, client, instance);
        consumer.subscribe(topics);
        MEMBERS.add(consumer);
    }

    private static KafkaConsumer<String, String> consumer(String group, String protocol, String client, String instance) {
        Map<String, Object> config = new HashMap<>(Map.of("bootstrap.servers", bootstrap, "group.id", group,
            "client.id", client, "group.protocol", protocol, "enable.auto.commit", "false", "auto.offset.reset", "earliest",
            "key.deserializer", StringDeserializer.class, "value.deserializer", StringDeserializer.class));
        if (instance != null) config.put("group.instance.id", instance);
        return new KafkaConsumer<>(config);
    }
}
