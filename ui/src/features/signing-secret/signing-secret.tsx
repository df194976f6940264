import { Button, Tabs } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { CopyButton } from '../../components/copy-button';
import { NewSecret } from '../../components/new-secret';
import { saveFile } from '../../components/save-file';
import { TextBlock } from '../../components/text-block';
import classes from './signing-secret.module.css';
import { envFile, verifySnippets } from './verify-snippets';

/** A signing secret that is shown once, as text, as a file, and in code that verifies deliveries with it. */
export function SigningSecret({ secret }: { secret: string }) {
  const download = () => saveFile(new Blob([envFile(secret)], { type: 'text/plain' }), '.env');
  return (
    <div className={classes.secret}>
      <NewSecret secret={secret} />
      <div>
        <Button leftSection={<IconDownload size={14} aria-hidden />} onClick={download}>
          Download .env
        </Button>
      </div>
      <Tabs defaultValue="Node" keepMounted={false}>
        <Tabs.List aria-label="Code that verifies deliveries">
          {verifySnippets(secret).map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              Verify in {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {verifySnippets(secret).map(({ name, code }) => (
          <Tabs.Panel key={name} value={name} className={classes.panel}>
            <div className={classes.copy}>
              <CopyButton value={code} label={`Copy the ${name} code`} />
            </div>
            <TextBlock>{code}</TextBlock>
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  );
}
