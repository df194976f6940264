import { negotiateMetricsFormat } from '../../../src/relay/api/negotiate-metrics-format';

const PROMETHEUS_2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

it.each([
  [undefined, 'prometheus'],
  ['', 'prometheus'],
  ['*/*', 'prometheus'],
  ['text/html, */*;q=0.8', 'prometheus'],
  [PROMETHEUS_2, 'openMetrics'],
  [PROMETHEUS_3, 'openMetrics'],
  ['application/openmetrics-text', 'openMetrics'],
  ['Application/OpenMetrics-Text; Version=1.0.0', 'openMetrics'],
  ['application/openmetrics-text; version=0.0.1', 'prometheus'],
  ['application/openmetrics-text;version=1.0.0;q=0', 'prometheus'],
  ['text/plain;version=0.0.4;q=0.5, application/openmetrics-text;version=1.0.0;q=0.4', 'prometheus'],
  ['application/openmetrics-text;q=wrong', 'prometheus'],
] as const)('Accept: %s selects %s', (accept, format) => {
  expect(negotiateMetricsFormat(accept)).toBe(format);
});
