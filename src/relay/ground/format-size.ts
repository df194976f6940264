const KIB = 1024;
const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes, such as `1.4 GiB`. */
export function formatSize(bytes: number): string {
  let size = bytes / KIB;
  let unit = 0;
  for (; size >= KIB && unit < UNITS.length - 1; unit += 1) size /= KIB;
  return `${size.toFixed(1)} ${UNITS[unit]}`;
}
