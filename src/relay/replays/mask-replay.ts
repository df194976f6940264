import type { ReplaySummary } from '../../contract/replay';
import { maskFilter } from '../filters/masked-filter';
import { MASKED, type PayloadMask } from '../filters/payload-mask';

/** A replay as a caller with this mask may see it: its conditions may contain what they were chosen by. */
export function maskReplay<Shown extends ReplaySummary>(replay: Shown, mask: PayloadMask | null): Shown {
  if (mask === null) return replay;
  const { q, payload, ...filter } = replay.filter;
  return {
    ...replay,
    filter: {
      ...filter,
      ...(q !== undefined && { q: MASKED }),
      ...(payload !== undefined && { payload: maskFilter(payload, mask) }),
    },
  };
}
