import type { DataSource } from 'typeorm';
import type { Committed, Journal } from '../../../src/relay/database/journal/journal';
import type { Reader } from '../../../src/relay/database/reading/reader';
import { Backlog } from '../../../src/relay/deliveries/queue/backlog';
import type { Leadership } from '../../../src/relay/ground/leadership';
import type { Log } from '../../../src/relay/ground/log';
import { Signal } from '../../../src/relay/ground/signal';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import type { TargetsService } from '../../../src/relay/targets/targets.service';
import { FixedClock } from '../../support/clock';

const NOTHING: Committed = {
  events: [],
  scheduled: [],
  results: [],
  ended: [],
  promoted: [],
  erased: [],
  deadLetters: [],
};

it('is never below zero, though the result of another daemon is known before its event', () => {
  const commits = new Signal<[Committed]>();
  const backlog = new Backlog(
    {} as DataSource,
    {} as Reader,
    { onChange: () => undefined, byNumber: () => ({}) } as unknown as TargetsService,
    {
      onCommit: (listener: (committed: Committed) => void) => commits.subscribe(listener),
    } as unknown as Journal,
    {} as Leadership,
    new TimeBounds(new FixedClock(0)),
    {} as Log,
  );
  const result = { key: { seq: 1, target: 7, n: 0 }, state: 'succeeded' } as Committed['results'][number];
  commits.emit({ ...NOTHING, results: [result] });
  expect([backlog.queued(7), backlog.queuedTotal]).toEqual([0, 0]);
  const draft = {} as Committed['events'][number]['draft'];
  const planned = [{ target: 7, lane: null }];
  commits.emit({ ...NOTHING, events: [{ seq: 1, draft, planned }] });
  expect([backlog.queued(7), backlog.queuedTotal]).toEqual([0, 0]);
  commits.emit({ ...NOTHING, events: [{ seq: 2, draft, planned }] });
  expect([backlog.queued(7), backlog.queuedTotal]).toEqual([1, 1]);
});
