import { IconChevronRight, IconShieldCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RecheckOutcome, Rejection } from '../../../../src/contract/rejection';
import { recheckRejection, rejectionsQuery } from '../../api/rejections';
import { ActionButton } from '../../components/action-button';
import { ErrorNote } from '../../components/error-note';
import { HeaderList } from '../../components/header-list';
import { Mono } from '../../components/mono';
import { TimeAgo } from '../../components/time-ago';
import { formatBytes } from '../../format/number';
import { RejectionBody } from './rejection-body';
import classes from './rejection-row.module.css';

const REASONS: Record<Rejection['reason'], string> = {
  no_signature: 'No signature',
  signature_mismatch: 'Invalid signature',
};

interface RejectionRowProps {
  rejection: Rejection;
  /** It was held against today's secrets; where one fits, the row goes. */
  rechecked: (recheck: RecheckOutcome) => void;
}

/** A quarantined notification; unfolded, its headers and its body, and a second look at it. */
export function RejectionRow({ rejection, rechecked }: RejectionRowProps) {
  const cache = useQueryClient();
  const [unfolded, setUnfolded] = useState(false);
  const recheck = useMutation({
    mutationFn: () => recheckRejection(rejection.id),
    onSuccess: async (outcome) => {
      if (outcome.outcome === 'still_rejected') return;
      rechecked(outcome);
      await cache.invalidateQueries({ queryKey: rejectionsQuery.queryKey });
    },
  });
  return (
    <li className={classes.row}>
      <details onToggle={({ currentTarget }) => setUnfolded((before) => before || currentTarget.open)}>
        <summary className={classes.summary}>
          <IconChevronRight size={14} aria-hidden className={classes.chevron} />
          <strong>{REASONS[rejection.reason]}</strong>
          <span className={classes.sentence}>{rejection.sentence}</span>
          <span className={classes.muted}>{formatBytes(rejection.size_bytes)}</span>
          <TimeAgo at={rejection.received_at} className={classes.muted} />
        </summary>
        <div className={classes.inside}>
          <div className={classes.again}>
            <ActionButton
              leftSection={<IconShieldCheck size={14} aria-hidden />}
              pending={recheck.isPending}
              action={() => recheck.mutate()}
            >
              Recheck
            </ActionButton>
            <div aria-live="polite" className={classes.outcome}>
              {recheck.error !== null && <ErrorNote error={recheck.error} />}
              {recheck.data === undefined && recheck.error === null
                ? 'Recheck after fixing a secret or header. If the signature is valid now, the notification is stored as an event.'
                : recheck.data?.sentence}
            </div>
          </div>
          {rejection.address !== null && (
            <p className={classes.from}>
              Received from <Mono>{rejection.address}</Mono>.
            </p>
          )}
          <h3 className={classes.title}>Headers</h3>
          <HeaderList headers={rejection.headers} />
          <h3 className={classes.title}>Body</h3>
          {unfolded && <RejectionBody id={rejection.id} />}
        </div>
      </details>
    </li>
  );
}
