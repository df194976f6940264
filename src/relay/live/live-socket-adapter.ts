import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Server } from 'socket.io';
import { LIVE_NAMESPACE } from '../../contract/constants';
import { Clock } from '../ground/clock';
import { describeProblem } from '../http/describe-problem';
import type { RelayError } from '../ground/relay-error';
import { endClosedConnections } from './end-closed-connections';
import { SocketAdmission } from './socket-admission';
import { limitPackets } from './limit-packets';

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
