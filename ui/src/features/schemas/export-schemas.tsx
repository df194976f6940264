import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { exportPath, exportQuery } from '../../api/payload-types';
import { Dialog } from '../../components/dialog';
import { DownloadLink } from '../../components/download-link';
import { PendingData } from '../../components/pending-data';
import { Snippets } from '../../components/snippets';
import stack from '../../components/stack.module.css';

/** Shows the schemas as code, to copy or to download. @param type all if missing */
export function ExportSchemas({ type }: { type?: string }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button leftSection={<IconDownload size={14} aria-hidden />} onClick={() => setOpened(true)}>
        {type === undefined ? 'Export all' : 'Export'}
      </Button>
      <Dialog
        title={type === undefined ? 'Export all schemas' : `Export the schema of ${type}`}
        opened={opened}
        close={() => setOpened(false)}
        size="lg"
      >
        <Code type={type} />
      </Dialog>
    </>
  );
}

function Code({ type }: { type: string | undefined }) {
  const typescript = useQuery(exportQuery('typescript', type));
  const jsonSchema = useQuery(exportQuery('json_schema', type));
  const name = type ?? 'events';
  if (typescript.data === undefined || jsonSchema.data === undefined)
    return <PendingData query={typescript.data === undefined ? typescript : jsonSchema} rows={6} />;
  return (
    <div className={stack.medium}>
      <p>
        Download{' '}
        <DownloadLink path={exportPath('typescript', type)} name={`${name}.ts`}>
          {name}.ts
        </DownloadLink>{' '}
        or{' '}
        <DownloadLink path={exportPath('json_schema', type)} name={`${name}.schema.json`}>
          {name}.schema.json
        </DownloadLink>
        . The same schemas give the same bytes.
      </p>
      <Snippets
        label="Language"
        snippets={[
          { name: 'TypeScript', code: typescript.data },
          { name: 'JSON Schema', code: jsonSchema.data },
        ]}
      />
    </div>
  );
}
