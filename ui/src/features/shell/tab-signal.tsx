import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { healthQuery } from '../../api/health';
import { alertInBrowser } from '../../format/browser-alerts';
import { setTitlePrefix } from '../../format/document-title';
import { HUB_NAME } from '../../format/hub-name';
import { useLiveState } from '../../live/live-context';

const ICONS = { ok: '/favicon.svg', alert: '/favicon-alert.svg' } as const;

/**
 * Says in the title and the icon of the browser tab how many issues are critical, or that the connection is lost, and
 * shows new ones as notifications of the browser, if the user wants that.
 */
export function TabSignal() {
  // Without the interval of the Overview: live messages announce alerts, and every open dashboard asks.
  const { data: health } = useQuery({ ...healthQuery, refetchInterval: false });
  const isLost = useLiveState() === 'lost';
  const critical = health?.issues.filter(
    ({ severity, deliberate, snoozed }) => severity === 'critical' && !deliberate && snoozed === null,
  );
  const count = critical?.length ?? 0;
  useEffect(() => {
    showInTab(isLost ? '(!) ' : count > 0 ? `(${count}) ` : '');
    return () => showInTab('');
  }, [count, isLost]);

  // Null until the first answer: what was there before is no news.
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (critical === undefined) return;
    for (const { id, sentence, remedy } of critical)
      if (known.current?.has(id) === false) alertInBrowser(id, `${HUB_NAME}: ${sentence}`, remedy ?? '');
    known.current = new Set(critical.map(({ id }) => id));
  }, [critical]);
  return null;
}

/** @param prefix of the title; empty if all is well */
function showInTab(prefix: string): void {
  setTitlePrefix(prefix);
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (icon !== null) icon.href = prefix === '' ? ICONS.ok : ICONS.alert;
}
