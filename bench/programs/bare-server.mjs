// The baseline: a server that reads the body and responds with 200.
import { createServer } from 'node:http';

const RESPONSE_BODY = '{"id":"evt_00000000000000000000000000","status":"accepted"}';
const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': RESPONSE_BODY.length })
      .end(RESPONSE_BODY),
  );
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
