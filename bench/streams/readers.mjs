// Many readers in one process, on bare sockets so that they cost little. Told what to do over IPC.
import { connect } from 'node:net';

const sockets = [];
let waiting;

process.on('message', async (message) => {
  if (message.open !== undefined) await open(message);
  else if (message.expect !== undefined) expect(message.expect, message.of ?? sockets.map((_, i) => i));
  else if (message.close) for (const socket of sockets.splice(0)) socket.destroy();
});

/** Opens one connection a path, so many at a time; resolves when each has had its first event. */
async function open({ open: paths, port, stalled = false }) {
  let next = 0;
  const lane = async () => {
    while (next < paths.length) {
      const path = paths[next++];
      await new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1');
        const place = sockets.push(socket) - 1;
        socket.setNoDelay(true);
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`);
        let begun = false;
        socket.on('error', reject);
        socket.on('data', (data) => {
          if (begun) return take(place, data);
          begun = data.includes('id: ');
          if (!begun) return;
          if (stalled) socket.pause();
          resolve();
        });
      });
    }
  };
  try {
    await Promise.all(Array.from({ length: 32 }, lane));
    process.send({ opened: paths.length });
  } catch (error) {
    process.send({ failed: String(error) });
  }
}

function expect(revision, places) {
  waiting = { mark: `id: ${revision}\n`, left: new Set(places), first: 0n };
  process.send({ expecting: true });
}

function take(place, data) {
  if (waiting === undefined || !waiting.left.has(place) || !data.includes(waiting.mark)) return;
  const now = process.hrtime.bigint();
  waiting.first ||= now;
  waiting.left.delete(place);
  if (waiting.left.size > 0) return;
  process.send({ first: String(waiting.first), last: String(now) });
  waiting = undefined;
}
