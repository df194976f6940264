import { Writable } from 'node:stream';
import { pino } from 'pino';
import { type AuditLog as Audit, AuditLog } from '../../../src/relay/audit/audit-log';
import type { Statement } from '../../../src/relay/database/journal';
import { AuditedAction, runAudited, setAuditSubject } from '../../../src/relay/ground/audit-context';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { clockAt } from '../../support/clock';
import { ScratchJournal, START } from './scratch-journal';

let scratch: ScratchJournal;
let audit: Audit;
beforeEach(async () => {
  scratch = await ScratchJournal.open();
  const log = pino(new Writable({ write: (_, __, done) => done() }));
  audit = new AuditLog(
    scratch.journal,
    clockAt(() => START),
    log,
  );
});
afterEach(() => scratch.remove());

const actor = { kind: 'admin_token' as const, id: null, name: null };
const newAct = (action = 'probe.change') => new AuditedAction({ actor, action, address: '127.0.0.1' });
const beat = (at: number): Statement => ['INSERT INTO heartbeat(id, at, expecting) VALUES (1, ?, 0)', [at]];
const FAULTY: Statement = ['INSERT INTO heartbeat(id, at, expecting) VALUES (7, 0, 0)', []];

function read<Row>(sql: string): Row[] {
  const connection = new sqliteDriver(scratch.file, { readonly: true });
  const rows = connection.prepare(sql).all() as Row[];
  connection.close();
  return rows;
}
const entries = () =>
  read<{ action: string; error: string | null }>('SELECT action, error FROM audit ORDER BY number');
const beats = () => read('SELECT * FROM heartbeat').length;

it('an act is stored with its change, and the change is told what it returned and nothing else', async () => {
  const { rows } = await runAudited(newAct(), () =>
    scratch.journal.change([beat(1), ['UPDATE heartbeat SET at = 2 RETURNING at', []]]),
  );
  expect(rows).toEqual([[], [{ at: 2 }]]);
  expect(entries()).toEqual([{ action: 'probe.change', error: null }]);
  expect(scratch.groups).toHaveLength(1);
});

it('a change that is not stored leaves no entry, and the next one takes it along', async () => {
  await runAudited(newAct(), async () => {
    await expect(scratch.journal.change([FAULTY])).rejects.toMatchObject({ code: 'conflict' });
    expect(entries()).toEqual([]);
    await scratch.journal.change([beat(1)]);
  });
  expect(entries()).toHaveLength(1);
});

it('an entry that cannot be stored takes its change back', async () => {
  await scratch.journal.change([['DROP TABLE audit', []]]);
  await expect(runAudited(newAct(), () => scratch.journal.change([beat(1)]))).rejects.toMatchObject({
    status: 503,
  });
  expect(beats()).toBe(0);
});

it('an act of several changes is one entry, and what is left running after it adds none', async () => {
  let later = Promise.resolve<unknown>(undefined);
  await runAudited(newAct(), async () => {
    await scratch.journal.change([beat(1)]);
    await scratch.journal.change([['UPDATE heartbeat SET at = 2', []]]);
  });
  await runAudited(newAct('probe.nothing'), async () => {
    later = new Promise((resolve) => setImmediate(resolve)).then(() =>
      scratch.journal.change([['UPDATE heartbeat SET at = 3', []]]),
    );
  });
  await later;
  expect(entries()).toEqual([{ action: 'probe.change', error: null }]);
});

const act = (name: string) =>
  runAudited(newAct(name), async () => {
    await new Promise((resolve) => setImmediate(resolve));
    setAuditSubject({ id: name, name: null });
    await scratch.journal.change([['UPDATE instance SET tag = tag', []]]);
  });

it('acts under way at once keep apart', async () => {
  await Promise.all(['one.act', 'two.act', 'three.act'].map(act));
  const found = read<{ action: string; subject_id: string }>('SELECT action, subject_id FROM audit');
  expect(found).toHaveLength(3);
  expect(found.every(({ action, subject_id: subject }) => action === subject)).toBe(true);
});

it('an act that stored nothing is written after it, one that failed then is not', async () => {
  const [through, failed] = [newAct('probe.through'), newAct('probe.failed')];
  await audit.completed(through);
  await audit.failed(failed, 'target_unknown');
  expect(entries()).toEqual([{ action: 'probe.through', error: null }]);
});

it('an act that failed half way says how', async () => {
  const failing = newAct();
  await runAudited(failing, () => scratch.journal.change([beat(1)]));
  await audit.failed(failing, 'webhook_not_deleted');
  expect(entries()).toEqual([{ action: 'probe.change', error: 'webhook_not_deleted' }]);
});

it('the oldest go first beyond a hundred thousand', async () => {
  await scratch.journal.change([
    [
      `INSERT INTO audit(number, at, actor, action, fields, secret_shown)
       VALUES (1, 0, 'session', 'probe.old', '[]', 0), (2, 0, 'session', 'probe.young', '[]', 0),
         (100000, 0, 'session', 'probe.last', '[]', 0)`,
      [],
    ],
  ]);
  await audit.completed(newAct('probe.new'));
  expect(entries().map(({ action }) => action)).toEqual(['probe.young', 'probe.last', 'probe.new']);
});
