import { auditEntry } from '../../../src/contract/audit';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { tokenCreated } from '../../../src/contract/token';
import { snoozes } from '../../../src/contract/snooze';
import { Switchboard } from '../../support/daemon/switchboard';
import { HttpClient } from '../../support/http';

const HOUR = 3_600_000;

let switchboard: Switchboard;

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterAll(() => switchboard.end());

const add = (issue: string, until: string | null) =>
  switchboard.ask('/snoozes', { method: 'POST', json: { issue, until } });
const list = async () => (await switchboard.read(snoozes, '/snoozes')).data;
const inMs = (ms: number) => new Date(switchboard.clock.now() + ms).toISOString();

describe('a snooze', () => {
  it('lasts until its end, across a restart, and is in the audit log', async () => {
    const end = inMs(2 * HOUR);
    expect((await add('target.down:tgt_1', end)).status).toBe(200);
    expect((await add('dead', null)).status).toBe(200);
    await switchboard.restart();
    const found = await list();
    expect(found).toMatchObject([{ issue: 'target.down:tgt_1' }, { issue: 'dead', until: null }]);
    expect(Math.abs(Date.parse(found[0]!.until!) - Date.parse(end))).toBeLessThan(1_000);
    switchboard.clock.move(2 * HOUR + 1_000);
    expect(await list()).toMatchObject([{ issue: 'dead' }]);
    expect((await switchboard.ask('/snoozes/dead', { method: 'DELETE' })).status).toBe(204);
    expect(await list()).toEqual([]);
    const { data } = await switchboard.read(pageOf(auditEntry), '/audit?action=issue.*');
    expect(data.map(({ action, subject, fields }) => [action, subject?.id, fields])).toEqual([
      ['issue.unsnooze', 'dead', []],
      ['issue.snooze', 'dead', ['issue', 'until']],
      ['issue.snooze', 'target.down:tgt_1', ['issue', 'until']],
    ]);
  });

  it('says who acknowledged the issue, and why; a token acts under its own name', async () => {
    const json = { issue: 'dead', until: null, operator: 'Ada', note: 'The receiver is being fixed.' };
    await switchboard.ask('/snoozes', { method: 'POST', json });
    expect(await list()).toMatchObject([{ operator: 'Ada', note: json.note }]);
    const { secret } = await switchboard.read(tokenCreated, '/tokens', {
      method: 'POST',
      json: { name: 'on call', scopes: ['operate'], expires_at: null },
    });
    const headers: [string, string][] = [['authorization', `Bearer ${secret}`]];
    await new HttpClient(switchboard.port).send('/api/v1/snoozes', { method: 'POST', json, headers });
    expect(await list()).toMatchObject([{ operator: 'on call', note: json.note }]);
    await switchboard.ask('/snoozes/dead', { method: 'DELETE' });
  });

  it('replaces that of the same issue, and the oldest are removed beyond 200', async () => {
    for (let n = 0; n <= 200; n += 1) await add(`outage:out_${n}`, inMs(HOUR));
    await add('outage:out_200', inMs(3 * HOUR));
    const found = await list();
    expect(found).toHaveLength(200);
    expect(found[0]).toMatchObject({ issue: 'outage:out_1' });
    expect(found.filter(({ issue }) => issue === 'outage:out_200')).toHaveLength(1);
  });

  it.each([
    [{ issue: 'dead', until: '2020-01-01T00:00:00Z' }, 422, 'snooze_already_over'],
    [{ issue: 'dead' }, 400, 'invalid_request'],
    [{ issue: 'Not an issue', until: null }, 400, 'invalid_request'],
  ])('is rejected as %j', async (json, status, code) => {
    const response = await switchboard.ask('/snoozes', { method: 'POST', json });
    expect([response.status, problem.parse(response.json).code]).toEqual([status, code]);
  });

  it('cannot be removed twice', async () => {
    const { status, json } = await switchboard.ask('/snoozes/ack', { method: 'DELETE' });
    expect([status, problem.parse(json).code]).toEqual([404, 'snooze_unknown']);
  });
});
