import type { RecordingTarget } from '../fakes/recording-target';

/** The fields of answers that further requests need. */
export interface Json {
  id: string;
  type: string;
  state: string;
  status: string;
  total: number;
  done: number;
  lease: string;
  next_cursor: string;
  until_seq: number;
  latest: object | null;
  first: { status: string };
  report: { succeeded: number }[];
  reported: object[];
  data: Json[];
}

export const isHeld = ({ state, first: event }: Json) => state === 'held' && event.status === 'succeeded';
export const isDelivered = ({ status }: Json) => status === 'succeeded';
export const hook = ({ port }: RecordingTarget) => `http://127.0.0.1:${port}/hook`;
export const deal = (id: number) => ({
  nonce: undefined,
  id,
  name: 'Solar roof, Example Ltd.',
  status_id: 2,
  price: 12_500,
});
