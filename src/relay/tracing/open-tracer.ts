import type { Clock } from '../ground/clock';
import type { Journal } from '../database/journal/journal';
import { eventId, traceId } from '../ground/ids';
import type { Log } from '../ground/log';
import { RateLimitedLog } from '../ground/rate-limited-log';
import { Tracer } from '../ground/tracer';
import { VERSION } from '../ground/version';
import type { Settings } from '../settings/settings';

export interface TracerTools {
  journal: Journal;
  clock: Clock;
  log: Log;
  /** The leader records those that other daemons store too. */
  recordsEvents: boolean;
}

/** Loads OpenTelemetry only if the settings ask for it: it would add to the start and the memory of every daemon. */
export async function openTracer(
  { openTelemetry }: Settings,
  { journal, clock, log, recordsEvents }: TracerTools,
): Promise<Tracer> {
  if (openTelemetry === null) return new Tracer();
  const { OpenTelemetryTracer } = await import('./open-telemetry-tracer.js');
  const limited = new RateLimitedLog(log);
  const tracer = new OpenTelemetryTracer(openTelemetry, VERSION, (reason) =>
    limited.warn({ reason }, 'spans not sent'),
  );
  const { instanceId } = journal;
  if (!recordsEvents) return tracer;
  journal.onCommit(({ events }) => {
    const committedAt = clock.now();
    for (const { seq, draft } of events) {
      const { receivedAt, type, signatureHeader } = draft;
      tracer.recordEvent({
        traceId: traceId(receivedAt, seq, instanceId),
        id: eventId(receivedAt, seq, instanceId),
        type,
        isUnsigned: signatureHeader === '',
        receivedAt,
        committedAt,
      });
    }
  });
  return tracer;
}
