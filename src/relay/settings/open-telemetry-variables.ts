type Environment = Readonly<Record<string, string | undefined>>;

/** The standard variables of OpenTelemetry that are set; null unless they ask for traces. */
export function openTelemetryVariables(environment: Environment): Record<string, string> | null {
  const variables: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(environment))
    if (name.startsWith('OTEL_') && value !== '') variables[name] = value;
  const hasReceiver =
    'OTEL_EXPORTER_OTLP_ENDPOINT' in variables || 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' in variables;
  const isOff =
    variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || variables['OTEL_TRACES_EXPORTER'] === 'none';
  return hasReceiver && !isOff ? variables : null;
}
