import { createClient, SwitchboardProblem } from '../../../src/client/client';
import { consume, follow, type ConsumeOptions, type FollowOptions } from '../../../src/client/events';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

let switchboard: Switchboard;
/** How many of the next requests get no answer, though the hub may have done what they ask for. */
let lost = 0;
/** The position behind a loss, which the hub reports in response to the next request; empty for none. */
let behindLoss = '';
const cutting = async (url: string, init: RequestInit) => {
  if (behindLoss !== '') return removed();
  const response = await fetch(url, init);
  if (lost === 0) return response;
  lost -= 1;
  throw new TypeError('fetch failed');
};
function removed(): Response {
  const problem = {
    code: 'position_pruned',
    detail: '2 events are gone.',
    missed: 2,
    oldest_cursor: behindLoss,
  };
  behindLoss = '';
  return new Response(JSON.stringify(problem), { status: 410 });
}
const client = (send = cutting, token = switchboard.adminToken) =>
  createClient({ hub: `${switchboard.origin}/`, token, fetch: send });

beforeAll(async () => {
  switchboard = await Switchboard.start();
});
afterEach(() => {
  lost = 0;
});
afterAll(() => switchboard.end());

/** The ids that a loop sees, and its end. */
function following(options: FollowOptions) {
  const ids: string[] = [];
  const ended = (async () => {
    for await (const { id } of follow(client(), options)) ids.push(id);
  })();
  return { ids, ended };
}

function consuming(name: string, options: ConsumeOptions, handler?: (id: string) => unknown) {
  const ids: string[] = [];
  const handle = async ({ id }: { id: string }) => {
    await handler?.(id);
    ids.push(id);
  };
  return { ids, ended: consume(client(), name, handle, options) };
}

/** A consumer of the events of a kind, with the name of the kind. */
const create = (name: string) =>
  client().request('POST', '/api/v1/consumers', { body: { name, types: [`${name}.*`], start: 'oldest' } });
/** What of an id says where it is; in a position there is nothing else. */
const placeIn = (id: string | null) => id?.slice(-16);
const positionOf = async (name: string) =>
  placeIn((await client(fetch).request('GET', '/api/v1/consumers/{name}', { path: { name } })).position);

it('following goes on where it was when answers are lost, and ends with the signal', async () => {
  const end = new AbortController();
  const first = await switchboard.emit('lead.created');
  const { ids, ended } = following({ after: 'oldest', type: ['lead.*'], signal: end.signal });
  await until('the first event', () => ids.length === 1);
  lost = 2;
  const more = [await switchboard.emit('lead.updated'), await switchboard.emit('lead.won')];
  await until('all events', () => ids.length === 3);
  expect(ids).toEqual([first, ...more]);
  end.abort();
  await ended;
});

it('consuming commits what was handled: nothing twice, and nothing lost that the handler throws at', async () => {
  const end = new AbortController();
  const [first, second] = [await switchboard.emit('order.created'), await switchboard.emit('order.updated')];
  await create('order');
  const stop = new AbortController();
  const failing = consuming('order', { signal: stop.signal }, (id) => {
    if (id !== second) return;
    stop.abort();
    throw new Error('No room.');
  });
  await expect(failing.ended).rejects.toThrow('No room.');
  expect([failing.ids, await positionOf('order')]).toEqual([[first], placeIn(first)]);
  // The lease was given back, so that it need not be taken over.
  const going = consuming('order', { signal: end.signal });
  await until('the second event', () => going.ids.length === 1);
  lost = 2;
  const third = await switchboard.emit('order.won');
  await until('the third event', async () => (await positionOf('order')) === placeIn(third));
  expect(new Set(going.ids)).toEqual(new Set([second, third]));
  await expect(consuming('order', {}).ended).rejects.toMatchObject({ code: 'consumer_leased', status: 409 });
  end.abort();
  await going.ended;
});

it('events that were removed before they were read are a problem, unless the loss is accepted', async () => {
  const [gone, kept] = [await switchboard.emit('visit.created'), await switchboard.emit('visit.updated')];
  await create('visit');
  const lose = () => (behindLoss = gone);
  lose();
  await expect(following({ after: 'oldest' }).ended).rejects.toMatchObject({ code: 'position_pruned' });
  lose();
  await expect(consuming('visit', {}).ended).rejects.toBeInstanceOf(SwitchboardProblem);
  const losses: number[] = [];
  const end = new AbortController();
  const options = { signal: end.signal, onLoss: (missed: number) => losses.push(missed) };
  lose();
  const followed = following({ after: 'oldest', type: ['visit.*'], ...options });
  lose();
  const consumed = consuming('visit', options);
  await until('what is kept', () => followed.ids.length + consumed.ids.length >= 2);
  expect([followed.ids, consumed.ids, losses]).toEqual([[kept], [kept], [2, 2]]);
  end.abort();
  await Promise.all([followed.ended, consumed.ended]);
});

it('a refusal, and an answer of something else, are problems with a code', async () => {
  const refused = client(fetch, 'wrong').request('GET', '/api/v1/events');
  await expect(refused).rejects.toMatchObject({ code: 'unauthorized', status: 401, title: 'Unauthorized' });
  const elsewhere = createClient({ hub: `${switchboard.origin}/elsewhere`, token: '' });
  await expect(elsewhere.request('GET', '/api/v1/events')).rejects.toMatchObject({ code: 'not_found' });
  const page = createClient({
    hub: '',
    token: '',
    fetch: async () => new Response('<html>', { status: 502 }),
  });
  await expect(page.request('GET', '/api/v1/events')).rejects.toMatchObject({
    code: 'not_a_hub',
    status: 502,
  });
});
