import type { Notices } from '../database/postgres/notices';
import type { Log } from '../ground/log';
import type { Running } from './open-running';

type Following = Pick<Running, 'daemons' | 'journal' | 'owned' | 'dispatcher'>;

/** Passes what the other daemons announce to the application that runs. */
export function followNotices(
  notices: Pick<Notices, 'onNotice' | 'onReconnect'>,
  running: () => Following,
  log: Log,
): void {
  notices.onNotice((notice) => {
    const { daemons, journal, owned } = running();
    daemons.receive(notice);
    if (notice.kind === 'events') journal.pollEvents();
    else if (notice.kind === 'commits') journal.pollCommits(notice.writer);
    else if (notice.kind === 'owners' || (notice.kind === 'changed' && notice.table === 'targets'))
      owned.poll();
  });
  notices.onReconnect(() => {
    const { daemons, journal, owned, dispatcher } = running();
    daemons.lookAtAll();
    journal.pollAll();
    owned.poll();
    dispatcher.readAgain();
    log.warn('notices of the other daemons may have been lost; everything is read again');
  });
}
