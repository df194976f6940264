import { Button } from '@mantine/core';
import type { Ref } from 'react';
import type { TokenCreated } from '@contract/token';
import { NewSecret } from '../../components/new-secret';
import { Snippets } from '../../components/snippets';
import { tokenSnippets } from './token-snippets';
import classes from './tokens-panel.module.css';

interface TokenSecretProps {
  token: TokenCreated;
  /** Receives the focus. */
  sectionRef: Ref<HTMLElement>;
  onSaved: () => void;
}

/** The secret of a new token, shown only once. */
export function TokenSecret({ token, sectionRef, onSaved }: TokenSecretProps) {
  return (
    <section className={classes.secret} ref={sectionRef} tabIndex={-1} aria-label="New token">
      <div>
        <p>
          <strong>Token “{token.name}”, shown only once.</strong> Only a hash is stored, so it cannot be shown
          again. Copy it now.
        </p>
        <NewSecret secret={token.secret} />
      </div>
      <Snippets label="How to use the token" snippets={tokenSnippets(token, window.location.origin)} />
      <div>
        <Button variant="filled" onClick={onSaved}>
          I’ve saved it
        </Button>
      </div>
    </section>
  );
}
