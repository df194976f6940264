import { fastify, type FastifyInstance } from 'fastify';
import { paceRequests } from '../../../src/relay/http/pace-requests';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('concurrent requests', () => {
  let server: FastifyInstance;
  /** In the order in which they were started. */
  let begun: number[];

  beforeEach(async () => {
    begun = [];
    server = fastify();
    paceRequests(server);
    server.get<{ Params: { n: string } }>('/:n', ({ params }) => {
      begun.push(Number(params.n));
      return params.n;
    });
    await server.ready();
  });
  afterEach(() => server.close());

  it('start a few per turn of the event loop, in order, and each is answered', async () => {
    const asked = Array.from({ length: 100 }, (_, n) => server.inject(`/${n}`));
    const turns: number[] = [];
    for (let before = 0; begun.length < 100; before = begun.length) {
      await nextTurn();
      turns.push(begun.length - before);
    }
    // A turn ends between the requests that the hook counts.
    expect(Math.max(...turns)).toBeLessThanOrEqual(8);
    expect(turns.filter((count) => count > 0).length).toBeGreaterThanOrEqual(13);
    expect(begun).toEqual(Array.from({ length: 100 }, (_, n) => n));
    const answers = await Promise.all(asked);
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
  });

  it('start at once if there are few', async () => {
    for (let n = 0; n < 20; n += 1) expect((await server.inject(`/${n}`)).body).toBe(String(n));
  });
});
