// What the service is compared with: Node's own http server that keeps answers open and writes each event to all of them, and no more.
import { createServer } from 'node:http';

const open = new Set();
let revision = 1;
const server = createServer((request, response) => {
  if (request.method === 'PUT') {
    revision++;
    const event = `event: group\nid: ${revision}\ndata: ${'x'.repeat(Number(process.argv[2]))}\n\n`;
    for (const one of open) one.write(event);
    response.end(JSON.stringify({ revision }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(`event: snapshot\nid: ${revision}\ndata: {}\n\n`);
  open.add(response);
  response.once('close', () => open.delete(response));
});
server.listen(0, '127.0.0.1', 4_096, () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
