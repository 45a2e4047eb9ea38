// Loaded into a server (`node --expose-gc --import ./probe.mjs`): says how much memory it holds when
// nothing more can be collected, or how much time of processors it has taken.
process.on('message', (message) => {
  if (message === 'cpu') process.send({ cpu: process.cpuUsage() });
  if (message !== 'memory') return;
  for (let i = 0; i < 4; i++) globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({ held: heapUsed + external, rss, cpu: process.cpuUsage() });
});
