import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { readBytes } from '../api/request';
import { saveFile } from './save-file';

interface DownloadLinkProps {
  /** Path in the API. A plain link would not send the session secret. */
  path: string;
  /** File name. */
  name: string;
  children: ReactNode;
}

/** Downloads an API resource as a file. */
export function DownloadLink({ path, name, children }: DownloadLinkProps) {
  const download = useMutation({
    mutationFn: async () => saveFile(new Blob([await readBytes(path)]), name),
  });
  return (
    <>
      <a
        href={`/api/v1${path}`}
        onClick={(event) => {
          event.preventDefault();
          download.mutate();
        }}
      >
        {children}
      </a>
      {download.isError && <span role="alert"> The download failed.</span>}
    </>
  );
}
