import { Button, Tabs } from '@mantine/core';
import type { EventDetail } from '@contract/event';
import { useQuery } from '@tanstack/react-query';
import { eventBodyPath } from '../../api/events';
import { sessionQuery } from '../../api/session';
import { CopyButton } from '../../components/copy-button';
import { DownloadLink } from '../../components/download-link';
import { ErrorNote } from '../../components/error-note';
import { Mono } from '../../components/mono';
import { LoadingRows } from '../../components/loading-rows';
import { HeaderList } from '../../components/header-list';
import type { Payload } from '../../payload/payload';
import classes from './payload-panel.module.css';
import { PayloadTree } from '../../features/payload-tree/payload-tree';
import { useState } from 'react';
import { formatBytes } from '../../format/number';

interface PayloadPanelProps {
  event: EventDetail;
  payload: Payload | undefined;
  error: unknown;
  retry: () => void;
}

/** The payload as a tree and as text, and the headers. */
export function PayloadPanel({ event, payload, error, retry }: PayloadPanelProps) {
  const masked = useQuery(sessionQuery).data?.masked ?? [];
  const text = payload === undefined || payload.kind === 'bytes' ? null : payload.text;
  return (
    <section className={classes.panel} aria-label="Payload">
      <Tabs
        defaultValue="tree"
        keepMounted={false}
        classNames={{ root: classes.root, list: classes.tabs, panel: classes.body }}
      >
        <Tabs.List aria-label="Payload views">
          <Tabs.Tab value="tree">Payload</Tabs.Tab>
          <Tabs.Tab value="raw">Raw</Tabs.Tab>
          <Tabs.Tab value="headers">Headers</Tabs.Tab>
        </Tabs.List>
        <div className={classes.aside}>
          {text !== null && <CopyButton value={text} label="Copy the payload" />}
          <DownloadLink path={eventBodyPath(event.id)} name={`${event.id}.json`}>
            Download
          </DownloadLink>
        </div>
        {masked.length > 0 && (
          <p className={classes.note}>
            Your role does not see these values, by SWITCHBOARD_MASK: <Mono>{masked.join(', ')}</Mono>
          </p>
        )}
        <Tabs.Panel value="tree">
          <Body payload={payload} error={error} retry={retry}>
            {(loaded) =>
              loaded.kind === 'json' ? <PayloadTree json={loaded.json} /> : <NoTree payload={loaded} />
            }
          </Body>
        </Tabs.Panel>
        <Tabs.Panel value="raw">
          <Body payload={payload} error={error} retry={retry}>
            {(loaded) => <RawText text={loaded.kind === 'bytes' ? loaded.preview : loaded.text} />}
          </Body>
        </Tabs.Panel>
        <Tabs.Panel value="headers">
          <HeaderList headers={event.headers} signatureHeader={event.verification?.header ?? null} />
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}

interface BodyProps extends Pick<PayloadPanelProps, 'payload' | 'error' | 'retry'> {
  children: (payload: Payload) => React.ReactNode;
}

function Body({ payload, error, retry, children }: BodyProps) {
  if (payload !== undefined) return children(payload);
  return error === null ? <LoadingRows count={5} /> : <ErrorNote error={error} retry={retry} />;
}

function NoTree({ payload }: { payload: Payload }) {
  return (
    <>
      <p className={classes.note}>
        {payload.kind === 'bytes'
          ? 'The payload is not UTF-8. First bytes in hexadecimal:'
          : 'The payload is not JSON. Shown as received:'}
      </p>
      <RawText text={payload.kind === 'bytes' ? payload.preview : payload.text} />
    </>
  );
}

const MAX_SHOWN_CHARACTERS = 20_000;

/** Raw text. A long one is truncated until requested, so that an event opens quickly. */
function RawText({ text }: { text: string }) {
  const [showAll, setShowAll] = useState(false);
  const isTruncated = !showAll && text.length > MAX_SHOWN_CHARACTERS;
  return (
    <>
      <pre className={classes.raw}>{isTruncated ? text.slice(0, MAX_SHOWN_CHARACTERS) : text}</pre>
      {isTruncated && (
        <div className={classes.more}>
          <Button onClick={() => setShowAll(true)}>Show all {formatBytes(text.length)}</Button>
        </div>
      )}
    </>
  );
}
