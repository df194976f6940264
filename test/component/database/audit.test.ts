import { Writable } from 'node:stream';
import { pino } from 'pino';
import { AuditStore } from '../../../src/relay/audit/audit.store';
import type { Statement } from '../../../src/relay/database/journal/statements';
import { AuditedAction, runAudited, setAuditSubject } from '../../../src/relay/ground/audit-context';
import { clockAt } from '../../support/clock';
import { onEachEngine } from '../../support/daemon/on-each-engine';
import { START, type ScratchStore } from '../../support/daemon/scratch-journal';

const actor = { kind: 'admin_token' as const, id: null, name: null };
const newAction = (action = 'probe.change') => new AuditedAction({ actor, action, address: '127.0.0.1' });
const beat = (at: number): Statement => ['INSERT INTO heartbeat(id, at, expecting) VALUES (1, ?, 0)', [at]];
const FAULTY: Statement = ['INSERT INTO heartbeat(id, at, expecting) VALUES (7, 0, 0)', []];

onEachEngine('the audit log', (open) => {
  let scratch: ScratchStore;
  let audit: AuditStore;
  beforeEach(async () => {
    scratch = await open();
    const log = pino(new Writable({ write: (_, __, done) => done() }));
    audit = new AuditStore(
      scratch.journal,
      clockAt(() => START),
      log,
    );
  });
  afterEach(() => scratch.remove());

  const entries = () =>
    scratch.rows<{ action: string; error: string | null }>('SELECT action, error FROM audit ORDER BY number');
  const beats = () => scratch.count('heartbeat');

  it('an action is stored with its change, and the change returns only its own rows', async () => {
    const { rows } = await runAudited(newAction(), () =>
      scratch.journal.change({ statements: [beat(1), ['UPDATE heartbeat SET at = 2 RETURNING at', []]] }),
    );
    expect(rows).toEqual([[], [{ at: 2 }]]);
    expect(await entries()).toEqual([{ action: 'probe.change', error: null }]);
    expect(scratch.groups).toHaveLength(1);
  });

  it('a change that fails leaves no entry, and the next one includes it', async () => {
    await runAudited(newAction(), async () => {
      await expect(scratch.journal.change({ statements: [FAULTY] })).rejects.toMatchObject({
        code: 'conflict',
      });
      expect(await entries()).toEqual([]);
      await scratch.journal.change({ statements: [beat(1)] });
    });
    expect(await entries()).toHaveLength(1);
  });

  it('an entry that cannot be stored rolls its change back', async () => {
    await scratch.journal.change({ statements: [['DROP TABLE audit', []]] });
    await expect(
      runAudited(newAction(), () => scratch.journal.change({ statements: [beat(1)] })),
    ).rejects.toMatchObject({
      status: 503,
    });
    expect(await beats()).toBe(0);
  });

  it('an action with several changes has one entry, and changes after its end add none', async () => {
    let later = Promise.resolve<unknown>(undefined);
    await runAudited(newAction(), async () => {
      await scratch.journal.change({ statements: [beat(1)] });
      await scratch.journal.change({ statements: [['UPDATE heartbeat SET at = 2', []]] });
    });
    await runAudited(newAction('probe.nothing'), async () => {
      later = new Promise((resolve) => setImmediate(resolve)).then(() =>
        scratch.journal.change({ statements: [['UPDATE heartbeat SET at = 3', []]] }),
      );
    });
    await later;
    expect(await entries()).toEqual([{ action: 'probe.change', error: null }]);
  });

  const runAction = (name: string) =>
    runAudited(newAction(name), async () => {
      await new Promise((resolve) => setImmediate(resolve));
      setAuditSubject({ id: name, name: null });
      await scratch.journal.change({ statements: [['UPDATE instance SET tag = tag', []]] });
    });

  it('concurrent actions are independent', async () => {
    await Promise.all(['probe.one', 'probe.two', 'probe.three'].map(runAction));
    const found = await scratch.rows<{ action: string; subject_id: string }>(
      'SELECT action, subject_id FROM audit',
    );
    expect(found).toHaveLength(3);
    expect(found.every(({ action, subject_id: subject }) => action === subject)).toBe(true);
  });

  it('an action without changes is recorded when it completes, but not when it fails', async () => {
    const [completed, failed] = [newAction('probe.completed'), newAction('probe.failed')];
    await audit.recordSuccess(completed);
    await audit.recordFailure(failed, 'target_unknown');
    expect(await entries()).toEqual([{ action: 'probe.completed', error: null }]);
  });

  it('an action that failed after its first change has the error', async () => {
    const failing = newAction();
    await runAudited(failing, () => scratch.journal.change({ statements: [beat(1)] }));
    await audit.recordFailure(failing, 'webhook_not_deleted');
    expect(await entries()).toEqual([{ action: 'probe.change', error: 'webhook_not_deleted' }]);
  });

  it('the oldest entries beyond a hundred thousand are removed', async () => {
    await scratch.journal.change({
      statements: [
        [
          `INSERT INTO audit(number, at, actor, action, fields, secret_shown)
       VALUES (-99999, 0, 'session', 'probe.old', '[]', 0), (-99998, 0, 'session', 'probe.young', '[]', 0)`,
          [],
        ],
      ],
    });
    await audit.recordSuccess(newAction('probe.new'));
    expect((await entries()).map(({ action }) => action)).toEqual(['probe.young', 'probe.new']);
  });
});
