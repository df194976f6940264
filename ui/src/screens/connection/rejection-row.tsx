import { IconChevronRight } from '@tabler/icons-react';
import type { Rejection } from '../../../../src/contract/rejection';
import { HeaderList } from '../../components/header-list';
import { TimeAgo } from '../../components/time-ago';
import { formatBytes } from '../../text/format-number';
import classes from './rejection-row.module.css';

const SHOWN = 4_000;

const REASONS: Record<Rejection['reason'], string> = {
  no_signature: 'No signature',
  signature_mismatch: 'Wrong signature',
};

/** The bytes as text, as far as they are text; nobody vouches for them, so they are shown and never parsed. */
function textOf(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(bytes).slice(0, SHOWN);
}

/** A quarantined notification; unfolded, its headers and its body. */
export function RejectionRow({ rejection }: { rejection: Rejection }) {
  return (
    <li className={classes.row}>
      <details>
        <summary className={classes.summary}>
          <IconChevronRight size={14} aria-hidden className={classes.chevron} />
          <strong>{REASONS[rejection.reason]}</strong>
          <span className={classes.sentence}>{rejection.sentence}</span>
          <span className={classes.muted}>{formatBytes(rejection.size_bytes)}</span>
          <TimeAgo at={rejection.received_at} className={classes.muted} />
        </summary>
        <div className={classes.inside}>
          <h3 className={classes.title}>Headers</h3>
          <HeaderList headers={rejection.headers} />
          <h3 className={classes.title}>Body</h3>
          <pre className={classes.body}>{textOf(rejection.body_base64)}</pre>
        </div>
      </details>
    </li>
  );
}
