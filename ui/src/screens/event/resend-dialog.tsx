import { Button, Group, Input, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { EventDetail } from '@contract/event';
import { eventQuery, resendEvent } from '../../api/events';
import { ActionButton } from '../../components/action-button';
import { Dialog } from '../../components/dialog';
import { ErrorNote } from '../../components/error-note';
import { recipientsOf } from '../../features/targets/recipients-of';
import { TargetCheckboxes } from '../../features/targets/target-checkboxes';
import { TroubleNotes } from '../../features/targets/trouble-notes';
import { useTargets } from '../../features/targets/use-targets';
import { formatNoun } from '../../format/number';
import { describeJsonError } from '../../payload/describe-json-error';
import { formatJsonText } from '../../payload/format-json-text';
import type { Payload } from '../../payload/payload';
import stack from '../../components/stack.module.css';
import classes from './resend-dialog.module.css';

interface ResendDialogProps {
  event: EventDetail;
  payload: Payload | undefined;
  opened: boolean;
  close: () => void;
}

/** Sends an event with an edited payload to selected targets. */
export function ResendDialog({ event, payload, opened, close }: ResendDialogProps) {
  const { data: targets } = useTargets();
  return (
    <Dialog opened={opened} close={close} title="Edit and resend" size="lg">
      {payload !== undefined && targets !== undefined && (
        <Editor event={event} payload={payload} recipients={recipientsOf(event, targets)} close={close} />
      )}
    </Dialog>
  );
}

interface EditorProps {
  event: EventDetail;
  payload: Payload;
  /** The targets selected at first. */
  recipients: string[];
  close: () => void;
}

/** Mounted when the dialog opens, so it starts with the original payload. */
function Editor({ event, payload, recipients, close }: EditorProps) {
  const cache = useQueryClient();
  const [text, setText] = useState(() => textOf(payload));
  const [selected, setSelected] = useState(recipients);
  // A payload that was not JSON need not become JSON.
  const jsonError = payload.kind === 'json' ? describeJsonError(text) : undefined;
  const resend = useMutation({
    // Sent as text: a JSON value would be serialized again, which rounds long integers.
    mutationFn: () => resendEvent(event.id, { body: text, target_ids: selected }),
    onSuccess: async ({ delivery_ids: { length } }) => {
      close();
      const message = `Created ${formatNoun(length, 'delivery', 'deliveries')}, marked as edited.`;
      notifications.show({ title: 'Sent', message, color: 'gray' });
      await cache.invalidateQueries({ queryKey: eventQuery(event.id).queryKey });
    },
  });
  return (
    <div className={stack.medium}>
      <p className={classes.lead}>
        Sends the payload below as a manual delivery with the same <code>webhook-id</code>. It is marked{' '}
        <code>switchboard-edited: true</code> and signed by Switchboard; Co&#8209;Pilot’s signature is omitted
        because it would not match. The stored event is not changed. Ordered targets receive it out of order.
      </p>
      <Textarea
        label="Payload"
        data-autofocus
        rows={10}
        spellCheck={false}
        autoComplete="off"
        value={text}
        error={jsonError}
        classNames={{ input: classes.text }}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Input.Wrapper
        label="Targets"
        labelElement="div"
        error={selected.length === 0 && 'Select at least one.'}
      >
        <div className={classes.targets}>
          <TargetCheckboxes label="Targets" selected={selected} onSelect={setSelected} />
        </div>
      </Input.Wrapper>
      <TroubleNotes targets={selected} />
      {resend.error !== null && <ErrorNote error={resend.error} />}
      <Group justify="flex-end">
        <Button onClick={close}>Cancel</Button>
        <ActionButton
          variant="filled"
          because={jsonError ?? (selected.length === 0 && 'Select at least one target.')}
          pending={resend.isPending}
          action={() => resend.mutate()}
        >
          {selected.length === 0 ? 'Send' : `Send to ${formatNoun(selected.length, 'target')}`}
        </ActionButton>
      </Group>
    </div>
  );
}

function textOf(payload: Payload): string {
  if (payload.kind === 'bytes') return '';
  return payload.kind === 'json' ? formatJsonText(payload.text) : payload.text;
}
