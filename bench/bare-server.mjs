// The baseline: reads the body, answers 200.
import { createServer } from 'node:http';

const ANSWER = '{"id":"evt_00000000000000000000000000","status":"accepted"}';
const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length })
      .end(ANSWER),
  );
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
