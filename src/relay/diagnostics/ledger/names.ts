import { deliveryId, eventId, type DeliveryKey } from '../../ground/ids';
import type { Read } from './read';

/** How findings name records: by the ids of the API, with the numbers of the database. */
export interface Names {
  event(seq: number, receivedAt: number): string;
  delivery(key: DeliveryKey): string;
  target(number: number): string;
}

export async function readNames(read: Read): Promise<Names> {
  const [instance] = await read<{ tag: number }>(['SELECT tag FROM instance', []]);
  const rows = await read<{ number: number; name: string }>(['SELECT number, name FROM targets', []]);
  const targets = new Map(rows.map(({ number, name }) => [number, name]));
  const target = (number: number) => {
    const name = targets.get(number);
    return name === undefined ? `target ${number}` : `"${name}"`;
  };
  return {
    target,
    event: (seq, receivedAt) => `Event ${seq} (${eventId(receivedAt, seq, instance!.tag)})`,
    delivery: (key) =>
      `Delivery ${key.n} of event ${key.seq} to ${target(key.target)} (${deliveryId(key, instance!.tag)})`,
  };
}
