import { afterAll, describe, expect, it } from '@jest/globals';
import type { AllotError } from '@allot/model';
import { findAssignor } from '@allot/strategies';
import { InlineComputing } from '../src/computing/computing.js';
import { sizeOfQuestion } from '../src/computing/size-of-question.js';
import { ThreadComputing } from '../src/computing/thread-computing.js';

const inline = new InlineComputing(findAssignor);
const threads = new ThreadComputing(inline, {
  execArgv: ['--import', new URL('../../../test/support/typescript.mjs', import.meta.url).href],
});
afterAll(() => threads.close());

/** A group of so many members that the question goes to a thread. */
function large(more: object = {}) {
  const members = Array.from({ length: 200 }, (_, i) => ({ id: `m${i}`, topics: ['orders', '__proto__'] }));
  const topics = [
    { name: 'orders', partitions: 1_000 },
    { name: '__proto__', partitions: 7 },
  ];
  return { assignor: 'sticky', topics, members, changes: [{ addMembers: 3 }], ...more };
}

describe('computing on threads', () => {
  it('gives the answer that the caller would have computed itself', async () => {
    const [there, here] = await Promise.all([threads.answer('plan', large()), inline.answer('plan', large())]);
    expect(JSON.stringify(there)).toBe(JSON.stringify(here));
    const { changes: _none, ...group } = large();
    const steps = { ...group, steps: [{ rollingRestart: { batchSize: 50 } }] };
    const simulated = [threads, inline].map((computing) => computing.answer('simulate', steps));
    const [a, b] = await Promise.all(simulated);
    expect(a).toEqual(b);
  });

  it('leaves the caller free meanwhile', async () => {
    await threads.answer('plan', large());
    let longestMs = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    }, 1);
    const topics = Array.from({ length: 100 }, (_, i) => ({ name: `t${i}`, partitions: 100 }));
    const members = Array.from({ length: 100 }, (_, i) => ({
      id: `m${i}`,
      topics: topics.filter((_, j) => (i + j) % 3 > 0).map(({ name }) => name),
    }));
    const question = { assignor: 'sticky', topics, members };
    const started = performance.now();
    await threads
      .answer('compare', { ...question, assignors: ['sticky', 'uniform'] })
      .finally(() => clearInterval(timer));
    const tookMs = performance.now() - started;
    expect(longestMs).toBeLessThan(tookMs);
  });

  it('passes on what is wrong with a question as it is told here', async () => {
    const wrong = large({ members: large().members.map((member) => ({ ...member, topics: 7 })) });
    const told = await inline.answer('plan', wrong).catch((error: unknown) => error as AllotError);
    await expect(threads.answer('plan', wrong)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: (told as AllotError).message,
      errors: (told as AllotError).errors,
      action: 'fix-request',
    });
  });

  it('answers here what names an assignor that threads do not have', async () => {
    const own = { ...findAssignor('range')!, name: 'my-own', aliases: [] };
    const find = (name: string) => (name === 'my-own' ? own : findAssignor(name));
    const withOwn = new ThreadComputing(new InlineComputing(find), {
      execArgv: ['--import', new URL('../../../test/support/typescript.mjs', import.meta.url).href],
    });
    const { target } = await withOwn.answer('plan', large({ assignor: 'my-own' }));
    expect(Object.keys(target)).toHaveLength(203);
    await withOwn.close();
  });
});

it('fails the question, not the service, when a thread cannot start', async () => {
  const broken = new ThreadComputing(inline, { script: new URL('file:///nowhere.mjs') });
  await expect(broken.answer('plan', large())).rejects.toThrow(/nowhere/);
  await expect(broken.answer('plan', { ...large(), members: [], topics: [] })).resolves.toMatchObject({ target: {} });
  await broken.close();
});

describe('the size of a question', () => {
  it.each([
    ['a plan', large(), 1_209],
    ['an explanation', { body: large(), query: {} }, 1_209],
    ['a simulation', { topics: [{ name: 't', partitions: 5 }], members: [{}, {}], steps: [{}, {}, {}] }, 38],
    ['nothing that makes sense', { topics: 7, members: 'x', body: null }, 0],
    ['partitions that are no number', { topics: [{ partitions: '9' }, null, 3] }, 3],
    ['text', 'topics', 0],
  ])('of %s', (_name, question, size) => {
    expect(sizeOfQuestion(question)).toBe(size);
  });
});
