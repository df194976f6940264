import * as fc from 'fast-check';
import {
  deliveryId,
  eventId,
  keyOfDeliveryId,
  newId,
  seqOfEventId,
  traceId,
} from '../../../src/relay/ground/ids';
import { systemRandom } from '../../../src/relay/ground/random';

const bits = (count: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(count)) - 1n }).map(Number);
const time = bits(48);
const seq = bits(40);
const hub = bits(40);

it('the id of an event gives back its seq, to its own hub alone', () => {
  fc.assert(
    fc.property(time, seq, hub, hub, (at, one, own, other) => {
      const id = eventId(at, one, own);
      expect(id).toMatch(/^evt_[0-9a-z]{26}$/);
      expect(seqOfEventId(id, own)).toBe(one);
      if (other !== own) expect(seqOfEventId(id, other)).toBeNull();
    }),
  );
});

it('ids of events sort as they came, within a millisecond as well', () => {
  fc.assert(
    fc.property(time, time, seq, seq, hub, (at, later, one, next, own) => {
      const [first, last] = [eventId(at, one, own), eventId(later, next, own)];
      const order = Math.sign(at - later || one - next);
      expect(first === last ? 0 : first < last ? -1 : 1).toBe(order);
    }),
  );
});

it('the id of a delivery gives back its key', () => {
  fc.assert(
    fc.property(seq, bits(25), bits(25), hub, (one, target, n, own) => {
      const id = deliveryId({ seq: one, target, n }, own);
      expect(id).toMatch(/^dlv_[0-9a-z]{26}$/);
      expect(keyOfDeliveryId(id, own)).toEqual({ seq: one, target, n });
    }),
  );
});

it('what is no id gives back nothing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^(evt|dlv)_[0-9a-z]{26}$/)), hub, (text, own) => {
      const found = seqOfEventId(text, own);
      if (found !== null) expect(eventId(0, found, own).slice(14)).toBe(text.slice(14));
      const key = keyOfDeliveryId(text, own);
      if (key !== null) expect(deliveryId(key, own)).toBe(text);
    }),
  );
  const good = eventId(1, 1, 1);
  for (const wrong of [
    good.toUpperCase(),
    `${good} `,
    good.slice(0, -1),
    good.replace('evt', 'dlv'),
    good.replace(/.$/, 'u'),
  ]) {
    expect(seqOfEventId(wrong, 1)).toBeNull();
  }
});

it('the trace of an event is its own, and well formed', () => {
  fc.assert(
    fc.property(time, seq, hub, (at, one, own) => {
      expect(traceId(at, one, own)).toMatch(/^[0-9a-f]{32}$/);
    }),
  );
  expect(traceId(1, 2, 3)).not.toBe(traceId(1, 3, 3));
});

it('ids that are drawn differ, and sort by their time', () => {
  const drawn = Array.from({ length: 1_000 }, (_, i) => newId('tgt', 1_000 + i, systemRandom));
  expect(new Set(drawn).size).toBe(1_000);
  expect(drawn.toSorted()).toEqual(drawn);
  expect(drawn[0]).toMatch(/^tgt_[0-9a-z]{26}$/);
});
