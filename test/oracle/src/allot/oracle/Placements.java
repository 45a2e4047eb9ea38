package allot.oracle;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.placement.ClusterDescriber;
import org.apache.kafka.metadata.placement.PartitionAssignment;
import org.apache.kafka.metadata.placement.PlacementSpec;
import org.apache.kafka.metadata.placement.StripedReplicaPlacer;
import org.apache.kafka.metadata.placement.UsableBroker;

/** Asks Kafka where the replicas of a new topic go. */
final class Placements {
    private Placements() {}

    record Broker(int id, String rack, boolean fenced) {}

    /** The controller's placer of KRaft, its random source seeded. */
    static Map<Integer, List<Integer>> striped(long seed, List<Broker> brokers, int partitions, int replicationFactor) {
        ClusterDescriber cluster = new ClusterDescriber() {
            @Override
            public Iterator<UsableBroker> usableBrokers() {
                return brokers.stream().map(b -> new UsableBroker(b.id(), Optional.ofNullable(b.rack()), b.fenced())).iterator();
            }

            @Override
            public Uuid defaultDir(int brokerId) {
                return Uuid.ZERO_UUID;
            }
        };
        Map<Integer, List<Integer>> replicas = new TreeMap<>();
        for (PartitionAssignment partition : new StripedReplicaPlacer(new Random(seed))
            .place(new PlacementSpec(0, partitions, (short) replicationFactor), cluster)
            .assignments()) {
            replicas.put(replicas.size(), partition.replicas());
        }
        return replicas;
    }

    /**
     * The placer of ZooKeeper's days, for as long as a version still carries it (until 4.0). Found by name, so that the
     * oracle compiles against versions without it.
     */
    static Map<Integer, List<Integer>> adminUtils(
        List<Broker> brokers,
        int partitions,
        int replicationFactor,
        int fixedStartIndex,
        int startPartitionId
    ) {
        try {
            Class<?> metadata = Class.forName("org.apache.kafka.admin.BrokerMetadata");
            Method assign = Class.forName("org.apache.kafka.admin.AdminUtils").getMethod(
                "assignReplicasToBrokers", Collection.class, int.class, int.class, int.class, int.class);
            List<Object> list = new ArrayList<>();
            for (Broker broker : brokers) {
                list.add(metadata.getConstructor(int.class, Optional.class).newInstance(broker.id(), Optional.ofNullable(broker.rack())));
            }
            @SuppressWarnings("unchecked")
            Map<Integer, List<Integer>> replicas = (Map<Integer, List<Integer>>)
                assign.invoke(null, list, partitions, replicationFactor, fixedStartIndex, startPartitionId);
            return new TreeMap<>(replicas);
        } catch (ClassNotFoundException absent) {
            throw new UnsupportedOperationException("this Kafka version no longer has AdminUtils.assignReplicasToBrokers");
        } catch (InvocationTargetException refused) {
            if (refused.getCause() instanceof RuntimeException cause) throw cause;
            throw new IllegalStateException(refused.getCause());
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException("This Kafka version's AdminUtils is not the one the oracle knows", error);
        }
    }
}
