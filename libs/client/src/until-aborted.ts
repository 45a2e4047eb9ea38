/** Resolves with the work or with the first of the signals. */
export async function untilAborted(
  work: Promise<void>,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<void> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    for (const signal of signals) {
      if (signal?.aborted === true) resolve();
      signal?.addEventListener('abort', stop);
    }
  });
  await Promise.race([work, aborted]);
  for (const signal of signals) signal?.removeEventListener('abort', stop);
}
