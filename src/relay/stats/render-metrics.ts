import { Registry, type Metric as ClientMetric, type RegistryContentType } from 'prom-client';
import type { Metric } from './metrics.query';

/** The text format of Prometheus, which every scraper reads, and OpenMetrics 1.0. Loaded with the first request. */
const CONTENT_TYPES = {
  prometheus: Registry.PROMETHEUS_CONTENT_TYPE,
  openMetrics: Registry.OPENMETRICS_CONTENT_TYPE,
};
export type MetricsFormat = keyof typeof CONTENT_TYPES;

export async function renderMetrics(
  metrics: readonly Metric[],
  format: MetricsFormat,
): Promise<{ contentType: string; text: string }> {
  const contentType = CONTENT_TYPES[format];
  const registry = new Registry<RegistryContentType>();
  registry.setContentType(contentType);
  for (const metric of metrics) {
    // The client's own metrics are made for observations: of any other, it needs the values alone.
    const readable = { ...metric, get: () => Promise.resolve(readable) };
    registry.registerMetric(readable as unknown as ClientMetric);
  }
  return { contentType, text: await registry.metrics() };
}
