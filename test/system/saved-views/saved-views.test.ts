import { auditEntry } from '../../../src/contract/audit';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { savedView, savedViews } from '../../../src/contract/saved-view';
import { Switchboard } from '../../support/daemon/switchboard';

const FAILED = { name: 'Failed deals', address: '/events?type=deal.*&status=dead' };

let switchboard: Switchboard;

beforeAll(async () => {
  switchboard = await Switchboard.start();
});
afterAll(() => switchboard.end());

const save = (json: object) => switchboard.read(savedView, '/saved-views', { method: 'POST', json });
const list = async () => (await switchboard.read(savedViews, '/saved-views')).data;

/** The status and the code of what is refused. */
async function refused(method: string, path: string, json?: object) {
  const { status, json: answer } = await switchboard.ask(`/saved-views${path}`, {
    method,
    ...(json && { json }),
  });
  return [status, problem.parse(answer).code];
}

describe('a saved view', () => {
  it('is listed by name, renamed, pinned and deleted, also after a restart, and is in the audit log', async () => {
    const failed = await save(FAILED);
    const all = await save({ name: 'all', address: '/events', pinned: true });
    expect(await list()).toEqual([all, { ...failed, pinned: false }]);
    const json = { name: 'Deals that failed', pinned: true };
    const changed = await switchboard.read(savedView, `/saved-views/${failed.id}`, { method: 'PATCH', json });
    expect(changed).toEqual({ ...failed, ...json });
    await switchboard.restart();
    expect(await list()).toEqual([all, changed]);
    expect((await switchboard.ask(`/saved-views/${all.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await list()).toEqual([changed]);
    expect(await refused('DELETE', `/${all.id}`)).toEqual([404, 'saved_view_unknown']);
    const { data } = await switchboard.read(pageOf(auditEntry), '/audit?action=saved_view.*&limit=3');
    expect(data.map(({ action, subject }) => [action, subject?.name])).toEqual([
      ['saved_view.remove', 'all'],
      ['saved_view.change', 'Deals that failed'],
      ['saved_view.create', 'all'],
    ]);
  });

  it('has a name that no other has, in any case, and may be given its own in another one', async () => {
    const { id } = await save({ ...FAILED, name: 'Über Nacht' });
    expect(await refused('POST', '', { ...FAILED, name: 'ÜBER  nacht' })).toEqual([
      409,
      'saved_view_name_taken',
    ]);
    const other = await save({ ...FAILED, name: 'other' });
    expect(await refused('PATCH', `/${other.id}`, { name: 'über nacht' })).toEqual([
      409,
      'saved_view_name_taken',
    ]);
    const json = { name: 'über nacht' };
    expect(await switchboard.read(savedView, `/saved-views/${id}`, { method: 'PATCH', json })).toMatchObject(
      json,
    );
  });

  it.each([
    { name: 'elsewhere', address: 'https://example.com/' },
    { name: 'elsewhere', address: '//example.com/' },
    { name: 'elsewhere', address: '/events#fragment' },
    { name: ' ', address: '/events' },
    { address: '/events' },
  ])('is refused as %j', async (json) => {
    expect(await refused('POST', '', json)).toEqual([400, 'invalid_request']);
  });

  it('is one of at most 100', async () => {
    const { length } = await list();
    for (let n = length; n < 100; n += 1) await save({ ...FAILED, name: `view ${n}` });
    expect(await refused('POST', '', { ...FAILED, name: 'one more' })).toEqual([409, 'too_many_saved_views']);
  });
});
