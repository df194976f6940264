import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { ReplayDetail, ReplayPreview, ReplaySummary } from '../../../src/contract/replay';
import type { Scope } from '../../../src/contract/token';
import { HubCommands } from '../../support/daemon/hub-commands';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { startInProcess } from '../../support/daemon/run-in-process';
import { until } from '../../support/until';

const MAIN = resolve(__dirname, '../../../dist/main.js');
const EVENTS = 2_000;

let hub: Switchboard;
let target: RecordingTarget;
let commands: HubCommands;

beforeAll(async () => {
  hub = await Switchboard.start();
  target = await RecordingTarget.start();
  await hub.addTarget('shop', target.url, ['*'], { policy: { retry: { delays_s: [] } } });
  for (let id = 1; id <= 4; id += 1) await hub.emit('deal.created', { id });
  await until('all are delivered', () => target.hits.length === 4);
  commands = new HubCommands(hub);
});

afterEach(() => target.respondWith(200));

afterAll(async () => {
  await hub.end();
  await target.close();
});

const replay = (flags: readonly string[], token: Scope | 'wrong' = 'operate') =>
  commands.run(['replay', ...flags], token);
const replays = async () => ((await hub.ask('/replays')).json as { data: ReplaySummary[] }).data;
const lines = (text: string) => text.trimEnd().split('\n');

describe('replay', () => {
  it('with --dry-run shows what would be sent, and sends nothing', async () => {
    const { code, out } = await replay(['--all', '--dry-run']);
    expect(code).toBe(0);
    expect(out).toMatch(/^events +4\nreceived +\S+Z to \S+Z\n(.*\n)*deliveries +4\nto +shop 4$/m);
    const json = await replay(['--entity', 'deal:2', '--dry-run', '--json']);
    expect(JSON.parse(json.out) as ReplayPreview).toMatchObject({ events: 1, deliveries: 1 });
    expect(await replays()).toEqual([]);
  });

  it.each([
    ['nothing says which events', ['--yes'], undefined, 2, /No flag says which events\. Use/],
    ['all and some are chosen', ['--all', '--type', 'deal.*', '--yes'], undefined, 2, /--all selects all/],
    ['there is no terminal to confirm on', ['--all'], undefined, 2, /Not replayed: .* Use --yes/],
    [
      'a rate and a pace are given',
      ['--all', '--rate', '2/s', '--pace', '2x'],
      undefined,
      2,
      /cannot be used/,
    ],
    ['a target is unknown', ['--all', '--to', 'nope', '--yes'], undefined, 1, /no target "nope"/],
    ['the payload is not JSON', ['--payload', '{', '--yes'], undefined, 2, /--payload is not JSON/],
    ['the token may only read', ['--all', '--yes'], 'read', 77, /operate/],
    ['the token is wrong', ['--all', '--yes'], 'wrong', 77, /switchboard login/],
  ] as const)('sends nothing if %s', async (_, flags, token, code, sentence) => {
    const result = await replay(flags, token);
    expect({ code: result.code, out: result.out }).toEqual({ code, out: '' });
    expect(result.err).toMatch(sentence);
    const json = await replay([...flags, '--json'], token);
    expect(JSON.parse(lines(json.err).at(-1)!)).toMatchObject({ code: expect.any(String) });
    expect(await replays()).toEqual([]);
  });

  it('sends again, waits for the end and says what became of it', async () => {
    const before = target.hits.length;
    const { code, out, err } = await replay(['--type', 'deal.*', '--yes']);
    expect({ code, hub: lines(err)[0] }).toEqual({ code: 0, hub: `Hub: ${hub.origin} (SWITCHBOARD_HUB)` });
    expect(out).toMatch(/^state +done$/m);
    expect(out).toMatch(/^shop +4 +0 +4 +0 +0$/m);
    expect(target.hits.length).toBe(before + 4);
  });

  it('ends with 3 if there are dead letters, with the object at each change as JSON', async () => {
    target.respondWith(400);
    const { code, out, err } = await replay(['--entity', 'deal:1', '--yes', '--json']);
    const states = lines(out).map((line) => JSON.parse(line) as ReplayDetail);
    expect({ code, err, last: states.at(-1) }).toMatchObject({
      code: 3,
      err: '',
      last: { state: 'done', report: [{ dead: 1 }] },
    });
    expect(new Set(lines(out)).size).toBe(states.length);
  });

  it('says once what it waits for and how to go on, and ends with 75 after --wait', async () => {
    await commands.run(['targets', 'pause', 'shop', '--reason', 'moving house']);
    const { code, err } = await replay(['--entity', 'deal:1', '--yes', '--wait', '1']);
    expect({ code, last: lines(err).at(-1) }).toEqual({
      code: 75,
      last: expect.stringMatching(/^(rpl_\w{26}) runs on; switchboard replay attach \1$/),
    });
    expect(lines(err).filter((line) => line.startsWith('Waiting'))).toEqual([
      expect.stringMatching(
        /^Waiting for shop, paused since \S+Z: moving house\. To go on: switchboard targets resume shop$/,
      ),
    ]);
    await commands.run(['targets', 'resume', 'shop']);
    expect(await replay(['attach', 'last'])).toMatchObject({ code: 0 });
  });

  it('can be paused, resumed and cancelled, by id or as the last one', async () => {
    const started = await replay(['--all', '--rate', '0.01/s', '--yes', '--detach', '--json']);
    const { id } = JSON.parse(started.out) as ReplayDetail;
    for (const [verb, given, state] of [
      ['pause', id, 'paused'],
      ['resume', 'last', 'running'],
      ['cancel', id, 'cancel'],
    ] as const) {
      const { code, out } = await replay([verb, given]);
      expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(`^${id} is ${state}`) });
    }
    // Its end is waited for, and it was not all sent.
    expect(await replay(['attach', id])).toMatchObject({ code: 3, out: expect.stringMatching(/cancelled/) });
    expect(await replay(['pause', id])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is cancelled/),
    });
    expect(await replay(['cancel', id], 'read')).toMatchObject({ code: 77, out: '' });
  });

  it('lists replays in a table, and as JSON', async () => {
    const table = await replay(['list', '--limit', '1'], 'read');
    expect(table.out).toMatch(
      /^created +id +state +events +waits for\n\S+Z +rpl_\w{26} +cancelled +\d of 4\n$/,
    );
    const json = await replay(['list', '--all', '--json'], 'read');
    expect(lines(json.out).map((line) => (JSON.parse(line) as ReplaySummary).id)).toEqual(
      (await replays()).map(({ id }) => id),
    );
    expect(await replay(['get', 'rpl_none'])).toMatchObject({ code: 1, out: '' });
  });

  it('goes on without the command: Ctrl-C detaches, attach waits through a restart of the hub', async () => {
    for (let id = 0; id < EVENTS; id += 50)
      await Promise.all(Array.from({ length: 50 }, (_, i) => hub.emit('deal.updated', { id: id + i })));
    target.hits.length = 0;
    const flags = ['--type', 'deal.updated', '--pace', '0.01x', '--yes'];
    const env = await commands.environment('operate');
    const child = spawn(process.execPath, [MAIN, 'replay', ...flags], { env });
    let printed = '';
    child.stderr.on('data', (text: Buffer) => (printed += text.toString()));
    await until('it is under way', () => /of 2,000/.test(printed));
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number];
    const id = /rpl_\w{26}/.exec(printed)?.[0];
    expect({ code, last: lines(printed).at(-1) }).toEqual({
      code: 130,
      last: `${id} runs on; switchboard replay attach ${id}`,
    });

    const attached = startInProcess(['replay', 'attach', 'last'], env);
    await until('it is attached', () => /of 2,000/.test(attached.printed.err));
    await hub.stop();
    await until('the loss is said', () => /No hub answers .* until it answers\./.test(attached.printed.err));
    await hub.restart({ PORT: String(hub.port) });
    const isAtEnd = () => {
      hub.clock.move(60_000);
      return attached.printed.out !== '';
    };
    await until('the time that it takes has passed', isAtEnd);
    const result = await attached.ended;
    expect(result).toMatchObject({ code: 0, err: expect.stringContaining('The hub answers again.\n') });
    expect(result.out).toMatch(/^shop +2,000 +0 +2,000 +0 +0$/m);
  });
});
