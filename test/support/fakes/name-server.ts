import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

/** The addresses of a name and their TTL in seconds, and the families whose queries get no response. */
export interface Zone {
  addresses: string[];
  ttl?: number;
  silentOf?: readonly (4 | 6)[];
}

export const SILENT: Zone = { addresses: [], silentOf: [4, 6] };

const TYPES = new Map([
  [1, 4],
  [28, 6],
] as const);
const HEADER_BYTES = 12;
const QUESTION_TAIL_BYTES = 4;
const NO_SUCH_NAME = 3;

/** A name server (RFC 1035, over UDP) on loopback for the given zones. Other names do not exist. */
export class NameServer {
  readonly zones = new Map<string, Zone>();
  /** The queries so far, in order. */
  readonly queries: { name: string; family: number }[] = [];

  private constructor(private readonly socket: Socket) {
    socket.on('message', (message, from) => this.respond(message, from));
  }

  static async start(zones: Record<string, Zone> = {}): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const server = new NameServer(socket);
    for (const [name, zone] of Object.entries(zones)) server.zones.set(name, zone);
    return server;
  }

  /** In the format of Node's resolver. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  /** The number of queries for a name. */
  countOf(name: string): number {
    return this.queries.filter((question) => question.name === name).length;
  }

  async close(): Promise<void> {
    this.socket.close();
    await once(this.socket, 'close');
  }

  private respond(message: Buffer, { port, address }: RemoteInfo): void {
    const { name, type, question } = readQuestion(message);
    const family = TYPES.get(type as 1 | 28) ?? 0;
    this.queries.push({ name, family });
    const zone = this.zones.get(name);
    if (zone?.silentOf?.some((silent) => silent === family)) return;
    const records = (zone?.addresses ?? [])
      .map((one) => ipaddr.parse(one))
      .filter((one) => (one.kind() === 'ipv6' ? 6 : 4) === family)
      .map((one) => record(type, zone?.ttl ?? 60, Buffer.from(one.toByteArray())));
    const header = Buffer.alloc(HEADER_BYTES);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (zone === undefined ? NO_SUCH_NAME : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    this.socket.send(Buffer.concat([header, question, ...records]), port, address);
  }
}

function readQuestion(message: Buffer) {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 1 + QUESTION_TAIL_BYTES;
  return {
    name: labels.join('.').toLowerCase(),
    type: message.readUInt16BE(at + 1),
    question: message.subarray(HEADER_BYTES, end),
  };
}

/** A resource record whose name is a pointer to that of the question. */
function record(type: number, ttl: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc0_0c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
