package allot.oracle;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Entry point; run.sh finds the jars and passes the arguments on. */
public final class Main {
    private final List<String> rest = new ArrayList<>();
    private long seed = 1;
    private int count = 500;
    private int examples = 3;
    private int limit = 60;
    private Path cells;
    private Path out = Path.of("target", "vectors");

    private Main(String[] args) {
        for (int i = 1; i < args.length; i++) {
            switch (args[i]) {
                case "--seed" -> seed = Long.parseLong(args[++i]);
                case "--count" -> count = Integer.parseInt(args[++i]);
                case "--examples" -> examples = Integer.parseInt(args[++i]);
                case "--limit" -> limit = Integer.parseInt(args[++i]);
                case "--cells" -> cells = Path.of(args[++i]);
                case "--out" -> out = Path.of(args[++i]);
                default -> rest.add(args[i]);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        String version = System.getProperty("kafka.version");
        Main options = new Main(args);
        switch (args[0]) {
            case "generate" -> new Generate(version, options.seed, options.count).run(options.out, options.rest);
            case "replay" -> {
                Replay replay = new Replay(version, options.examples);
                for (String file : options.rest) replay.run(Path.of(file));
            }
            case "bench" -> new Bench(version).run(options.cells, options.limit);
            case "serve" -> new Bench(version).serve(options.limit);
            default -> throw new IllegalArgumentException("Unknown command " + args[0]);
        }
    }
}
