// The Kubernetes manifests: what the API server checks, held to its own types, and what it does not:
// that they fit each other and the gateway.
import { readdirSync, readFileSync } from 'node:fs';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/tools/load.js';

const ROOT = new URL('../../deploy/kubernetes/', import.meta.url);

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
}

/** The operator's own kind; its types are in no package. */
interface ServiceMonitor {
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly endpoints: readonly [
      {
        readonly port: string;
        readonly authorization: { readonly credentials: { name: string; key: string } };
      },
    ];
  };
}

const files = readdirSync(ROOT).filter((file) => file.endsWith('.yaml'));
const manifests = files
  .filter((file) => file !== 'kustomization.yaml')
  .flatMap((file) => parseAllDocuments(readFileSync(new URL(file, ROOT), 'utf8')))
  .map((document) => document.toJS({ maxAliasCount: 0 }) as Manifest);

const MODELS = {
  Deployment,
  HorizontalPodAutoscaler,
  PodDisruptionBudget,
  ConfigMap,
  Secret,
  Service,
};
const MODULES: Record<keyof typeof MODELS, string> = {
  Deployment: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  PodDisruptionBudget: 'policy/v1',
  ConfigMap: 'v1',
  Secret: 'v1',
  Service: 'v1',
};

function one(kind: string): unknown {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  expect(found, kind).toHaveLength(1);
  return found[0];
}

const deployment = one('Deployment') as Deployment;
const pod = deployment.spec!.template;
const container = pod.spec!.containers[0]!;
const service = one('Service') as Service;
const config = (one('ConfigMap') as ConfigMap).data!['toolgate.yaml']!;
const secret = one('Secret') as Secret;

describe('the manifests', () => {
  test.each(Object.keys(MODELS) as (keyof typeof MODELS)[])('%s is of its kind', (kind) => {
    const Model = MODELS[kind] as new (data: unknown) => { validate(): void };
    expect(() => {
      new Model(one(kind)).validate();
    }).not.toThrow();
  });

  test('have no field that Kubernetes does not know', () => {
    const typed = (Object.keys(MODELS) as (keyof typeof MODELS)[]).map((kind) => {
      const type = `import('kubernetes-models/${MODULES[kind]}/${kind}').I${kind}`;
      return `export const a${kind}: ${type} = ${JSON.stringify(one(kind))};`;
    });
    // The last one shows that the compiler looks.
    const wrong = typed[0]!
      .replace('aDeployment', 'wrong')
      .replace('livenessProbe', 'livenesProbe');
    const errors = typeErrors([...typed, wrong].join('\n'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('livenesProbe');
  });

  test('are all applied', () => {
    const kustomization = parse(readFileSync(new URL('kustomization.yaml', ROOT), 'utf8')) as {
      resources: string[];
    };
    expect(kustomization.resources.sort()).toEqual(
      files.filter((file) => file !== 'kustomization.yaml').sort(),
    );
  });

  test('select the pods of the deployment', () => {
    const labels = pod.metadata?.labels;
    expect(deployment.spec!.selector.matchLabels).toEqual(labels);
    expect(service.spec!.selector).toEqual(labels);
    const pdb = one('PodDisruptionBudget') as PodDisruptionBudget;
    expect(pdb.spec!.selector!.matchLabels).toEqual(labels);
    const hpa = one('HorizontalPodAutoscaler') as HorizontalPodAutoscaler;
    expect(hpa.spec!.scaleTargetRef).toEqual({
      apiVersion: deployment.apiVersion,
      kind: 'Deployment',
      name: deployment.metadata!.name,
    });
    const monitor = one('ServiceMonitor') as ServiceMonitor;
    expect(service.metadata!.labels).toEqual(monitor.spec.selector.matchLabels);
    const [{ port, authorization }] = monitor.spec.endpoints;
    expect(service.spec!.ports!.map(({ name }) => name)).toContain(port);
    expect(authorization.credentials.name).toBe(secret.metadata!.name);
    expect(Object.keys(secret.stringData!)).toContain(authorization.credentials.key);
  });

  test('name ports, volumes and secrets that there are', () => {
    const ports = container.ports!.map(({ name }) => name);
    expect(ports).toContain(service.spec!.ports![0]!.targetPort);
    for (const probe of [
      container.startupProbe,
      container.livenessProbe,
      container.readinessProbe,
    ]) {
      expect(ports).toContain(probe!.httpGet!.port);
    }
    expect(container.envFrom).toEqual([{ secretRef: { name: secret.metadata!.name } }]);
    expect(container.volumeMounts![0]!.name).toBe(pod.spec!.volumes![0]!.name);
  });

  test('leave the time to drain', () => {
    const { server } = parse(config) as { server: { drain_timeout_ms: number } };
    const preStopS = Number(container.lifecycle!.preStop!.exec!.command!.at(-1));
    const neededS = preStopS + server.drain_timeout_ms / 1000;
    expect(pod.spec!.terminationGracePeriodSeconds).toBeGreaterThan(neededS);
  });

  test('hold a configuration that the gateway takes, with every secret it names', () => {
    const loaded = loadConfig({ file: 'toolgate.yaml', text: config }, secret.stringData!);
    expect(loaded).toMatchObject({ ok: true });
  });
});

/** What the compiler says of a file; excess properties among it. */
function typeErrors(text: string): string[] {
  const name = new URL('manifests.ts', import.meta.url).pathname;
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  host.fileExists = (path) => path === name || ts.sys.fileExists(path);
  host.readFile = (path) => (path === name ? text : ts.sys.readFile(path));
  const program = ts.createProgram([name], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
