import type { Stats } from '../../../src/contract/stats';

export const NOW = Date.parse('2026-03-02T09:30:00.000Z');
export const ago = (ms: number) => new Date(NOW - ms).toISOString();
export const HOUR_MS = 3_600_000;

export const stats = (parts: Partial<Stats> = {}): Stats => ({
  started_at: ago(HOUR_MS),
  last_seq: 1,
  received: { accepted: 1, duplicate: 0, rejected: 0, not_stored: 0 },
  not_stored: [],
  ack_ms: null,
  deliveries: { open: 0, in_flight: 0, dead: 0, oldest_open_at: null },
  step_seconds: 5,
  series: [],
  ...parts,
});
