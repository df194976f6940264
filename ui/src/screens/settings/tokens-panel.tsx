import { Button, Group } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Token, TokenCreated } from '@contract/token';
import { tokensQuery } from '../../api/tokens';
import { ActionOutcome } from '../../components/action-outcome';
import { EmptyNote } from '../../components/empty-note';
import { Panel, PanelText } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { NewTokenDialog } from './new-token-dialog';
import type { TokenUse } from './token-form';
import { RevokeDialog } from './revoke-dialog';
import { TokenRow } from './token-row';
import { TokenSecret } from './token-secret';
import classes from './tokens-panel.module.css';

const ANY_USE: TokenUse = { name: '', scopes: ['read'] };
const COMMON_USES: TokenUse[] = [
  { name: 'Script that reads events', scopes: ['read'] },
  { name: 'CI that applies targets', scopes: ['read', 'operate'] },
  { name: 'Backup job', scopes: ['backup'] },
];

/** The API tokens. */
export function TokensPanel() {
  const query = useQuery(tokensQuery);
  const { data: tokens } = query;
  const [creating, setCreating] = useState<TokenUse | null>(null);
  const [created, setCreated] = useState<TokenCreated | null>(null);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const [revoked, setRevoked] = useState<Token | null>(null);
  const createButton = useRef<HTMLButtonElement>(null);
  const secret = useRef<HTMLElement>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const create = (use: TokenUse) => {
    setRevoked(null);
    setCreating(use);
  };
  return (
    <Panel
      title="API tokens"
      id="api-tokens"
      flush
      aside={
        <Button
          ref={createButton}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => create(ANY_USE)}
        >
          Create token
        </Button>
      }
    >
      <PanelText>
        For scripts, CI or colleagues, each with only the scopes it needs. Send it as{' '}
        <code className={classes.header}>Authorization: Bearer …</code>
      </PanelText>
      {created !== null && (
        <TokenSecret
          sectionRef={secret}
          token={created}
          onSaved={() => {
            setCreated(null);
            createButton.current?.focus();
          }}
        />
      )}
      <div className={classes.outcome}>
        <ActionOutcome focusRef={outcome} done={revoked && `“${revoked.name}” was revoked.`} />
      </div>
      <PendingData query={query} rows={2} flush />
      {tokens?.length === 0 && (
        <EmptyNote title="No tokens yet" icon={<IconKey size={22} stroke={1.6} />}>
          <p>Until you create one, only the admin token and dashboard sessions have access. Common uses:</p>
          <Group justify="center" gap="xs">
            {COMMON_USES.map((use) => (
              <Button key={use.name} onClick={() => create(use)}>
                {use.name}
              </Button>
            ))}
          </Group>
        </EmptyNote>
      )}
      <ul>
        {tokens?.map((token) => (
          <TokenRow key={token.id} token={token} revoke={() => setRevoking(token)} />
        ))}
      </ul>
      <NewTokenDialog
        initial={creating ?? ANY_USE}
        opened={creating !== null}
        close={() => setCreating(null)}
        onClosed={() => secret.current?.focus()}
        onCreated={(token) => {
          setCreated(token);
          setCreating(null);
        }}
      />
      <RevokeDialog
        token={revoking}
        close={() => setRevoking(null)}
        onClosed={() => {
          // The row disappeared with its button.
          if (revoked !== null) outcome.current?.focus();
        }}
        onRevoked={(token) => {
          setRevoked(token);
          if (created?.id === token.id) setCreated(null);
        }}
      />
    </Panel>
  );
}
