import { Skeleton, VisuallyHidden } from '@mantine/core';

/** Placeholder for rows that are loading. */
export function LoadingRows({ count = 4, height = 20 }: { count?: number; height?: number }) {
  return (
    <div aria-busy style={{ display: 'grid', gap: 16, padding: 16 }}>
      <VisuallyHidden>Loading…</VisuallyHidden>
      {Array.from({ length: count }, (_, row) => (
        <Skeleton key={row} height={height} />
      ))}
    </div>
  );
}
