// The floors of docs/architecture.md: imports point down, siblings of floor 1 stand apart.
const floor1 = ['tools', 'policy', 'upstream', 'format', 'state', 'telemetry'];
const floor0 =
  '^src/(errors/|json/|state/ports\\.ts|(call|tool-definition|config|cancellation|header-rules|ids|live-list|version|package-root)\\.ts)';

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'errors-import-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/errors/' },
      to: { path: '^(src|routes)/', pathNot: '^src/errors/' },
    },
    {
      name: 'floor-0-imports-floor-0',
      severity: 'error',
      from: { path: floor0 },
      to: { path: '^(src|routes)/', pathNot: floor0 },
    },
    ...floor1.map((room) => ({
      name: `floor-1-${room}-imports-floor-0`,
      severity: 'error',
      from: { path: `^src/${room}/` },
      to: { path: '^(src|routes)/', pathNot: [floor0, `^src/${room}/`] },
    })),
    {
      name: 'gateway-imports-down',
      severity: 'error',
      from: { path: '^src/gateway/' },
      to: { path: '^(src/(plugins|app|server|cli)|routes)' },
    },
    {
      name: 'gateway-knows-no-fastify',
      severity: 'error',
      from: { path: '^src/gateway/' },
      to: { path: 'node_modules/(@fastify|fastify)' },
    },
    {
      name: 'plugins-import-down',
      severity: 'error',
      from: { path: '^src/plugins/' },
      to: { path: '^(src/(app|server|cli)\\.ts|routes)' },
    },
    {
      name: 'routes-import-down',
      severity: 'error',
      from: { path: '^routes/' },
      to: { path: '^src/(app|server|cli)\\.ts' },
    },
    {
      name: 'no-dev-dependencies-in-src',
      severity: 'error',
      from: { path: '^(src|routes)/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$'] },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
