import type { PayloadChange } from '../../../src/contract/payload-type';
import type { Alert } from '../../../src/relay/events/alert';
import { PayloadAlertsWorker } from '../../../src/relay/system-events/payload-alerts.worker';

const EVENT = 'evt_01m89pb4jx6yavtvbj3e16fpr2';
const ADDED: PayloadChange = {
  path: 'data.note',
  change: 'added',
  before: null,
  after: 'string',
  event_id: EVENT,
};
const MISSING: PayloadChange = {
  path: 'data.id',
  change: 'missing',
  before: 'required',
  after: 'optional',
  event_id: EVENT,
};

let changed: { type: string; version: number; changes: PayloadChange[] }[];
let active: Alert[];
let raised: number;
let worker: PayloadAlertsWorker;

beforeEach(() => {
  [active, raised] = [[], 0];
  const alerts = {
    active: () => active,
    raise: (alert: Alert) => {
      raised += 1;
      active = [...active.filter(({ subject }) => subject !== alert.subject), alert];
    },
    resolve: (_: string, subject: string) => (active = active.filter((one) => one.subject !== subject)),
  };
  worker = new PayloadAlertsWorker(
    { changed: () => changed } as never,
    alerts as never,
    { mask: null } as never,
  );
});

it('says once what has changed, by which event, until that is accepted', () => {
  changed = [{ type: 'deal.updated', version: 3, changes: [ADDED, MISSING] }];
  worker.tick();
  worker.tick();
  expect(raised).toBe(1);
  expect(active).toMatchObject([
    {
      type: 'relay.payload.changed',
      subject: 'deal.updated',
      severity: 'warning',
      sentence: 'The payloads of deal.updated have changed: data.note is new, data.id may be missing.',
      data: { type: 'deal.updated', version: 3, previous_version: 2, changes: [ADDED, MISSING] },
    },
  ]);
  changed = [];
  worker.tick();
  expect(active).toEqual([]);
});

it('is only a remark if nothing but additions was seen, and is raised again for the next version', () => {
  changed = [{ type: 'deal.updated', version: 2, changes: [ADDED] }];
  worker.tick();
  expect(active).toMatchObject([{ severity: 'info' }]);
  changed = [{ type: 'deal.updated', version: 3, changes: [MISSING, ADDED, ADDED, ADDED, ADDED] }];
  worker.tick();
  expect([raised, active]).toMatchObject([2, [{ severity: 'warning', data: { version: 3 } }]]);
  expect(active[0]!.sentence).toContain('data.note is new, and 2 more.');
});
