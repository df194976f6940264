import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { NewSecret } from '../../components/new-secret';
import { saveFile } from '../../components/save-file';
import { Snippets } from '../../components/snippets';
import classes from './signing-secret.module.css';
import { envFile, verifySnippets, type Signatures } from './verify-snippets';

/** A signing secret that is shown once, as text, as a file, and in code that verifies deliveries with it. */
export function SigningSecret({ secret, target }: { secret: string; target: Signatures }) {
  const download = () => saveFile(new Blob([envFile(secret)], { type: 'text/plain' }), '.env');
  return (
    <div className={classes.secret}>
      <NewSecret secret={secret} />
      <div>
        <Button leftSection={<IconDownload size={14} aria-hidden />} onClick={download}>
          Download .env
        </Button>
      </div>
      <Snippets
        label="Code that verifies deliveries"
        verb="Verify in "
        snippets={verifySnippets(secret, target)}
      />
    </div>
  );
}
