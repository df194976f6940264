import type { ConsumerEvents } from '../../contract/consumer';
import { CommandFailed } from '../command-failed';
import type { HubClient } from './hub-client';
import { behindLoss, pageSize, parsePage, type TailFlags, type TailPage } from './tail-page';

const RELEASE_MS = 2_000;

/**
 * What a consumer of the hub has not read. A page is committed when the next one is asked for, after its lines were
 * written. A lease that ran out while the connection was lost is taken again, unless another reader has it. At the end
 * it is given back.
 */
export async function* consume(
  hub: HubClient,
  name: string,
  flags: TailFlags,
  signal: AbortSignal,
): AsyncGenerator<TailPage> {
  let lease: string | undefined;
  let isFirst = true;
  const options = () => ({
    path: { name },
    signal,
    patient: flags.follow && !isFirst,
    isRepeatable: true,
  });
  try {
    for (let left = flags.limit ?? Infinity; left > 0;) {
      const size = pageSize(left, flags);
      try {
        const body = { ...size, lease, take_over: isFirst && flags.takeOver };
        const text = await hub.requestText('POST', '/api/v1/consumers/{name}/read', {
          ...options(),
          body,
          waitMs: 1_000 * size.wait,
        });
        isFirst = false;
        const page = parsePage(text);
        lease = (JSON.parse(text) as ConsumerEvents).lease;
        yield page;
        if (page.data.length > 0)
          await hub.request('POST', '/api/v1/consumers/{name}/commit', {
            ...options(),
            body: { lease, position: page.next_cursor },
          });
        left -= page.data.length;
        if (!flags.follow && page.lag === 0) return;
      } catch (error) {
        const isLost = error instanceof CommandFailed && error.code === 'lease_lost';
        if (!isLost)
          await hub.request('POST', '/api/v1/consumers/{name}/reset', {
            ...options(),
            body: { position: behindLoss(error) },
          });
        lease = undefined;
      }
    }
  } finally {
    // Otherwise the next reader would have to wait for its end.
    if (lease !== undefined)
      await hub
        .request('POST', '/api/v1/consumers/{name}/release', {
          path: { name },
          body: { lease },
          timeoutMs: RELEASE_MS,
        })
        .catch(() => undefined);
  }
}
