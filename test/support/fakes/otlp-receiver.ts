import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = { stringValue?: string; intValue?: number | string };

interface JsonSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
  status: { code?: number };
}

interface TraceRequest {
  resourceSpans: {
    resource: { attributes: { key: string; value: Value }[] };
    scopeSpans: { spans: JsonSpan[] }[];
  }[];
}

export type ReceivedSpan = Omit<JsonSpan, 'attributes'> & {
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
};

/** A receiver of traces by OTLP over HTTP, in the JSON encoding of protobuf. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Everything that was received. */
  text = '';
  requests = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { method, url, headers } = request;
        const isTraces = method === 'POST' && url === '/v1/traces';
        if (!isTraces || headers['content-type'] !== 'application/json') return response.writeHead(404).end();
        receiver.receive(Buffer.concat(parts).toString());
        return response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  named(name: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private receive(text: string): void {
    this.text += text;
    this.requests += 1;
    for (const { resource, scopeSpans } of (JSON.parse(text) as TraceRequest).resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          ...span,
          attributes: toRecord(span.attributes),
          resource: toRecord(resource.attributes),
        });
  }
}

const toRecord = (attributes: { key: string; value: Value }[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? (value.intValue === undefined ? value : Number(value.intValue)),
    ]),
  );
