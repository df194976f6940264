import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { EventSearch } from '../../api/events';
import { exportEvents, type ExportProgress } from '../../api/export-events';
import { saveFile } from '../../components/save-file';

const SHOWN_EVERY_MS = 100;

/** Reads what matches into a file of the browser's downloads, with progress. */
export function useExport() {
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const cancelling = useRef<AbortController>(undefined);
  const [cancelled, setCancelled] = useState(false);
  const work = useMutation({
    mutationFn: async (filter: EventSearch) => {
      const control = new AbortController();
      cancelling.current = control;
      setCancelled(false);
      setProgress(null);
      let shownAt = 0;
      let last: ExportProgress | null = null;
      const blob = await exportEvents(filter, control.signal, (now) => {
        last = now;
        if (performance.now() - shownAt < SHOWN_EVERY_MS) return;
        shownAt = performance.now();
        setProgress(now);
      });
      setProgress(last);
      saveFile(blob, `events-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.ndjson`);
    },
  });
  // Leaving the screen ends it: nobody could see or stop it any more.
  useEffect(() => () => cancelling.current?.abort(), []);
  const cancel = () => {
    setCancelled(true);
    cancelling.current?.abort();
  };
  const dismiss = () => work.reset();
  return { start: work.mutate, status: work.status, error: work.error, cancelled, progress, cancel, dismiss };
}

export type Export = ReturnType<typeof useExport>;
