import { Button } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Token, TokenCreated } from '../../../../src/contract/token';
import { tokensQuery } from '../../api/tokens';
import { ActionOutcome } from '../../components/action-outcome';
import { EmptyNote } from '../../components/empty-note';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { NewTokenDialog } from './new-token-dialog';
import { RevokeDialog } from './revoke-dialog';
import { TokenRow } from './token-row';
import { TokenSecret } from './token-secret';
import classes from './tokens-panel.module.css';

/** Who may use the API beside the operator, and with what. */
export function TokensPanel() {
  const query = useQuery(tokensQuery);
  const { data: tokens } = query;
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<TokenCreated | null>(null);
  const [leaving, setLeaving] = useState<Token | null>(null);
  const [revoked, setRevoked] = useState<Token | null>(null);
  const make = useRef<HTMLButtonElement>(null);
  const secret = useRef<HTMLElement>(null);
  const outcome = useRef<HTMLDivElement>(null);
  return (
    <Panel
      title="API tokens"
      flush
      aside={
        <Button
          ref={make}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => {
            setRevoked(null);
            setMaking(true);
          }}
        >
          Create token
        </Button>
      }
    >
      <p className={classes.lead}>
        For scripts, CI or colleagues, each with only the scopes it needs. Send it as{' '}
        <code>Authorization: Bearer …</code>
      </p>
      {made !== null && (
        <TokenSecret
          place={secret}
          token={made}
          kept={() => {
            setMade(null);
            make.current?.focus();
          }}
        />
      )}
      <div className={classes.outcome}>
        <ActionOutcome focusRef={outcome} done={revoked && `“${revoked.name}” was revoked.`} />
      </div>
      <PendingData query={query} rows={2} flush />
      {tokens?.length === 0 && (
        <EmptyNote title="No tokens yet" icon={<IconKey size={22} stroke={1.6} />}>
          <p>Until you create one, only the admin token and dashboard sessions have access.</p>
        </EmptyNote>
      )}
      <ul>
        {tokens?.map((token) => (
          <TokenRow key={token.id} token={token} revoke={() => setLeaving(token)} />
        ))}
      </ul>
      <NewTokenDialog
        opened={making}
        close={() => setMaking(false)}
        closed={() => secret.current?.focus()}
        made={(token) => {
          setMade(token);
          setMaking(false);
        }}
      />
      <RevokeDialog
        token={leaving}
        close={() => setLeaving(null)}
        closed={() => {
          // Its row is gone, and the button with it.
          if (revoked !== null) outcome.current?.focus();
        }}
        revoked={(token) => {
          setRevoked(token);
          if (made?.id === token.id) setMade(null);
        }}
      />
    </Panel>
  );
}
