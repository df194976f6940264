import type { MetricsFormat } from '../stats/render-metrics';

/**
 * The format that a scraper prefers by its `Accept` header (RFC 9110, 12.5.1). It lists each format with the versions
 * it knows; without a version any will do.
 */
export function negotiateMetricsFormat(accept = ''): MetricsFormat {
  const ranges = accept.split(',').map(readRange);
  const [best] = ranges
    .filter(({ format, quality }) => format !== null && quality > 0)
    .toSorted((one, other) => other.quality - one.quality);
  return best?.format ?? 'prometheus';
}

function readRange(range: string): { format: MetricsFormat | null; quality: number } {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const values = new Map(parameters.map((parameter) => parameter.split('=', 2) as [string, string]));
  return { format: formatOf(type, values.get('version')), quality: Number(values.get('q') ?? 1) };
}

function formatOf(type: string, version: string | undefined): MetricsFormat | null {
  if (type === 'application/openmetrics-text' && (version ?? '1.0.0') === '1.0.0') return 'openMetrics';
  if (type === 'text/plain' && (version ?? '0.0.4') === '0.0.4') return 'prometheus';
  return null;
}
