// The OpenTelemetry SDK, loaded only when `OTEL_*` asks for it: a gateway that does not trace does
// not pay for its modules. The SDK reads its own variables (sampler, limits, endpoint, headers).
import type { DiagAPI, TracerProvider } from '@opentelemetry/api';

export interface TracingSdk {
  readonly provider: TracerProvider;
  /** Sends what is still waiting and stops, within `limitMs` (default 3000). Never rejects. */
  shutdown(limitMs?: number): Promise<void>;
}

/** What the environment says about tracing. */
export type TracingRequest =
  | { readonly enabled: true }
  /** `problem`: it was asked for in a way that is not offered here. */
  | { readonly enabled: false; readonly problem?: string };

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Traces are sent when `OTEL_TRACES_EXPORTER=otlp`, or when an OTLP endpoint is named and the
 * exporter is not `none`; never with `OTEL_SDK_DISABLED=true`. Over HTTP with protobuf only.
 */
export function readTracingRequest(env: Env): TracingRequest {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return { enabled: false };
  const exporter = env['OTEL_TRACES_EXPORTER']?.trim().toLowerCase() ?? '';
  const endpoint =
    env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  if (exporter === 'none' || (exporter === '' && endpoint === '')) return { enabled: false };
  if (exporter !== '' && exporter !== 'otlp') {
    return { enabled: false, problem: 'OTEL_TRACES_EXPORTER knows otlp and none' };
  }
  const protocol =
    env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? '';
  if (protocol !== '' && protocol !== 'http/protobuf') {
    return { enabled: false, problem: 'OTEL_EXPORTER_OTLP_PROTOCOL knows http/protobuf' };
  }
  return { enabled: true };
}

/** How often a failing export is reported, milliseconds. */
const REPORT_EVERY_MS = 60_000;

/**
 * Starts the SDK. The name of the service is `toolgate` unless `OTEL_SERVICE_NAME` or
 * `OTEL_RESOURCE_ATTRIBUTES` gives another.
 *
 * @param onExportFailure Called at most once a minute while spans cannot be sent. What the collector
 *   said is kept back: it is somebody else's text.
 */
export async function startTracing(
  version: string,
  onExportFailure: () => void,
): Promise<TracingSdk> {
  const [api, base, exporter, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  const report = atMostEvery(REPORT_EVERY_MS, onExportFailure);
  listenToFailures(api.diag, report);
  const provider = new base.BasicTracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': 'toolgate', 'service.version': version })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new base.BatchSpanProcessor(new exporter.OTLPTraceExporter())],
  });
  return {
    provider,
    shutdown: (limitMs = 3000) => within(provider.shutdown().catch(report), limitMs),
  };
}

function atMostEvery(everyMs: number, act: () => void): () => void {
  let actedAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now - actedAt < everyMs) return;
    actedAt = now;
    act();
  };
}

/** The SDK tells the failures of its background work to the API's diagnostic channel only. */
function listenToFailures(diag: DiagAPI, error: () => void): void {
  const ignore = (): void => undefined;
  diag.setLogger(
    { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { suppressOverrideMessage: true },
  );
}

/** `work` never rejects. */
function within(work: Promise<void>, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
