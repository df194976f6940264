import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ExportFormat } from '@contract/event';
import type { EventSearch } from '../../api/events';
import { exportEvents, type ExportProgress } from '../../api/export-events';
import { saveFile } from '../../components/save-file';

const PROGRESS_INTERVAL_MS = 100;

/** Exports the matching events into a downloaded file, with progress. */
export function useExport() {
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const cancelling = useRef<AbortController>(undefined);
  const [cancelled, setCancelled] = useState(false);
  const mutation = useMutation({
    mutationFn: async ({ filter, format }: { filter: EventSearch; format: ExportFormat }) => {
      const control = new AbortController();
      cancelling.current = control;
      setCancelled(false);
      setProgress(null);
      let shownAt = 0;
      let last: ExportProgress | null = null;
      const blob = await exportEvents(filter, format, control.signal, (now) => {
        last = now;
        if (performance.now() - shownAt < PROGRESS_INTERVAL_MS) return;
        shownAt = performance.now();
        setProgress(now);
      });
      setProgress(last);
      saveFile(blob, `events-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.${format}`);
    },
  });
  // Leaving the screen cancels the export, since it could no longer be seen or stopped.
  useEffect(() => () => cancelling.current?.abort(), []);
  const cancel = () => {
    setCancelled(true);
    cancelling.current?.abort();
  };
  const dismiss = () => mutation.reset();
  return {
    start: mutation.mutate,
    status: mutation.status,
    error: mutation.error,
    cancelled,
    progress,
    cancel,
    dismiss,
  };
}

export type EventExport = ReturnType<typeof useExport>;
