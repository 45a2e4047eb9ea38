/** CPU milliseconds of this process. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A sample shorter than this says more about the clock than about the code. */
const SHORTEST_SAMPLE_MS = 15;
const WARM_UP_MS = 150;
/** The last result, kept where the compiler cannot know that nobody looks at it. */
export let sink;

function sample(run, times) {
  const start = cpu();
  for (let i = 0; i < times; i++) sink = run();
  return (cpu() - start) / times;
}

/** How often a function must run for one sample. It runs for a while first, until it is compiled. */
function timesFor(run) {
  for (let warm = 0, runs = 0; warm < WARM_UP_MS && runs < 2000; runs++) warm += sample(run, 1);
  let times = 1;
  for (;;) {
    const ms = sample(run, times) * times;
    if (ms >= SHORTEST_SAMPLE_MS) return times;
    times = Math.ceil(times * Math.min(10, (1.3 * SHORTEST_SAMPLE_MS) / Math.max(ms, 0.5)));
  }
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/**
 * Two functions, measured alternately: machines are shared, and whatever disturbs one of the two disturbs the other.
 *
 * @returns medians of CPU milliseconds a run and of the ratio of each round
 */
export function compare(run, base, rounds) {
  const times = timesFor(run);
  const baseTimes = timesFor(base);
  const own = [];
  const floor = [];
  for (let round = 0; round < rounds; round++) {
    own.push(sample(run, times));
    floor.push(sample(base, baseTimes));
  }
  return { ms: median(own), baseMs: median(floor), ratio: median(own.map((ms, i) => ms / floor[i])) };
}

/** Megabytes that one run leaves behind or throws away, its result included; needs --expose-gc. */
export function transientMegabytes(run) {
  const used = () => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / 2 ** 20;
  };
  const values = [];
  for (let i = 0; i < 5; i++) {
    globalThis.gc();
    const before = used();
    sink = run();
    values.push(used() - before);
    sink = undefined;
  }
  return median(values);
}
