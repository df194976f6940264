import { useEffect, useState } from 'react';
import { useLive } from '../../live/live-context';

const COUNTED = 1_000;

/** How many of an entity's events have arrived since the newest that is shown; at most a thousand. */
export function useNewerEvents(entity: string, newestSeq: number): number {
  const live = useLive();
  const [seqs, setSeqs] = useState<readonly number[]>([]);
  useEffect(
    () =>
      live.on('events', (stored) => {
        const more = stored.filter((event) => event.entity === entity).map(({ seq }) => seq);
        if (more.length > 0) setSeqs((before) => [...before, ...more].slice(-COUNTED));
      }),
    [live, entity],
  );
  return seqs.filter((seq) => seq > newestSeq).length;
}
