import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Server } from 'socket.io';
import { LIVE_NAMESPACE } from '../../contract/constants';
import { Clock } from '../ground/clock';
import { describeProblem } from '../http/describe-problem';
import type { RelayError } from '../ground/relay-error';
import { SocketAdmission } from './socket-admission';

type Options = Parameters<IoAdapter['createIOServer']>[1];
type AllowRequest = NonNullable<NonNullable<Options>['allowRequest']>;

/** Clients send only their login and the last `seq` they received. */
const MAX_MESSAGE_BYTES = 4_096;
/** A socket that has not joined the namespace by then is closed. */
const JOIN_TIMEOUT_MS = 5_000;

/** Only WebSockets: with long polling, a dashboard would send many requests, each with a login check. */
export class LiveSocketAdapter extends IoAdapter {
  constructor(private readonly app: INestApplicationContext) {
    super(app);
  }

  override createIOServer(port: number, options?: Options): Server {
    const server = super.createIOServer(port, {
      ...options,
      transports: ['websocket'],
      perMessageDeflate: false,
      serveClient: false,
      maxHttpBufferSize: MAX_MESSAGE_BYTES,
      connectTimeout: JOIN_TIMEOUT_MS,
      allowRequest: (request, allow) => this.admit(request, allow),
      // Sockets of other upgrades must stay open: `ignoreUpgrades` answers their requests.
      destroyUpgrade: false,
    } as Options);
    limitPackets(server, this.app.get(Clock));
    endClosedConnections(server);
    // socket.io always has this namespace; nothing is published in it.
    server
      .of('/')
      .use((_, next) => next(new Error(`Nothing is published in this namespace. Use ${LIVE_NAMESPACE}.`)));
    return server;
  }

  /** A rejection is not passed to engine.io, which would respond with 400 and a line of text. */
  private admit(request: IncomingMessage, allow: Parameters<AllowRequest>[1]): void {
    const error = this.app.get(SocketAdmission).admit(request);
    if (error === null) allow(null, true);
    else rejectHandshake(request, error);
  }
}

function rejectHandshake({ socket }: IncomingMessage, error: RelayError): void {
  const { status, retryAfterSeconds } = error;
  const body = JSON.stringify(describeProblem(error));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'cache-control: no-store',
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(status === 401 ? ['www-authenticate: Bearer realm="switchboard"'] : []),
    ...(retryAfterSeconds === undefined ? [] : [`retry-after: ${retryAfterSeconds}`]),
  ];
  socket.on('error', () => undefined);
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** For the client to close the connection in turn (RFC 6455, 7.1.1). */
const CLOSE_TIMEOUT_MS = 5_000;

/** The parts of an engine.io connection that are used here. */
interface Connection {
  request: { websocket?: { removeAllListeners(event: 'message'): void; terminate(): void } };
  on(event: 'packet' | 'packetCreate' | 'close', listener: () => void): void;
}

/** Ends the TCP connection of a client that ignores the close of its WebSocket, and would keep counting as open. */
function endClosedConnections(server: Server): void {
  server.engine.on('connection', (connection: Connection) => {
    const { websocket } = connection.request;
    connection.on('close', () => setTimeout(() => websocket?.terminate(), CLOSE_TIMEOUT_MS).unref());
  });
}

/** A client sends its login, the last `seq` it received, a pong or a beat from time to time, and answers. */
const MAX_PACKETS_PER_SECOND = 50;
const WINDOW_MS = 1_000;
/** A listener answers each packet with at most one of its own, which is not limited. */
const MAX_UNANSWERED = 1_000;

/** Closes connections that send more packets than any client needs: each takes the main thread about 20 µs. */
function limitPackets(server: Server, clock: Clock): void {
  server.engine.on('connection', (connection: Connection) => {
    let windowStart = 0;
    let count = 0;
    let unanswered = 0;
    connection.on('packetCreate', () => (unanswered = Math.min(unanswered + 1, MAX_UNANSWERED)));
    connection.on('packet', () => {
      if (unanswered > 0) {
        unanswered -= 1;
        return;
      }
      const now = clock.monotonic();
      if (now - windowStart > WINDOW_MS) {
        windowStart = now;
        count = 0;
      }
      count += 1;
      if (count <= MAX_PACKETS_PER_SECOND) return;
      const { websocket } = connection.request;
      // Thousands more may be buffered already, and would still be processed.
      websocket?.removeAllListeners('message');
      websocket?.terminate();
    });
  });
}
