import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ReportedWebhook } from '@contract/subscription';
import { deleteReportedWebhook, subscriptionQuery } from '../../api/subscription';
import { ActionButton } from '../../components/action-button';
import { ActionOutcome } from '../../components/action-outcome';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Mono } from '../../components/mono';
import { TimeAgo } from '../../components/time-ago';
import classes from './reported-webhooks.module.css';

/** Unknown webhook ids in notifications. Only the operator can have them deleted. */
export function ReportedWebhooks({ reported }: { reported: ReportedWebhook[] }) {
  const cache = useQueryClient();
  const [deleting, setDeleting] = useState<string | null>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const deletion = useMutation({
    mutationFn: deleteReportedWebhook,
    onSuccess: (subscription) => {
      cache.setQueryData(subscriptionQuery.queryKey, subscription);
      setDeleting(null);
      outcome.current?.focus();
    },
  });
  const ask = (id: string) => {
    deletion.reset();
    setDeleting(id);
  };
  return (
    <>
      {reported.length > 0 && (
        <div>
          <h3>Unknown webhook ids in notifications</h3>
          <ul className={classes.list}>
            {reported.map(({ webhook_id: id, named_at: at, sentence }) => (
              <li key={id} className={classes.webhook}>
                <div>
                  <Mono>{id}</Mono>
                  <p className={classes.more}>
                    {sentence}
                    {at !== null && (
                      <>
                        {' '}
                        Last seen <TimeAgo at={at} />.
                      </>
                    )}
                  </p>
                </div>
                <ActionButton
                  color="red"
                  variant="subtle"
                  pending={deletion.isPending && deletion.variables === id}
                  aria-label={`Delete webhook ${id} at Co-Pilot`}
                  action={() => ask(id)}
                >
                  Delete at Co-Pilot
                </ActionButton>
              </li>
            ))}
          </ul>
        </div>
      )}
      <ActionOutcome
        focusRef={outcome}
        done={deletion.isSuccess ? `Deleted at Co-Pilot: ${deletion.variables}.` : null}
      />
      <ConfirmDialog
        title={`Delete webhook ${deleting ?? ''}?`}
        opened={deleting !== null}
        close={() => setDeleting(null)}
        cancelLabel="Cancel"
        confirmLabel="Delete at Co-Pilot"
        isDestructive
        pending={deletion.isPending}
        error={deletion.error}
        confirm={() => {
          if (deleting !== null) deletion.mutate(deleting);
        }}
      >
        <p>
          Asks Co&#8209;Pilot to delete the webhook with this id, whoever owns it:{' '}
          <strong>look it up in the developer panel first</strong>. If it turns out to be this Switchboard’s
          own webhook, that is detected immediately and a new one is registered, but events in between are
          lost.
        </p>
      </ConfirmDialog>
    </>
  );
}
