import type { AttemptError } from '../../contract/delivery';

/** An event that was stored. */
export interface TracedEvent {
  traceId: string;
  id: string;
  type: string;
  /** Whether Switchboard made it. */
  isUnsigned: boolean;
  /** Ms since 1970, as all times here. */
  receivedAt: number;
  committedAt: number;
}

/** An attempt, with its place in the trace of its event. */
export interface TracedAttempt {
  traceId: string;
  spanId: string;
  deliveryId: string;
  /** From 1. */
  number: number;
  target: { id: string; name: string; url: string | null };
  startedAt: number;
  durationMs: number;
  status: number | null;
  error: AttemptError | null;
  /** The state of the delivery after it. */
  state: string;
}

/** Records spans (OpenTelemetry): this one none. `OpenTelemetryTracer` is loaded only if the settings ask for it. */
export class Tracer {
  /** Whether anything is recorded. */
  readonly isOn: boolean = false;

  /** Whether the spans of a trace are recorded, which `traceparent` passes on. */
  isSampled(_traceId: string): boolean {
    return true;
  }

  recordEvent(_event: TracedEvent): void {}

  recordAttempt(_attempt: TracedAttempt): void {}

  /** Sends what was recorded. */
  async close(): Promise<void> {}
}
