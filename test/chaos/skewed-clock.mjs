// Loaded before the service: its wall clock is wrong by minutes, and jumps. Its monotonic clock is right, as in life.
const RealDate = Date;
let skewMs = Number(process.env.CHAOS_SKEW_MS ?? 0);
process.on('SIGUSR2', () => (skewMs = -skewMs));

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + skewMs);
    else super(...args);
  }
  static now() {
    return RealDate.now() + skewMs;
  }
};
