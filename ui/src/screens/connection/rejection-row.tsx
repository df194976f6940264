import { IconShieldCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RecheckOutcome, Rejection } from '@contract/rejection';
import {
  deleteRejection,
  recheckRejection,
  rejectionBodyPath,
  rejectionBodyQuery,
  rejectionsQuery,
} from '../../api/rejections';
import { ActionButton } from '../../components/action-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { ErrorNote } from '../../components/error-note';
import { HeaderList } from '../../components/header-list';
import { Mono } from '../../components/mono';
import { TimeAgo } from '../../components/time-ago';
import { formatBytes } from '../../format/number';
import { DisclosureChevron } from '../../components/disclosure-chevron';
import classes from './rejection-row.module.css';
import { DownloadLink } from '../../components/download-link';

const REASONS: Record<Rejection['reason'], string> = {
  no_signature: 'No signature',
  signature_mismatch: 'Invalid signature',
};

/** What became of it. */
export type Resolution = Pick<RecheckOutcome, 'sentence' | 'event_id'>;

interface RejectionRowProps {
  rejection: Rejection;
  /** Called when it was deleted, or a recheck found the signature valid; the row then disappears. */
  onResolved: (resolution: Resolution) => void;
}

/** A quarantined notification. When it is expanded, it shows headers, body and a button that rechecks it. */
export function RejectionRow({ rejection, onResolved }: RejectionRowProps) {
  const cache = useQueryClient();
  const refresh = () => cache.invalidateQueries({ queryKey: rejectionsQuery.queryKey });
  const [wasOpened, setOpened] = useState(false);
  const recheck = useMutation({
    mutationFn: () => recheckRejection(rejection.id),
    onSuccess: async (result) => {
      if (result.outcome === 'still_rejected') return;
      onResolved(result);
      await refresh();
    },
  });
  const [isAsking, setAsking] = useState(false);
  const deletion = useMutation({
    mutationFn: () => deleteRejection(rejection.id),
    onSuccess: () => setAsking(false),
  });
  return (
    <li className={classes.row}>
      <details onToggle={({ currentTarget }) => setOpened((opened) => opened || currentTarget.open)}>
        <summary className={classes.summary}>
          <DisclosureChevron />
          <strong>{REASONS[rejection.reason]}</strong>
          <span className={classes.sentence}>{rejection.sentence}</span>
          <span className={classes.muted}>{formatBytes(rejection.size_bytes)}</span>
          <TimeAgo at={rejection.received_at} className={classes.muted} />
        </summary>
        <div className={classes.inside}>
          <div className={classes.recheck}>
            <ActionButton
              leftSection={<IconShieldCheck size={14} aria-hidden />}
              pending={recheck.isPending}
              action={() => recheck.mutate()}
            >
              Recheck
            </ActionButton>
            <ActionButton pending={deletion.isPending} action={() => setAsking(true)}>
              Delete
            </ActionButton>
            <ConfirmDialog
              title="Delete this notification?"
              opened={isAsking}
              close={() => setAsking(false)}
              onClosed={() => {
                if (!deletion.isSuccess) return;
                onResolved({ sentence: 'The notification was deleted.', event_id: null });
                void refresh();
              }}
              cancelLabel="Cancel"
              confirmLabel="Delete"
              isDestructive
              pending={deletion.isPending}
              error={deletion.error}
              confirm={() => deletion.mutate()}
            >
              <p>It cannot be stored as an event any more, even if its signature turns out to be valid.</p>
            </ConfirmDialog>
            <div aria-live="polite" className={classes.outcome}>
              {recheck.error !== null && <ErrorNote error={recheck.error} />}
              {recheck.data === undefined && recheck.error === null
                ? 'Checks the signature again, with the secrets of all our webhooks and the signature header known now. If it is valid, the notification is stored as an event.'
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
          {wasOpened && <RejectionBody id={rejection.id} />}
        </div>
      </details>
    </li>
  );
}

const MAX_SHOWN_BYTES = 4_000;

/** The raw body as text. It is not trusted, so it is never parsed. */
function RejectionBody({ id }: { id: string }) {
  const { data: bytes, error, refetch } = useQuery(rejectionBodyQuery(id));
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  return (
    <>
      <pre className={classes.body} aria-busy={bytes === undefined}>
        {bytes === undefined ? 'Loading…' : new TextDecoder().decode(bytes.subarray(0, MAX_SHOWN_BYTES))}
      </pre>
      {bytes !== undefined && bytes.length > MAX_SHOWN_BYTES && (
        <p className={classes.more}>
          Truncated.{' '}
          <DownloadLink path={rejectionBodyPath(id)} name={`${id}.body`}>
            Download full body
          </DownloadLink>
        </p>
      )}
    </>
  );
}
