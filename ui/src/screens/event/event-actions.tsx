import { Button, Kbd } from '@mantine/core';
import { useCopy } from '../../components/use-copy';
import { IconCheck, IconExternalLink, IconPencil, IconHistory, IconTerminal2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EventDetail } from '@contract/event';
import { targetsQuery } from '../../api/targets';
import { GuardedButton } from '../../components/guarded-button';
import { useShortcuts } from '../../components/use-shortcuts';
import { curlCommand } from './curl-command';
import classes from './event-actions.module.css';
import { selfLinkOf, type Payload } from '../../payload/payload';
import { EraseButton } from '../../features/erasures/erase-button';
import { ReplayDialog } from '../../features/replays/replay-dialog';
import { ResendDialog } from './resend-dialog';

/** Used if the event has no delivery. */
const FALLBACK_URL = 'http://localhost:3000/';

const ERASED = 'Its content was erased.';

/** The actions on an event. */
export function EventActions({ event, payload }: { event: EventDetail; payload: Payload | undefined }) {
  const [replaying, setReplaying] = useState(false);
  const [editing, setEditing] = useState(false);
  const { data: targets, isPending: isReadingTargets } = useQuery(targetsQuery);
  const { copy, copied } = useCopy();
  const first = event.deliveries[0]?.target_id;
  const url = targets?.find(({ id }) => id === first)?.url ?? FALLBACK_URL;
  const copyable = payload !== undefined && !isReadingTargets;
  const copyCurl = () => {
    if (copyable) copy(curlCommand(event, payload, url));
  };
  const editable = payload !== undefined && payload.kind !== 'bytes';
  const edit = () => {
    if (editable) setEditing(true);
  };
  const isErased = event.erased_at !== null;
  const replay = () => {
    if (!isErased) setReplaying(true);
  };
  useShortcuts({ r: replay, c: copyCurl, e: edit });
  const self = selfLinkOf(payload);

  return (
    <>
      {self !== null && (
        <Button
          component="a"
          href={self}
          target="_blank"
          rel="noopener noreferrer"
          leftSection={<IconExternalLink size={14} aria-hidden />}
        >
          Open in Co-Pilot
        </Button>
      )}
      <Button
        className={classes.copy}
        disabled={!copyable}
        leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconTerminal2 size={14} aria-hidden />}
        rightSection={<Key>c</Key>}
        title={`The request as Co-Pilot sent it, to ${url}`}
        onClick={copyCurl}
      >
        {copied ? 'Copied' : 'Copy as curl (bash)'}
      </Button>
      <EraseButton subject={{ event_id: event.id }} because={isErased && ERASED} className={classes.erase} />
      <GuardedButton
        disabled={payload === undefined && !isErased}
        because={isErased ? ERASED : payload?.kind === 'bytes' && 'Its payload is not text.'}
        leftSection={<IconPencil size={14} aria-hidden />}
        rightSection={<Key>e</Key>}
        onClick={edit}
      >
        Edit and resend
      </GuardedButton>
      <GuardedButton
        variant="filled"
        because={isErased && ERASED}
        className={classes.replay}
        leftSection={<IconHistory size={14} aria-hidden />}
        rightSection={<Key>r</Key>}
        onClick={replay}
      >
        Replay
      </GuardedButton>
      <ResendDialog event={event} payload={payload} opened={editing} close={() => setEditing(false)} />
      <ReplayDialog event={event} opened={replaying} close={() => setReplaying(false)} />
    </>
  );
}

function Key({ children }: { children: string }) {
  return (
    <Kbd className={classes.key} aria-hidden>
      {children}
    </Kbd>
  );
}
