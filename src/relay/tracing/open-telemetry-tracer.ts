import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Span,
  type Tracer as OpenTelemetry,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { TracedAttempt, TracedEvent, Tracer } from '../ground/tracer';
import { endpointOf } from '../network/endpoint';

/**
 * Sends spans to the OTLP receiver that the `OTEL_…` variables name. An event's span covers the time from its arrival
 * to its commit, and is the root of the trace that its id determines; its attempts are children, even after a
 * restart. Imports only OpenTelemetry, since this file is loaded with it.
 */
export class OpenTelemetryTracer implements Tracer {
  readonly isOn = true;
  /** The ids of the next span, which the SDK would otherwise draw. */
  private next = { traceId: '', spanId: '' };
  private readonly provider: BasicTracerProvider;
  private readonly tracer: OpenTelemetry;

  /**
   * @param variables the `OTEL_…` variables, which the SDK reads only from the environment of the process
   * @param report called with the reason when spans could not be sent
   */
  constructor(
    variables: Readonly<Record<string, string>>,
    version: string,
    private readonly report: (reason: string) => void,
  ) {
    Object.assign(process.env, variables);
    diag.setLogger(
      { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
    this.provider = new BasicTracerProvider({
      idGenerator: {
        generateTraceId: () => this.next.traceId,
        generateSpanId: () => this.next.spanId,
      },
      resource: defaultResource()
        .merge(resourceFromAttributes({ 'service.name': 'switchboard', 'service.version': version }))
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    });
    this.tracer = this.provider.getTracer('switchboard', version);
  }

  recordEvent({ traceId, id, type, isUnsigned, receivedAt, committedAt }: TracedEvent): void {
    const span = this.startRoot(traceId, receivedAt, {
      kind: isUnsigned ? SpanKind.INTERNAL : SpanKind.SERVER,
      attributes: { 'switchboard.event.id': id, 'switchboard.event.type': type },
    });
    span.end(new Date(Math.max(receivedAt, committedAt)));
  }

  isSampled(id: string): boolean {
    const span = this.startRoot(id, 0);
    return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
  }

  recordAttempt({ traceId: id, spanId, startedAt, durationMs, status, error, ...rest }: TracedAttempt): void {
    const traceFlags = this.isSampled(id) ? TraceFlags.SAMPLED : TraceFlags.NONE;
    const parent = trace.setSpanContext(ROOT_CONTEXT, { traceId: id, spanId: rootSpanId(id), traceFlags });
    this.next = { traceId: id, spanId };
    const attributes: Attributes = {
      'http.request.method': 'POST',
      ...(rest.target.url !== null && serverOf(new URL(rest.target.url))),
      ...(status !== null && { 'http.response.status_code': status }),
      ...(error !== null && { 'error.type': error === 'http_status' ? String(status) : error }),
      'switchboard.delivery.id': rest.deliveryId,
      'switchboard.delivery.state': rest.state,
      'switchboard.attempt': rest.number,
      'switchboard.target.id': rest.target.id,
      'switchboard.target.name': rest.target.name,
    };
    const startTime = new Date(startedAt);
    const span = this.tracer.startSpan('attempt', { kind: SpanKind.CLIENT, startTime, attributes }, parent);
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(new Date(startedAt + durationMs));
  }

  async close(): Promise<void> {
    await this.provider.shutdown().catch((error: unknown) => this.report(String(error)));
  }

  /** A span that is not ended is not sent. */
  private startRoot(
    id: string,
    startedAt: number,
    options: { kind?: SpanKind; attributes?: Attributes } = {},
  ): Span {
    this.next = { traceId: id, spanId: rootSpanId(id) };
    return this.tracer.startSpan(
      'event',
      { ...options, startTime: new Date(startedAt), root: true },
      ROOT_CONTEXT,
    );
  }
}

const ignore = () => undefined;

/** Of the event: computed, since attempts may be made by a later run of the daemon. */
const rootSpanId = (id: string) => id.slice(-16);

const serverOf = (url: URL): Attributes => ({
  'server.address': url.hostname,
  'server.port': endpointOf(url).port,
});
