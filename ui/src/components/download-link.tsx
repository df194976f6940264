import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { readBytes } from '../api/request';
import { saveFile } from './save-file';

interface DownloadLinkProps {
  /** Of the API; a browser that follows a plain link brings only one half of the session. */
  path: string;
  /** Of the file. */
  name: string;
  children: ReactNode;
}

/** Reads something into a file of the browser's downloads. */
export function DownloadLink({ path, name, children }: DownloadLinkProps) {
  const work = useMutation({
    mutationFn: async () => saveFile(new Blob([await readBytes(path)]), name),
  });
  return (
    <>
      <a
        href={`/api/v1${path}`}
        onClick={(event) => {
          event.preventDefault();
          work.mutate();
        }}
      >
        {children}
      </a>
      {work.isError && <span role="alert"> The download failed.</span>}
    </>
  );
}
