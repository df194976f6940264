import * as fc from 'fast-check';
import {
  deliveryId,
  eventId,
  InstanceId,
  keyOfDeliveryId,
  newId,
  seqOfEventId,
  traceId,
} from '../../../src/relay/ground/ids';
import { systemRandom } from '../../../src/relay/ground/random';

const bits = (count: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(count)) - 1n }).map(Number);
const time = bits(48);
const seq = bits(40);
const tag = bits(40);
const instance = tag.map((own) => new InstanceId(own));
const OWN = new InstanceId(3);
/** Length of the prefix and the time in the id of an event. */
const TIME_END = 'evt_'.length + 10;

it('the id of an event contains its seq, which only its own instance can read', () => {
  fc.assert(
    fc.property(time, seq, tag, tag, (at, eventSeq, own, other) => {
      const id = eventId(at, eventSeq, new InstanceId(own));
      expect(id).toMatch(/^evt_[0-9a-z]{26}$/);
      expect(seqOfEventId(id, new InstanceId(own))).toBe(eventSeq);
      if (other !== own) expect(seqOfEventId(id, new InstanceId(other))).toBeNull();
    }),
  );
});

it('ids of events sort in order of arrival, even within a millisecond', () => {
  fc.assert(
    fc.property(time, time, seq, seq, instance, (atA, atB, seqA, seqB, own) => {
      const [idA, idB] = [eventId(atA, seqA, own), eventId(atB, seqB, own)];
      expect(idA === idB ? 0 : idA < idB ? -1 : 1).toBe(Math.sign(atA - atB || seqA - seqB));
    }),
  );
});

it('the id of a delivery contains its key', () => {
  fc.assert(
    fc.property(seq, bits(25), bits(25), instance, (eventSeq, target, n, own) => {
      const key = { seq: eventSeq, target, n };
      const id = deliveryId(key, own);
      expect(id).toMatch(/^dlv_[0-9a-z]{26}$/);
      expect(keyOfDeliveryId(id, own)).toEqual(key);
    }),
  );
});

it('what was stored before a restore keeps its ids, and what follows gets those of a new instance', () => {
  fc.assert(
    fc.property(time, seq, tag, tag, seq, (at, eventSeq, before, after, through) => {
      const own = new InstanceId(after, [{ tag: before, through_seq: through }]);
      const since = new InstanceId(eventSeq <= through ? before : after);
      const key = { seq: eventSeq, target: 1, n: 0 };
      expect(eventId(at, eventSeq, own)).toBe(eventId(at, eventSeq, since));
      expect(seqOfEventId(eventId(at, eventSeq, since), own)).toBe(eventSeq);
      expect(keyOfDeliveryId(deliveryId(key, since), own)).toEqual(key);
    }),
  );
});

/** Texts that end like the ids of the instance `OWN`; some of them are ids. */
const idLike = (prefix: string) =>
  fc.stringMatching(/^[0-9a-z]{18}$/).map((key) => `${prefix}_${key}${eventId(0, 0, OWN).slice(-8)}`);

it('a seq is only read from a text that is the id of an event with that seq', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), idLike('evt')), (text) => {
      const found = seqOfEventId(text, OWN);
      if (found !== null) expect(eventId(0, found, OWN).slice(TIME_END)).toBe(text.slice(TIME_END));
    }),
  );
});

it('a key is only read from a text that is the id of a delivery with that key', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), idLike('dlv')), (text) => {
      const key = keyOfDeliveryId(text, OWN);
      if (key !== null) expect(deliveryId(key, OWN)).toBe(text);
    }),
  );
});

it.each([
  ['in capitals', (id: string) => id.toUpperCase()],
  ['with a trailing space', (id: string) => `${id} `],
  ['that is too short', (id: string) => id.slice(0, -1)],
  ['with another prefix', (id: string) => id.replace('evt', 'dlv')],
  ['with a "u", which is not a digit of Crockford’s base 32', (id: string) => id.replace(/.$/, 'u')],
])('an id %s has no seq', (_, change) => {
  expect(seqOfEventId(change(eventId(1, 1, OWN)), OWN)).toBeNull();
});

it('the trace id of an event has 32 hexadecimal digits and differs from that of another event', () => {
  fc.assert(
    fc.property(time, seq, instance, (at, eventSeq, own) => {
      expect(traceId(at, eventSeq, own)).toMatch(/^[0-9a-f]{32}$/);
    }),
  );
  expect(traceId(1, 2, OWN)).not.toBe(traceId(1, 3, OWN));
});

it('random ids differ, and sort by their time', () => {
  const drawn = Array.from({ length: 1_000 }, (_, i) => newId('tgt', 1_000 + i, systemRandom));
  expect(new Set(drawn).size).toBe(1_000);
  expect(drawn.toSorted()).toEqual(drawn);
  expect(drawn[0]).toMatch(/^tgt_[0-9a-z]{26}$/);
});
